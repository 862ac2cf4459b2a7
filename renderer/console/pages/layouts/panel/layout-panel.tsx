// The settings of the whole layout: its name, its size, the background behind the zones, and how it appears.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { assetQuery } from "../../../data/assets.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { Select } from "../../../ui/select.tsx";
import { AssetThumbnail } from "../../library/asset-facts.tsx";
import { AssetPicker } from "../../library/asset-picker.tsx";
import { edit, type Editor } from "../model/editor.ts";
import { mostPixels, type EditedLayout } from "../model/edited-layout.ts";
import { resizeLayout } from "../model/place.ts";
import { ColorField } from "./color-field.tsx";
import { NameField } from "./name-field.tsx";
import { TransitionFields } from "./transition-fields.tsx";

const text = texts("layouts");

interface LayoutPanelProps {
  layout: EditedLayout;
  isReadOnly: boolean;
  change: (update: (editor: Editor) => Editor) => void;
}

/** The sizes that most displays have. */
const sizes = [
  { id: "1920x1080", name: "sizeFullHd" },
  { id: "1080x1920", name: "sizeFullHdPortrait" },
  { id: "3840x2160", name: "size4k" },
  { id: "2160x3840", name: "size4kPortrait" },
  { id: "1280x720", name: "sizeHd" },
] as const;

export function LayoutPanel({ layout, isReadOnly, change }: LayoutPanelProps) {
  const act = (next: (now: EditedLayout) => EditedLayout, token?: string): void =>
    change((now) => edit(now, next(now.history.present), { act: "layout", at: Date.now(), ...(token === undefined ? {} : { token }) }));
  const set = (changes: Partial<EditedLayout>, token?: string): void => act((now) => ({ ...now, ...changes }), token);
  const own = `${layout.width}x${layout.height}`;
  const sizeChoices = sizes.map(({ id, name }) => ({ id: id as string, name: text(name) }));
  const options = sizeChoices.some(({ id }) => id === own) ? sizeChoices : [{ id: own, name: text("sizeOther") }, ...sizeChoices];
  return (
    <>
      <NameField value={layout.name} onChange={(name) => set({ name })} isDisabled={isReadOnly} />
      <Select
        label={text("sizeLabel")}
        options={options}
        selectedKey={own}
        isDisabled={isReadOnly}
        onSelectionChange={(id) => {
          const [width, height] = id.split("x").map(Number);
          act((now) => resizeLayout(now, width!, height!));
        }}
      />
      <div className="panel-numbers grid gap-3">
        {(["width", "height"] as const).map((side) => (
          <NumberField
            key={side}
            label={text(side)}
            unit={text("pixels")}
            formatOptions={{ useGrouping: false }}
            value={layout[side]}
            minValue={1}
            maxValue={mostPixels}
            isDisabled={isReadOnly}
            onChange={(value) => {
              if (!Number.isNaN(value))
                act((now) => resizeLayout(now, side === "width" ? value : now.width, side === "height" ? value : now.height));
            }}
          />
        ))}
      </div>
      <ColorField
        label={text("layoutBackground")}
        value={layout.background_color}
        isDisabled={isReadOnly}
        onChange={(background_color) => set({ background_color }, "color")}
      />
      <ImageField
        assetId={layout.background_asset_id}
        isReadOnly={isReadOnly}
        onChange={(background_asset_id) => set({ background_asset_id })}
      />
      <TransitionFields
        label={text("layoutTransition")}
        value={layout.transition}
        isDisabled={isReadOnly}
        onChange={(transition) => set({ transition })}
      />
    </>
  );
}

interface ImageFieldProps {
  assetId: string | null;
  isReadOnly: boolean;
  onChange: (assetId: string | null) => void;
}

function ImageField({ assetId, isReadOnly, onChange }: ImageFieldProps) {
  const { data: asset } = useQuery({ ...assetQuery(assetId ?? ""), enabled: assetId !== null });
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="field" role="group" aria-label={text("layoutImage")}>
      <span className="label">{text("layoutImage")}</span>
      <div className="panel-image row gap-2">
        {assetId === null || asset === undefined ? null : (
          <>
            <AssetThumbnail asset={asset} />
            <span className="truncate grow shrink">{asset.name}</span>
          </>
        )}
        {isReadOnly ? null : (
          <Button size="small" onPress={() => setIsOpen(true)}>
            {text(assetId === null ? "chooseImage" : "changeImage")}
          </Button>
        )}
        {isReadOnly || assetId === null ? null : (
          <Button kind="quiet" size="small" aria-label={text("removeImage")} onPress={() => onChange(null)}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      <Dialog title={text("chooseImage")} isOpen={isOpen} onClose={() => setIsOpen(false)} size="large">
        <AssetPicker
          kinds={["image"]}
          onPick={({ id }) => {
            onChange(id);
            setIsOpen(false);
          }}
        />
      </Dialog>
    </div>
  );
}
