// Lets a person choose one file of the library, or drop a new one: the content of a dialog.
import { useDeferredValue, useState } from "react";
import { Input, ListBox, ListBoxItem, SearchField } from "react-aria-components";
import type { Asset, AssetKind } from "../../data/assets.ts";
import { usePageDrop } from "../../data/drops.ts";
import { texts } from "../../i18n/texts.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { AssetThumbnail, summaryText } from "./asset-facts.tsx";
import { LoadMore } from "./load-more.tsx";
import { UploadButton } from "./upload-button.tsx";
import { useAssetList } from "./use-asset-list.ts";
import "./library.css";

const text = texts("library");

export interface AssetPickerProps {
  /** Called with the chosen file, and with each file that is dropped or uploaded while the picker is shown. */
  onPick: (asset: Asset) => void;
  /** Only these kinds; undefined: all. */
  kinds?: readonly AssetKind[];
  /** A file that cannot be chosen, such as the one that is to be replaced. */
  exceptId?: string;
}

export function AssetPicker({ onPick, kinds, exceptId }: AssetPickerProps) {
  const [words, setWords] = useState("");
  const q = useDeferredValue(words.trim());
  const list = useAssetList({ q: q === "" ? undefined : q, kind: kinds?.length === 1 ? kinds[0] : undefined });
  const isFit = ({ id, kind }: Asset): boolean => kind !== null && id !== exceptId && (kinds === undefined || kinds.includes(kind));
  const matches = list.assets.filter(isFit);
  const take = (assets: readonly Asset[]): void => {
    for (const asset of assets) if (isFit(asset)) onPick(asset);
  };
  usePageDrop({ text: text("pickDrop"), take });
  return (
    <div className="picker stack gap-3">
      <div className="cluster gap-2">
        <SearchField className="library-search relative" aria-label={text("search")} value={words} onChange={setWords} autoFocus>
          <Input className="input" placeholder={text("search")} />
        </SearchField>
        <UploadButton onUploaded={take} />
      </div>
      <p className="faint">{text("pickHint")}</p>
      <ProblemMessage error={list.error} />
      <ListBox
        className="asset-list picker-list"
        data-view="grid"
        aria-label={text("pickTitle")}
        layout="grid"
        items={matches}
        onAction={(key) => {
          const asset = matches.find(({ id }) => id === key);
          if (asset !== undefined) onPick(asset);
        }}
        renderEmptyState={() => (list.isLoading ? null : <p className="faint">{text(q === "" ? "emptyTitle" : "noneTitle")}</p>)}
      >
        {(asset) => (
          <ListBoxItem id={asset.id} textValue={asset.name} className="asset-card stack shrink relative rounded-l pointer">
            <AssetThumbnail asset={asset} />
            <span className="asset-name truncate strong">{asset.name}</span>
            <span className="asset-summary truncate small faint">{summaryText(asset)}</span>
          </ListBoxItem>
        )}
      </ListBox>
      <LoadMore list={list} />
    </div>
  );
}
