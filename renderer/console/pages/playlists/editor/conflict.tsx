// Two people changed the playlist at once in a way that cannot be merged by itself: names the items, and asks which version to keep.
import { useLastChange } from "../../../data/last-change.ts";
import type { MessageKey } from "../../../i18n/catalogue.ts";
import { texts } from "../../../i18n/texts.ts";
import type { AssetsById } from "../../../data/assets-by-id.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { nameOf } from "../../../items/item-words.ts";
import type { PlaylistEditor } from "../model/editor.ts";
import type { Conflict } from "../model/merge.ts";

const text = texts("playlists", "playlistEditor");
const mostNamed = 3;

export function ConflictPanel({ id, editor, assets }: { id: string; editor: PlaylistEditor; assets: AssetsById }) {
  const { state, conflicts, theirs } = editor.view;
  const last = useLastChange(id, theirs ?? "");
  if (state !== "conflict") return null;
  return (
    <div className="conflict cluster gap-3 pad-4 rounded warn-ground" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{text("conflictTitle", { name: last?.name ?? "unknown" })}</strong>
        <ul className="break-words above-1">
          {conflicts.slice(0, mostNamed).map((conflict) => (
            <li key={conflict.key}>{wordsOf(conflict, assets)}</li>
          ))}
          {conflicts.length > mostNamed ? <li>{text("conflictMore", { count: conflicts.length - mostNamed })}</li> : null}
        </ul>
      </div>
      <div className="wrap top gap-2">
        <Button onPress={editor.takeTheirs}>{text("takeTheirs")}</Button>
        <Button onPress={editor.keepMine}>{text("keepMine")}</Button>
        <Button kind="primary" onPress={editor.keepBoth}>
          {text("keepBoth")}
        </Button>
      </div>
    </div>
  );
}

function wordsOf({ item, is, fields }: Conflict, assets: AssetsById): string {
  const name = nameOf(item, "asset_id" in item ? assets.get(item.asset_id) : undefined);
  if (is === "they-removed") return text("conflictTheyRemoved", { name });
  if (is === "i-removed") return text("conflictIRemoved", { name });
  const fieldNames = fields.map((field) => `“${text(field as MessageKey<"playlistEditor">)}”`);
  return text("conflictFields", { name, fields: fieldNames.join(", ") });
}
