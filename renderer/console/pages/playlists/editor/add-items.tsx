// Adds items of every kind to a playlist: files of the library, texts, pages, and kinds that need an address or a word.
import { memo, useId, useState, type FormEvent } from "react";
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { addressOf } from "../../../data/website-address.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useIsPhone } from "../../../ui/use-media.ts";
import { AssetPicker } from "../../library/asset-picker.tsx";
import { ContentEditor } from "../../show/content-editor.tsx";
import { emptyDraft, type Draft } from "../../show/draft.ts";
import { looks } from "../../show/looks.ts";
import { faultsOf, withDefaults } from "../model/defaults.ts";
import { itemOfAsset, newItem } from "../../../items/new-item.ts";
import { fieldsOf, kindOf, typedKinds } from "../../../items/item-kinds.ts";
import type { Item, Kind } from "../../../items/item.ts";

const text = texts("playlistEditor", "playlists");
/** Those with buttons of their own, but on a phone. */
const frequent: readonly Kind[] = ["text", "web"];
const others = typedKinds.filter((kind) => !frequent.includes(kind));

interface AddItemsProps {
  onAdd: (items: readonly Item[]) => void;
}

export const AddItems = memo(function AddItems({ onAdd }: AddItemsProps) {
  const isPhone = useIsPhone();
  const [open, setOpen] = useState<"file" | Kind | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <Button kind="primary" onPress={() => setOpen("file")}>
        <Icon name="plus" />
        {text("addFile")}
      </Button>
      {isPhone ? null : (
        <>
          <Button onPress={() => setOpen("text")}>{text("addText")}</Button>
          <Button onPress={() => setOpen("web")}>{text("addPage")}</Button>
        </>
      )}
      <MenuTrigger>
        <AriaButton className="button">
          {text("add")}
          <Icon name="chevronDown" />
        </AriaButton>
        <Popover className="popover" placement="bottom end">
          <Menu className="menu" aria-label={text("add")} onAction={(kind) => setOpen(kind as Kind)}>
            {(isPhone ? typedKinds : others).map((kind) => (
              <MenuItem key={kind} id={kind} className="menu-item" textValue={text(kindOf(kind).name)}>
                <Icon name={kindOf(kind).icon} />
                {text(kindOf(kind).name)}
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      </MenuTrigger>
      <Dialog title={text("addFile")} isOpen={open === "file"} onClose={close} size="large">
        <AssetPicker
          onPick={(asset) => {
            const item = itemOfAsset(asset);
            if (item !== null) onAdd([item]);
            close();
          }}
        />
      </Dialog>
      {open === "text" || open === "web" ? <WordsDialog kind={open} onAdd={onAdd} onClose={close} /> : null}
      {open === null || open === "file" || frequent.includes(open) ? null : <KindDialog kind={open} onAdd={onAdd} onClose={close} />}
    </>
  );
});

interface DialogProps extends AddItemsProps {
  onClose: () => void;
}

function WordsDialog({ kind, onAdd, onClose }: DialogProps & { kind: "text" | "web" }) {
  const content = kind === "text" ? ("text" as const) : ("page" as const);
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, kind: content });
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
      <ContentEditor draft={draft} onChange={(changes) => setDraft({ ...draft, ...changes })} kinds={[content]} />
    </Dialog>
  );
}

function itemOf({ kind, text: words, look, url }: Draft): Item | null {
  if (kind === "text") {
    const { color, background } = looks[look];
    return words.trim() === "" ? null : ({ ...newItem("text", words), color, background_color: background } as Item);
  }
  return url.trim() === "" || !URL.canParse(addressOf(url)) ? null : newItem("web", url);
}

/** Asks for the one thing that an item of this kind needs. The rest is in its settings. */
function KindDialog({ kind, onAdd, onClose }: DialogProps & { kind: Kind }) {
  const id = useId();
  const [input, setInput] = useState("");
  const [error, setError] = useState<string | undefined>();
  const { name, start } = kindOf(kind);
  const { field } = start!;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const item = newItem(kind, input);
    const fault = faultsOf(withDefaults(item))[0];
    setError(fault === undefined ? undefined : (fault.detail ?? text("mustBeGiven")));
    if (fault !== undefined) return;
    onAdd([item]);
    onClose();
  };
  const actions = (
    <Button kind="primary" type="submit" form={id}>
      {text("addTextDo")}
    </Button>
  );
  const names = texts("playlistEditor");
  return (
    <Dialog title={text("addKind", { kind: text(name) })} isOpen onClose={onClose} actions={actions}>
      <form id={id} className="form" onSubmit={submit} noValidate>
        <TextField
          label={names(field)}
          value={input}
          onChange={setInput}
          error={error}
          isMultiline={fieldsOf(kind).some((each) => each.name === field && "lines" in each)}
          {...(field === "url" ? { placeholder: "https://", inputMode: "url" as const } : {})}
          autoFocus
        />
      </form>
    </Dialog>
  );
}
