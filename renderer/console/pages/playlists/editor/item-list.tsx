// The items in their order: chosen one or many at once, moved by dragging, by keys or by buttons. Only rows in view are drawn.
import { useMemo, type KeyboardEvent } from "react";
import { GridList, GridListItem, ListLayout, useDragAndDrop, Virtualizer, type Selection } from "react-aria-components";
import { playlistEditor } from "../../../i18n/en/playlist-editor.ts";
import { playlists } from "../../../i18n/en/playlists.ts";
import { texts } from "../../../i18n/texts.ts";
import { nameOf } from "../item-words.ts";
import { placed } from "../model/edits.ts";
import type { Row } from "../model/rows.ts";
import { ItemRow } from "./item-row.tsx";
import { ListContext, type ListState } from "./list-context.ts";

const text = texts({ ...playlists, ...playlistEditor });

/** Above this, drawing all rows would take longer than a frame. */
const mostDrawn = 60;
const rowLayout = { estimatedRowSize: 64, gap: 8 };

/** The page scrolls, and with it the list, which has no frame of its own: where something is dropped is already a place within it. */
class PageListLayout extends ListLayout<unknown> {
  override getDropTargetFromPoint(...[x, y, isValid]: Parameters<ListLayout<unknown>["getDropTargetFromPoint"]>) {
    const { x: left, y: top } = this.virtualizer!.visibleRect;
    return super.getDropTargetFromPoint(x - left, y - top, isValid);
  }
}

export interface ListActs {
  shift: (by: -1 | 1) => void;
  duplicate: () => void;
  remove: () => void;
}

interface ItemListProps extends ListState {
  rows: readonly Row[];
  onChoose: (keys: ReadonlySet<string>) => void;
  onOrder: (rows: readonly Row[]) => void;
  acts: ListActs;
}

/** A row with its name, which the list needs before it draws the row. */
interface Entry {
  row: Row;
  name: string;
}

export function ItemList({ rows, onChoose, onOrder, acts, ...state }: ItemListProps) {
  const { assets, chosen, isReadOnly } = state;
  const entries = useEntries(rows, assets);
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: isReadOnly,
    getItems: (keys) => [...keys].map((key) => ({ "text/plain": String(key) })),
    getDropOperation: () => "move",
    onReorder: ({ keys, target: { key, dropPosition } }) => {
      if (dropPosition !== "on") onOrder(placed(rows, new Set([...keys].map(String)), String(key), dropPosition));
    },
  });
  const choose = (selection: Selection): void =>
    onChoose(new Set(selection === "all" ? rows.map(({ key }) => key) : [...selection].map(String)));
  const list = (
    <GridList
      className="item-list"
      aria-label={text("order")}
      aria-description={isReadOnly ? undefined : text("keysHint")}
      items={entries}
      selectionMode={state.swapping === null ? "multiple" : "none"}
      selectionBehavior="replace"
      selectedKeys={chosen}
      onSelectionChange={choose}
      dragAndDropHooks={dragAndDropHooks}
      keyboardNavigationBehavior="tab"
    >
      {({ row, name }) => (
        <GridListItem id={row.key} textValue={name} className="item-row">
          <ItemRow row={row} name={name} />
        </GridListItem>
      )}
    </GridList>
  );
  return (
    <ListContext value={state}>
      {/* The keys of the list itself are React Aria's; these are added to them. */}
      <div className="item-list-frame" role="presentation" onKeyDownCapture={isReadOnly ? undefined : (event) => press(event, acts)}>
        {rows.length > mostDrawn ? (
          <Virtualizer layout={PageListLayout} layoutOptions={rowLayout} shouldObserveItemSize>
            {list}
          </Virtualizer>
        ) : (
          list
        )}
      </div>
    </ListContext>
  );
}

/** The same object for a row as long as row and name stay, so that the list makes only what is new. */
function useEntries(rows: readonly Row[], assets: ListState["assets"]): Entry[] {
  const known = useMemo(() => new WeakMap<Row, Entry>(), []);
  return useMemo(
    () =>
      rows.map((row) => {
        const name = nameOf(row.item, "asset_id" in row.item ? assets.get(row.item.asset_id) : undefined);
        const entry = known.get(row);
        if (entry?.name === name) return entry;
        const fresh = { row, name };
        known.set(row, fresh);
        return fresh;
      }),
    [rows, assets, known],
  );
}

function press(event: KeyboardEvent, acts: ListActs): void {
  if (!(event.target instanceof Element) || event.target.closest("input, textarea") !== null) return;
  const { key, altKey, ctrlKey, metaKey } = event;
  const hasCommand = ctrlKey || metaKey;
  const act =
    altKey && key === "ArrowUp"
      ? () => acts.shift(-1)
      : altKey && key === "ArrowDown"
        ? () => acts.shift(1)
        : hasCommand && key.toLowerCase() === "d"
          ? acts.duplicate
          : (key === "Delete" || key === "Backspace") && !hasCommand && !altKey && event.target.closest("button") === null
            ? acts.remove
            : null;
  if (act === null) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
