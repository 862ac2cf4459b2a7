// Chooses the content to show: a file, a text, a web page or a layout, each with a preview as far as there is one.
import "./content.css";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Segments } from "../../ui/segments.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { AssetThumbnail, summaryText } from "../library/asset-facts.tsx";
import { AssetPicker } from "../library/asset-picker.tsx";
import type { ContentKind, Draft } from "./draft.ts";
import { LayoutPicker } from "./layout-picker.tsx";
import { lookIds, looks, type LookId } from "./looks.ts";
import { TextPreview } from "./text-preview.tsx";

const text = texts("show");

export interface ContentEditorProps {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  kinds?: readonly ContentKind[];
  errors?: Readonly<Record<string, string>>;
}

const allKinds: readonly ContentKind[] = ["asset", "text", "page", "layout"];

export function ContentEditor({ draft, onChange, kinds = allKinds, errors = {} }: ContentEditorProps) {
  return (
    <div className="stack gap-4 shrink">
      <Segments
        label={text("content")}
        options={kinds.map((id) => ({ id, name: text(id) }))}
        value={draft.kind}
        onChange={(kind) => onChange({ kind })}
      />
      {draft.kind === "asset" ? <AssetChoice draft={draft} onChange={onChange} /> : null}
      {draft.kind === "text" ? <MessageEditor draft={draft} onChange={onChange} error={errors["text"]} /> : null}
      {draft.kind === "page" ? (
        <TextField
          label={text("address")}
          type="url"
          placeholder="https://"
          value={draft.url}
          onChange={(url) => onChange({ url })}
          error={errors["url"]}
        />
      ) : null}
      {draft.kind === "layout" ? <LayoutPicker value={draft.layoutId} onChange={(layoutId) => onChange({ layoutId })} /> : null}
    </div>
  );
}

function AssetChoice({ draft: { asset }, onChange }: Pick<ContentEditorProps, "draft" | "onChange">) {
  if (asset === null) return <AssetPicker kinds={["image", "video"]} onPick={(asset) => onChange({ asset })} />;
  return (
    <section className="chosen-file cluster gap-3 pad-3 outlined rounded" aria-label={text("chosenFile")}>
      <AssetThumbnail asset={asset} />
      <div className="chosen-facts">
        <strong>{asset.name}</strong>
        <span className="faint">{summaryText(asset)}</span>
      </div>
      <Button size="small" onPress={() => onChange({ asset: null })}>
        {text("chooseAnother")}
      </Button>
    </section>
  );
}

export function MessageEditor({ draft, onChange, error }: Pick<ContentEditorProps, "draft" | "onChange"> & { error?: string | undefined }) {
  return (
    <div className="message-editor grid top gap-5">
      <div className="stack gap-4 shrink">
        <TextField
          label={text("message")}
          description={text("messageHint")}
          isMultiline
          maxLength={5_000}
          value={draft.text}
          onChange={(input) => onChange({ text: input })}
          error={error}
        />
        <RadioGroup className="field" value={draft.look} onChange={(look) => onChange({ look: look as LookId })} orientation="horizontal">
          <Label className="label">{text("look")}</Label>
          <div className="looks wrap gap-2">
            {lookIds.map((look) => (
              <Radio
                key={look}
                value={look}
                className="look center outlined pointer"
                aria-label={text(look)}
                style={{ backgroundColor: looks[look].background, color: looks[look].color }}
              >
                {text("letters")}
              </Radio>
            ))}
          </div>
        </RadioGroup>
      </div>
      <TextPreview text={draft.text} look={draft.look} />
    </div>
  );
}
