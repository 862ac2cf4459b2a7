// What can be done with the chosen items together.
import { playlistEditor } from "../../../i18n/en/playlist-editor.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { MenuButton } from "../../../ui/menu-button.tsx";
import { Icon } from "../../../ui/icon.tsx";

const text = texts(playlistEditor);

interface SelectionActionsProps {
  count: number;
  onDuplicate: () => void;
  /** Only for two items. */
  onSwap: () => void;
  onSend: (end: "start" | "end") => void;
  onRemove: () => void;
  onClear: () => void;
  /** Null: the settings are beside the list. */
  onSettings: (() => void) | null;
}

export function SelectionActions({ count, onDuplicate, onSwap, onSend, onRemove, onClear, onSettings }: SelectionActionsProps) {
  const more = [
    { name: text("toStart"), run: () => onSend("start") },
    { name: text("toEnd"), run: () => onSend("end") },
    { name: text("clearSelection"), run: onClear },
  ];
  return (
    <div className="selection-actions">
      {onSettings === null ? null : (
        <Button size="small" onPress={onSettings}>
          <Icon name="settings" />
          {text("edit")}
        </Button>
      )}
      <Button size="small" onPress={onDuplicate}>
        <Icon name="copy" />
        {text("duplicate")}
      </Button>
      {count === 2 ? (
        <Button size="small" onPress={onSwap}>
          <Icon name="swap" />
          {text("swapHereShort")}
        </Button>
      ) : null}
      <Button size="small" aria-label={text("removeMany")} onPress={onRemove}>
        <Icon name="trash" />
      </Button>
      <MenuButton label={text("selected", { count })} actions={more} />
    </div>
  );
}
