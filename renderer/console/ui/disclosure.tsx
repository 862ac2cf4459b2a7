// A part that is folded until somebody wants it.
import type { ReactNode } from "react";
import { Button as AriaButton, Disclosure as AriaDisclosure, DisclosurePanel, Heading } from "react-aria-components";
import { Icon } from "./icon.tsx";
import "./disclosure.css";

interface DisclosureProps {
  title: string;
  /** True if it is unfolded at first. */
  isOpen?: boolean;
  /** The level of its heading: one below the heading of the part that it belongs to. */
  level?: 2 | 3;
  children: ReactNode;
}

export function Disclosure({ title, isOpen = false, level = 3, children }: DisclosureProps) {
  return (
    <AriaDisclosure className="disclosure line-above" defaultExpanded={isOpen}>
      <Heading level={level}>
        <AriaButton slot="trigger" className="disclosure-button row gap-2 full-width text-start pointer ink bare">
          <Icon name="chevronDown" />
          {title}
        </AriaButton>
      </Heading>
      <DisclosurePanel className="disclosure-panel">
        <div className="disclosure-content stack gap-4">{children}</div>
      </DisclosurePanel>
    </AriaDisclosure>
  );
}
