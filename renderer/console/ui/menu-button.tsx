// A button that opens a menu of further actions, such as at the end of a row.
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { Icon } from "./icon.tsx";
import "./menu-button.css";

export interface MenuAction {
  name: string;
  run: () => void;
  kind?: "plain" | "danger";
}

interface MenuButtonProps {
  /** The subject of the menu, such as `More for Ada`. */
  label: string;
  actions: readonly MenuAction[];
  /** The label is seen. Otherwise the button has three dots. */
  isNamed?: boolean;
}

export function MenuButton({ label, actions, isNamed = false }: MenuButtonProps) {
  if (actions.length === 0) return null;
  return (
    <MenuTrigger>
      {isNamed ? (
        <AriaButton className="button" data-size="small">
          <Icon name="plus" />
          {label}
        </AriaButton>
      ) : (
        <AriaButton className="button menu-button" data-kind="quiet" data-size="small" aria-label={label}>
          <Icon name="more" />
        </AriaButton>
      )}
      <Popover className="popover" placement={isNamed ? "bottom start" : "bottom end"}>
        <Menu className="menu" aria-label={label}>
          {actions.map(({ name, run, kind = "plain" }) => (
            <MenuItem key={name} className="menu-item" data-kind={kind} onAction={run}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
