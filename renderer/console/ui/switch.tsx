// Switches something on or off at once.
import type { ReactNode } from "react";
import { Switch as AriaSwitch, type SwitchProps as AriaSwitchProps } from "react-aria-components";
import "./switch.css";

export interface SwitchProps extends Omit<AriaSwitchProps, "children" | "className"> {
  children?: ReactNode;
}

export function Switch({ children, ...props }: SwitchProps) {
  return (
    <AriaSwitch {...props} className="switch">
      <span className="switch-track" aria-hidden="true" />
      {children === undefined ? null : <span>{children}</span>}
    </AriaSwitch>
  );
}
