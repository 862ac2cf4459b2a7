// A box to tick, with its label and perhaps an explanation.
import type { ReactNode } from "react";
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from "react-aria-components";
import { Icon } from "./icon.tsx";
import "./checkbox.css";

export interface CheckboxProps extends Omit<AriaCheckboxProps, "children" | "className"> {
  children: ReactNode;
}

export function Checkbox({ children, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className="checkbox">
      <span className="checkbox-box" aria-hidden="true">
        <Icon name="check" />
      </span>
      <span className="checkbox-label">{children}</span>
    </AriaCheckbox>
  );
}
