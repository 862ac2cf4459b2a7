// The actions on the chosen items together.
import { memo } from "react";
import { texts } from "../../../../i18n/texts.ts";
import { Button } from "../../../../ui/button.tsx";
import { MenuButton } from "../../../../ui/menu-button.tsx";
import { Icon } from "../../../../ui/icon.tsx";

const text = texts("playlistEditor");

/** Always the same functions. */
interface SelectionActs {
  duplicate: () => void;
  /** Only for two items. */
  swapSelected: () => void;
  send: (end: "start" | "end") => void;
  removeSelected: () => void;
  clear: () => void;
  openSelected: () => void;
}

interface SelectionActionsProps {
  count: number;
  acts: SelectionActs;
  /** The settings are not beside the list. */
  hasSettingsButton: boolean;
}

export const SelectionActions = memo(function SelectionActions({ count, acts, hasSettingsButton }: SelectionActionsProps) {
  const more = [
    { name: text("toStart"), run: () => acts.send("start") },
    { name: text("toEnd"), run: () => acts.send("end") },
    { name: text("clearSelection"), run: acts.clear },
  ];
  return (
    <div className="selection-actions cluster gap-2">
      {hasSettingsButton ? (
        <Button size="small" onPress={acts.openSelected}>
          <Icon name="settings" />
          {text("edit")}
        </Button>
      ) : null}
      <Button size="small" onPress={acts.duplicate}>
        <Icon name="copy" />
        {text("duplicate")}
      </Button>
      {count === 2 ? (
        <Button size="small" onPress={acts.swapSelected}>
          <Icon name="swap" />
          {text("swapHereShort")}
        </Button>
      ) : null}
      <Button size="small" aria-label={text("removeMany")} onPress={acts.removeSelected}>
        <Icon name="trash" />
      </Button>
      <MenuButton label={text("selected", { count })} actions={more} />
    </div>
  );
});
