// A button that opens a menu of further actions, such as at the end of a row.
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { Icon } from "./icon.tsx";
import "./menu-button.css";

export interface MenuAction {
  name: string;
  run: () => void;
  kind?: "plain" | "danger";
}

/** @param props.label what the menu is about, such as `More for Ada` */
export function MenuButton({ label, actions }: { label: string; actions: readonly MenuAction[] }) {
  if (actions.length === 0) return null;
  return (
    <MenuTrigger>
      <AriaButton className="button menu-button" data-kind="quiet" data-size="small" aria-label={label}>
        <Icon name="more" />
      </AriaButton>
      <Popover className="popover" placement="bottom end">
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
