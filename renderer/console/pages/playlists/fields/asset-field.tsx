// The file of an item: which one, and another one from the library.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { assetQuery, type AssetKind } from "../../../data/assets.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { AssetThumbnail, summaryText } from "../../library/asset-facts.tsx";
import { AssetPicker } from "../../library/asset-picker.tsx";
import type { FieldProps } from "./field-props.ts";

const text = texts("playlistEditor");

interface AssetFieldProps extends FieldProps {
  kinds: readonly AssetKind[];
  isOptional: boolean;
}

export function AssetField({ label, value, error, isDisabled, onChange, kinds, isOptional }: AssetFieldProps) {
  const id = typeof value === "string" ? value : "";
  const { data: asset, isError } = useQuery({ ...assetQuery(id), enabled: id !== "" });
  const [isChoosing, setIsChoosing] = useState(false);
  const words = asset?.name ?? text(id === "" ? "noFile" : isError ? "fileGone" : "chooseOther");
  return (
    <div className="field" role="group" aria-label={label}>
      <span className="label">{label}</span>
      <div className="row gap-3 shrink">
        <span className="item-picture">{asset === undefined ? <Icon name="document" /> : <AssetThumbnail asset={asset} />}</span>
        <span className="item-facts">
          <span className="item-name truncate strong">{words}</span>
          {asset === undefined ? null : <span className="faint small">{summaryText(asset)}</span>}
        </span>
      </div>
      {error === undefined ? null : <span className="field-error">{error}</span>}
      {isDisabled ? null : (
        <div className="cluster gap-2">
          <Button size="small" onPress={() => setIsChoosing(true)}>
            {text(id === "" ? "choose" : "chooseOther")}
          </Button>
          {isOptional && id !== "" ? (
            <Button size="small" kind="quiet" onPress={() => onChange(undefined)}>
              {text("takeAway")}
            </Button>
          ) : null}
        </div>
      )}
      <Dialog title={label} isOpen={isChoosing} onClose={() => setIsChoosing(false)} size="large">
        <AssetPicker
          kinds={kinds}
          onPick={(selectedAsset) => {
            onChange(selectedAsset.id);
            setIsChoosing(false);
          }}
        />
      </Dialog>
    </div>
  );
}
