// A playlist: the order of its items, how long each plays, adding and removing. Every change is saved at once.
import { Link, useParams } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useMay } from "../../data/session.ts";
import { usePageDrop } from "../../data/drops.ts";
import { playlists } from "../../i18n/en/playlists.ts";
import { common } from "../../i18n/en/common.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { AddItems, itemOfAsset } from "./add-items.tsx";
import { ItemList } from "./item-list.tsx";
import { hasSecrets, keyOf } from "./item-words.ts";
import type { NewItem } from "./playlists.ts";
import { useItems, type ItemsEditor } from "./use-items.ts";
import "../show/show.css";
import "./playlists.css";

const text = texts(playlists);
const shared = texts(common);

export function PlaylistPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const mayWrite = useMay("playlists:write");
  const editor = useItems(id);
  const { stored, items, change, error } = editor;
  // Undoing and late uploads add to what is shown then, not to what was shown when they began.
  const latest = useRef(editor);
  latest.current = editor;
  const add = (added: readonly NewItem[]): void => latest.current.change([...latest.current.items, ...added]);
  const isReadOnly = !mayWrite || stored === undefined;
  usePageDrop(isReadOnly ? null : { text: text("addFile"), take: (assets) => add(assets.flatMap((asset) => itemOfAsset(asset) ?? [])) });
  const [asked, setAsked] = useState<{ item: NewItem; name: string } | null>(null);
  const remove = (item: NewItem, name: string): void => {
    if (hasSecrets(item)) setAsked({ item, name });
    else removeWithUndo(item, name);
  };
  const removeWithUndo = (item: NewItem, name: string): void => {
    const place = items.findIndex((each) => keyOf(each) === keyOf(item));
    change(items.toSpliced(place, 1));
    const undo = (): void => latest.current.change(latest.current.items.toSpliced(place, 0, item));
    showToast({ message: text("removed", { name }), undo });
  };
  return (
    <Page
      title={stored?.playlist.name ?? text(error === null ? "loading" : "title")}
      actions={isReadOnly ? null : <AddItems onAdd={add} />}
    >
      <div className="playlist-bar">
        <Link to="/playlists" className="playlist-back">
          {text("back")}
        </Link>
        <SaveStatus editor={editor} />
      </div>
      <Conflict editor={editor} />
      <ProblemMessage error={error} />
      {editor.state === "failed" ? (
        <div className="form-end">
          <Button onPress={editor.keepMine}>{shared("retry")}</Button>
        </div>
      ) : null}
      {stored !== undefined && items.length === 0 ? (
        <EmptyState icon="playlist" title={text("itemsEmptyTitle")} text={text("itemsEmptyText")} />
      ) : null}
      <ConfirmDialog
        title={text("removeTitle", { name: asked?.name ?? "" })}
        action={text("removeDo")}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        run={async () => change(items.filter((item) => keyOf(item) !== keyOf(asked!.item)))}
      >
        <p>{text("removeText")}</p>
      </ConfirmDialog>
      {items.length === 0 ? null : <ItemList items={items} isReadOnly={isReadOnly} onChange={change} onRemove={remove} />}
    </Page>
  );
}

const saveWords = { saved: "saved", saving: "saving", conflict: "notSaved", failed: "notSaved" } as const;

function SaveStatus({ editor: { state, stored, items } }: { editor: ItemsEditor }) {
  return (
    <p role="status" className="faint save-status">
      {stored === undefined ? null : `${text("items", { count: items.length })} · ${text(saveWords[state])}`}
    </p>
  );
}

function Conflict({ editor: { state, keepMine, takeTheirs } }: { editor: ItemsEditor }) {
  if (state !== "conflict") return null;
  return (
    <div className="conflict" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{text("conflictTitle")}</strong>
        <p>{text("conflictText")}</p>
      </div>
      <div className="running-actions">
        <Button onPress={takeTheirs}>{text("takeTheirs")}</Button>
        <Button kind="primary" onPress={keepMine}>
          {text("keepMine")}
        </Button>
      </div>
    </div>
  );
}
