// The items of a playlist in their order: moved by dragging, by the keyboard or by buttons, with their durations.
import { useState, type CSSProperties } from "react";
import {
  Button as AriaButton,
  GridList,
  GridListItem,
  Input,
  Label,
  ListLayout,
  NumberField,
  useDragAndDrop,
  Virtualizer,
  type Key,
} from "react-aria-components";
import { playlists } from "../../i18n/en/playlists.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { AssetThumbnail } from "../library/asset-facts.tsx";
import { useEntries } from "./entries.ts";
import { durationOf, isLimited, itemIcons, keyOf, nameOf, useAssetOf } from "./item-words.ts";
import type { NewItem } from "./playlists.ts";

const text = texts(playlists);
const layoutOptions = { estimatedRowHeight: 64, gap: 8 };

/** The page scrolls, and with it the list, which has no frame of its own: where something is dropped is already a place within it. */
class PageListLayout extends ListLayout<unknown> {
  override getDropTargetFromPoint(...[x, y, isValid]: Parameters<ListLayout<unknown>["getDropTargetFromPoint"]>) {
    const { x: left, y: top } = this.virtualizer!.visibleRect;
    return super.getDropTargetFromPoint(x - left, y - top, isValid);
  }
}

export interface ItemListProps {
  items: readonly NewItem[];
  isReadOnly: boolean;
  onChange: (items: readonly NewItem[]) => void;
  onRemove: (item: NewItem, name: string) => void;
}

/** The items with those of `keys` before or after another one. */
function reordered(items: readonly NewItem[], keys: ReadonlySet<Key>, target: Key, position: "before" | "after"): NewItem[] {
  const moved = items.filter((item) => keys.has(keyOf(item)));
  const rest = items.filter((item) => !keys.has(keyOf(item)));
  const place = rest.findIndex((item) => keyOf(item) === target);
  return place === -1 ? [...items] : rest.toSpliced(place + (position === "after" ? 1 : 0), 0, ...moved);
}

export function ItemList({ items, isReadOnly, onChange, onRemove }: ItemListProps) {
  const [said, setSaid] = useState("");
  const entries = useEntries(items);
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: isReadOnly,
    getItems: (keys) => [...keys].map((key) => ({ "text/plain": String(key) })),
    getDropOperation: () => "move",
    onReorder: ({ keys, target: { key, dropPosition } }) => {
      if (dropPosition !== "on") onChange(reordered(items, keys, key, dropPosition));
    },
  });
  const move = (index: number, by: -1 | 1, name: string): void => {
    const next = items.toSpliced(index, 1).toSpliced(index + by, 0, items[index]!);
    setSaid(text("moved", { name, place: index + by + 1, count: items.length }));
    onChange(next);
  };
  return (
    <>
      <Virtualizer layout={PageListLayout} layoutOptions={layoutOptions} shouldObserveItemSize>
        <GridList
          className="item-list"
          aria-label={text("order")}
          items={entries}
          dependencies={[items, isReadOnly]}
          dragAndDropHooks={dragAndDropHooks}
          keyboardNavigationBehavior="tab"
        >
          {({ id, item, index, name }) => (
            // The list makes every item, but only draws the content of those in view.
            <GridListItem id={id} textValue={name} className="item-row">
              <Row
                item={item}
                isFirst={index === 0}
                isLast={index === items.length - 1}
                isReadOnly={isReadOnly}
                onMove={(by, title) => move(index, by, title)}
                onDuration={(durationMs) => onChange(items.with(index, withDuration(item, durationMs)))}
                onRemove={(title) => onRemove(item, title)}
              />
            </GridListItem>
          )}
        </GridList>
      </Virtualizer>
      <p role="status" className="visually-hidden">
        {said}
      </p>
    </>
  );
}

/** The colours of a message, so that its row looks like it. */
function coloursOf(item: NewItem): CSSProperties {
  return item.type === "text" ? { color: item.color, backgroundColor: item.background_color } : {};
}

function withDuration(item: NewItem, durationMs: number | null): NewItem {
  const { duration_ms: _, ...others } = item;
  return (durationMs === null ? others : { ...others, duration_ms: durationMs }) as NewItem;
}

interface RowProps {
  item: NewItem;
  isFirst: boolean;
  isLast: boolean;
  isReadOnly: boolean;
  onMove: (by: -1 | 1, name: string) => void;
  onDuration: (durationMs: number | null) => void;
  onRemove: (name: string) => void;
}

function Row({ item, isFirst, isLast, isReadOnly, onMove, onDuration, onRemove }: RowProps) {
  const asset = useAssetOf(item);
  const name = nameOf(item, asset);
  return (
    <>
      {isReadOnly ? null : (
        <AriaButton slot="drag" className="item-drag" aria-label={text("drag", { name })}>
          <Icon name="grip" />
        </AriaButton>
      )}
      <span className="item-picture" style={coloursOf(item)}>
        {asset === null || asset === undefined ? <Icon name={itemIcons[item.type]} /> : <AssetThumbnail asset={asset} />}
      </span>
      <span className="item-facts">
        <span className="item-name">{name}</span>
        <span className="faint">
          {text(item.type)}
          {isLimited(item) ? ` · ${text("limited")}` : ""}
        </span>
      </span>
      <DurationField name={name} valueMs={durationOf(item, asset)} isReadOnly={isReadOnly} onChange={onDuration} />
      {isReadOnly ? null : (
        <span className="item-buttons">
          <Button kind="quiet" size="small" isDisabled={isFirst} aria-label={text("up", { name })} onPress={() => onMove(-1, name)}>
            <Icon name="arrowUp" />
          </Button>
          <Button kind="quiet" size="small" isDisabled={isLast} aria-label={text("down", { name })} onPress={() => onMove(1, name)}>
            <Icon name="arrowDown" />
          </Button>
          <Button kind="quiet" size="small" aria-label={text("remove", { name })} onPress={() => onRemove(name)}>
            <Icon name="trash" />
          </Button>
        </span>
      )}
    </>
  );
}

function DurationField({
  name,
  valueMs,
  isReadOnly,
  onChange,
}: {
  name: string;
  valueMs: number | null;
  isReadOnly: boolean;
  onChange: (durationMs: number | null) => void;
}) {
  const seconds = valueMs === null ? Number.NaN : valueMs / 1_000;
  return (
    <NumberField
      className="item-duration"
      value={seconds}
      minValue={0.1}
      maxValue={86_400}
      isReadOnly={isReadOnly}
      formatOptions={{ maximumFractionDigits: 1 }}
      onChange={(value) => {
        if (value !== seconds) onChange(Number.isNaN(value) ? null : Math.round(value * 1_000));
      }}
    >
      <Label className="visually-hidden">{text("duration", { name })}</Label>
      <Input className="input" placeholder={text("ownLength")} />
      <span aria-hidden="true" className="faint">
        {text("seconds")}
      </span>
    </NumberField>
  );
}
