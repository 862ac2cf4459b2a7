// The items in their order: chosen one or many at once, moved by dragging, by keys or by buttons. Only rows in view are drawn.
import { memo, type KeyboardEvent } from "react";
import { GridList, GridListItem, ListLayout, useDragAndDrop, Virtualizer, type Selection } from "react-aria-components";
import { texts } from "../../../../i18n/texts.ts";
import { ItemRow } from "./item-row.tsx";
import { ListContext, type ListState, type RowActs } from "./list-context.ts";
import { useEntries, type Entry } from "./use-entries.ts";

const text = texts("playlists", "playlistEditor");

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

/** The actions on the list and on its rows. Always the same functions. */
export interface ListActs extends RowActs {
  choose: (keys: ReadonlySet<string> | "all") => void;
  /** Puts rows before or after another one. */
  moveTo: (keys: ReadonlySet<string>, target: string, side: "before" | "after") => void;
  shift: (by: -1 | 1) => void;
  duplicate: () => void;
  removeSelected: () => void;
}

export function ItemList({ acts, ...state }: ListState & { acts: ListActs }) {
  const { rows, assets, selectedKeys, isReadOnly, swapping } = state;
  const entries = useEntries(rows, assets);
  return (
    <ListContext value={{ ...state, acts }}>
      {/* The keys of the list itself are React Aria's; these are added to them. */}
      <div className="shrink" role="presentation" onKeyDownCapture={isReadOnly ? undefined : (event) => press(event, acts)}>
        <Items entries={entries} selectedKeys={selectedKeys} isReadOnly={isReadOnly} isSwapping={swapping !== null} acts={acts} />
      </div>
    </ListContext>
  );
}

interface ItemsProps {
  entries: readonly Entry[];
  selectedKeys: ReadonlySet<string>;
  isReadOnly: boolean;
  isSwapping: boolean;
  acts: ListActs;
}

/** Knows the keys and the names of all rows. The rest of a row changes without it. */
const Items = memo(function Items({ entries, selectedKeys, isReadOnly, isSwapping, acts }: ItemsProps) {
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: isReadOnly,
    getItems: (keys) => [...keys].map((key) => ({ "text/plain": String(key) })),
    getDropOperation: () => "move",
    onReorder: ({ keys, target: { key, dropPosition } }) => {
      if (dropPosition !== "on") acts.moveTo(new Set([...keys].map(String)), String(key), dropPosition);
    },
  });
  const choose = (selection: Selection): void => acts.choose(selection === "all" ? selection : new Set([...selection].map(String)));
  const list = (
    <GridList
      className="item-list"
      aria-label={text("order")}
      aria-description={isReadOnly ? undefined : text("keysHint")}
      items={entries}
      selectionMode={isSwapping ? "none" : "multiple"}
      selectionBehavior="replace"
      selectedKeys={selectedKeys}
      onSelectionChange={choose}
      dragAndDropHooks={dragAndDropHooks}
      keyboardNavigationBehavior="tab"
    >
      {({ key, name }) => (
        <GridListItem id={key} textValue={name} className="item-row row gap-3 pad-2-3 outlined surface rounded">
          <ItemRow id={key} />
        </GridListItem>
      )}
    </GridList>
  );
  if (entries.length <= mostDrawn) return list;
  return (
    <Virtualizer layout={PageListLayout} layoutOptions={rowLayout} shouldObserveItemSize>
      {list}
    </Virtualizer>
  );
});

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
            ? acts.removeSelected
            : null;
  if (act === null) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
