// The files as a grid of pictures or as a list. Arrow keys move, Space selects, Enter opens the details.
import { GridList, GridListItem, type Selection } from "react-aria-components";
import type { Asset } from "../../data/assets.ts";
import { library } from "../../i18n/en/library.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { AssetThumbnail, summaryText } from "./asset-facts.tsx";
import type { LibraryView } from "./library-bar.tsx";

const text = texts(library);

interface AssetGridProps {
  assets: readonly Asset[];
  view: LibraryView;
  chosen: Selection;
  onChoose: (chosen: Selection) => void;
  onOpen: (id: string) => void;
}

export function AssetGrid({ assets, view, chosen, onChoose, onOpen }: AssetGridProps) {
  return (
    <GridList
      className="asset-list"
      data-view={view}
      aria-label={text("files")}
      layout={view === "grid" ? "grid" : "stack"}
      items={assets}
      selectionMode="multiple"
      selectedKeys={chosen}
      onSelectionChange={onChoose}
      onAction={(key) => onOpen(String(key))}
    >
      {(asset) => (
        <GridListItem id={asset.id} textValue={asset.name} className="asset-card">
          <Checkbox slot="selection" />
          <AssetThumbnail asset={asset} />
          <span className="asset-name">{asset.name}</span>
          <span className="asset-summary" data-status={asset.status}>
            {summaryText(asset)}
          </span>
          <span className="asset-age">
            <Age time={asset.deleted_at ?? asset.created_at} />
          </span>
        </GridListItem>
      )}
    </GridList>
  );
}
