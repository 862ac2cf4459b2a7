// A button. While its action runs it says so and cannot be pressed again.
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";

export interface ButtonProps extends AriaButtonProps {
  /** `primary`: the one main action of a view; `danger`: it destroys something; `quiet`: without a frame. */
  kind?: "primary" | "plain" | "danger" | "quiet";
  size?: "small" | "medium";
}

export function Button({ kind = "plain", size = "medium", ...props }: ButtonProps) {
  return <AriaButton {...props} className="button" data-kind={kind} data-size={size} />;
}
