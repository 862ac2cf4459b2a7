// The changes of the items of a playlist, in words and with their small pictures.
import { useMemo, useState } from "react";
import { useAssetsById } from "../../../data/assets-by-id.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { AssetThumbnail } from "../../library/asset-facts.tsx";
import { kindOf } from "../../../items/item-kinds.ts";
import { nameOf } from "../../../items/item-words.ts";
import type { Item } from "../../../items/item.ts";
import { itemChanges, rowsOf, type ItemRow, type Playlist } from "../model/playlist-changes.ts";
import { fieldText } from "./field-words.ts";
import type { NameOf } from "./names.ts";

const text = texts("changes");
/** A playlist may have thousands of items. */
const shownAtFirst = 30;
const signs = { added: "plus", removed: "close", moved: "swap", changed: "edit" } as const;

interface PlaylistViewProps {
  before: Playlist | null;
  after: Playlist | null;
  nameOf: NameOf;
}

export function PlaylistView({ before, after, nameOf: nameOfCalendar }: PlaylistViewProps) {
  const rows = useMemo(() => rowsOf(itemChanges(before?.items ?? [], after?.items ?? [])), [before, after]);
  const [visibleCount, setVisibleCount] = useState(shownAtFirst);
  const visibleRows = rows.slice(0, visibleCount);
  const assetIds = useMemo(
    () => rows.slice(0, visibleCount).flatMap((row) => (row.is !== "same" && "asset_id" in row.item ? [row.item.asset_id] : [])),
    [rows, visibleCount],
  );
  const assets = useAssetsById(assetIds);
  if (rows.length === 0) return <p className="faint">{text("emptyPlaylist")}</p>;
  // Items that are the same are worth a line only between those that differ.
  if (rows.every(({ is }) => is === "same")) return null;
  return (
    <>
      <ol className="change-items stack outlined lined">
        {visibleRows.map((row) =>
          row.is === "same" ? (
            <li key={row.key} className="row gap-3 pad-2-3 pad-block-1 sunken small faint">
              {text("same", { count: row.count })}
            </li>
          ) : (
            <ItemLine key={row.key} row={row} assets={assets} nameOfCalendar={nameOfCalendar} />
          ),
        )}
      </ol>
      {rows.length > visibleCount ? (
        <Button size="small" onPress={() => setVisibleCount(visibleCount + 100)}>
          {text("moreItems", { count: rows.length - visibleCount })}
        </Button>
      ) : null}
    </>
  );
}

interface ItemLineProps {
  row: Exclude<ItemRow, { is: "same" }>;
  assets: ReturnType<typeof useAssetsById>;
  nameOfCalendar: NameOf;
}

function ItemLine({ row, assets, nameOfCalendar }: ItemLineProps) {
  const { is, item, from, to, isMoved, fields } = row;
  const asset = "asset_id" in item ? assets.get(item.asset_id) : undefined;
  const words = [
    is === "moved" || (is === "changed" && isMoved) ? text("movedTo", { from: String(from), to: String(to) }) : null,
    is === "added" ? text("placeOf", { to: String(to) }) : null,
    ...fields.map((field) => fieldText(item, field, (id) => assets.get(id), nameOfCalendar)),
  ].filter((each) => each !== null);
  return (
    <li className="change-item row gap-3 pad-2-3" data-is={is}>
      <span className="change-sign center rigid tint small accent" data-is={is}>
        <Icon name={signs[is]} />
      </span>
      <span className="change-picture center rigid crop sunken rounded-s faint">
        {asset == null ? <Icon name={kindOf(item.type).icon} /> : <AssetThumbnail asset={asset} />}
      </span>
      <span className="change-facts stack shrink break-words">
        <span className="change-name">
          <bdi className="medium">{nameOf(item as Item, asset)}</bdi>{" "}
          {is === "moved" ? null : <span className="small faint">{text(is)}</span>}
        </span>
        {words.map((each) => (
          <span key={each} className="small faint">
            {each}
          </span>
        ))}
      </span>
    </li>
  );
}
