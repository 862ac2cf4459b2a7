// The files as a grid of pictures or as a list. Arrow keys move, Space selects, Enter opens the details.
import { GridList, GridListItem, type Selection } from "react-aria-components";
import type { Asset } from "../../data/assets.ts";
import { useMay } from "../../data/session.ts";
import { requestShow } from "../../data/show-request.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Icon } from "../../ui/icon.tsx";
import { AssetThumbnail, summaryText } from "./asset-facts.tsx";
import type { LibraryView } from "./library-bar.tsx";

const text = texts("library");

interface AssetGridProps {
  assets: readonly Asset[];
  view: LibraryView;
  selection: Selection;
  onChoose: (chosen: Selection) => void;
  onOpen: (id: string) => void;
}

export function AssetGrid({ assets, view, selection, onChoose, onOpen }: AssetGridProps) {
  const mayShow = useMay("schedules:write");
  return (
    <GridList
      className="asset-list"
      data-view={view}
      aria-label={text("files")}
      layout={view === "grid" ? "grid" : "stack"}
      items={assets}
      selectionMode="multiple"
      selectedKeys={selection}
      onSelectionChange={onChoose}
      onAction={(key) => onOpen(String(key))}
    >
      {(asset) => (
        <GridListItem id={asset.id} textValue={asset.name} className="asset-card stack shrink relative rounded-l pointer">
          <Checkbox slot="selection" />
          <AssetThumbnail asset={asset} />
          <span className="asset-name truncate strong">{asset.name}</span>
          <span className="asset-summary truncate small faint" data-status={asset.status}>
            {summaryText(asset)}
          </span>
          <span className="asset-age small faint">
            <Age time={asset.deleted_at ?? asset.created_at} />
          </span>
          {mayShow && isShowable(asset) ? (
            <span className="asset-show">
              <Button size="small" aria-label={text("showName", { name: asset.name })} onPress={() => requestShow({ asset })}>
                <Icon name="play" />
                {text("showShort")}
              </Button>
            </span>
          ) : null}
        </GridListItem>
      )}
    </GridList>
  );
}

/** True if a screen can show it: it is not in the bin, and it has arrived. */
function isShowable({ kind, status, deleted_at }: Asset): boolean {
  return kind !== null && (status === "ready" || status === "processing") && deleted_at === null;
}
