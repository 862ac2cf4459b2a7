// Adds items to a playlist: files of the library, a text, a web page.
import { useState } from "react";
import { playlists } from "../../i18n/en/playlists.ts";
import { texts } from "../../i18n/texts.ts";
import type { Asset } from "../../data/assets.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { AssetPicker } from "../library/asset-picker.tsx";
import { ContentEditor } from "../show/content-editor.tsx";
import { addressOf, emptyDraft, type Draft } from "../show/draft.ts";
import { looks } from "../show/looks.ts";
import type { NewItem } from "./playlists.ts";

const text = texts(playlists);
const pageMs = 60_000;

const itemTypes = { image: "image", video: "video", audio: "audio", document: "pdf", bundle: "html" } as const;

/** The item that plays a file; null: its bytes have not arrived. */
export function itemOfAsset({ id: asset_id, kind }: Asset): NewItem | null {
  if (kind === null) return null;
  return { type: itemTypes[kind], asset_id, ...(kind === "bundle" ? { duration_ms: pageMs } : {}) } as NewItem;
}

export function AddItems({ onAdd }: { onAdd: (items: readonly NewItem[]) => void }) {
  const [open, setOpen] = useState<"file" | "text" | "page" | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <Button kind="primary" onPress={() => setOpen("file")}>
        <Icon name="plus" />
        {text("addFile")}
      </Button>
      <Button onPress={() => setOpen("text")}>{text("addText")}</Button>
      <Button onPress={() => setOpen("page")}>{text("addPage")}</Button>
      <Dialog title={text("addFile")} isOpen={open === "file"} onClose={close} size="large">
        <AssetPicker
          onPick={(asset) => {
            const item = itemOfAsset(asset);
            if (item !== null) onAdd([item]);
            close();
          }}
        />
      </Dialog>
      {open === "text" || open === "page" ? <WordsDialog kind={open} onAdd={onAdd} onClose={close} /> : null}
    </>
  );
}

function WordsDialog({ kind, onAdd, onClose }: { kind: "text" | "page"; onAdd: (items: readonly NewItem[]) => void; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, kind });
  const item = itemOf(draft);
  const add = (): void => {
    if (item === null) return;
    onAdd([item]);
    onClose();
  };
  const actions = (
    <Button kind="primary" isDisabled={item === null} onPress={add}>
      {text("addTextDo")}
    </Button>
  );
  return (
    <Dialog title={text(kind === "text" ? "addText" : "addPage")} isOpen onClose={onClose} size="large" actions={actions}>
      <ContentEditor draft={draft} onChange={(changes) => setDraft({ ...draft, ...changes })} kinds={[kind]} />
    </Dialog>
  );
}

function itemOf({ kind, text: words, look, url }: Draft): NewItem | null {
  if (kind === "text") {
    const { color, background } = looks[look];
    return words.trim() === "" ? null : ({ type: "text", text: words.trim(), color, background_color: background } as NewItem);
  }
  const address = addressOf(url);
  return url.trim() === "" || !URL.canParse(address) ? null : ({ type: "web", url: address, duration_ms: pageMs } as NewItem);
}
