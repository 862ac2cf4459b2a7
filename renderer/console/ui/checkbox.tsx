// A box to tick.
import type { ReactNode } from "react";
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from "react-aria-components";
import { Icon } from "./icon.tsx";
import "./checkbox.css";

export interface CheckboxProps extends Omit<AriaCheckboxProps, "children" | "className"> {
  children?: ReactNode;
}

export function Checkbox({ children, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className="checkbox flex top gap-2 pointer">
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className="checkbox-box" aria-hidden="true">
            {isIndeterminate ? <span className="checkbox-dash" /> : isSelected ? <Icon name="check" /> : null}
          </span>
          {children === undefined ? null : <span className="checkbox-text shrink break-words">{children}</span>}
        </>
      )}
    </AriaCheckbox>
  );
}
