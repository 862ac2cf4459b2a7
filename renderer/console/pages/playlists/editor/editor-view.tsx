// The editor of a playlist: the list, the settings of what is chosen, the length of a round, and whether it is saved.
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { useAssetsById } from "../../../data/assets-by-id.ts";
import { usePageDrop } from "../../../data/drops.ts";
import { useMay } from "../../../data/session.ts";
import { ownTimeZone } from "../../../data/zones.ts";
import { common } from "../../../i18n/en/common.ts";
import { playlistEditor } from "../../../i18n/en/playlist-editor.ts";
import { playlists } from "../../../i18n/en/playlists.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useNow } from "../../../ui/now.ts";
import { Page } from "../../../ui/page.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { ShownOn } from "../../uses/shown-on.tsx";
import { enterDraft } from "../../../data/draft.ts";
import { VersionsLink } from "../../drafts/editor-links.tsx";
import { SaveToDraft } from "../../drafts/save-to-draft.tsx";
import { nameOf } from "../item-words.ts";
import { itemOfAsset } from "../model/drafts.ts";
import type { PlaylistEditor } from "../model/editor.ts";
import { loopAt } from "../model/loop.ts";
import type { Row } from "../model/rows.ts";
import { AddItems } from "./add-items.tsx";
import { ConflictPanel } from "./conflict.tsx";
import { ItemList } from "./item-list.tsx";
import { ItemSettings } from "./item-settings.tsx";
import { PlaylistPreview } from "./playlist-preview.tsx";
import { PlaylistMenu } from "./playlist-menu.tsx";
import { RoundLine, type AskedTime } from "./round-line.tsx";
import { SaveStatus } from "./save-status.tsx";
import { SelectionActions } from "./selection-actions.tsx";
import { useCalendars } from "./use-calendars.ts";
import { useIsWide } from "./use-is-wide.ts";
import { useListActs } from "./use-list-acts.ts";
import "../../show/show.css";
import "./editor.css";

const text = texts({ ...playlists, ...playlistEditor });
const shared = texts(common);

interface EditorViewProps {
  id: string;
  editor: PlaylistEditor;
  name: string;
  /** Why the playlist could not be read again. */
  error: unknown;
  isReadOnly: boolean;
}

export function EditorView({ id, editor, name, error, isReadOnly }: EditorViewProps) {
  const { rows, state, faults, canUndo, canRedo } = editor.view;
  const assetIds = useMemo(() => rows.flatMap(({ item }) => ("asset_id" in item ? [item.asset_id] : [])), [rows]);
  const assets = useAssetsById(assetIds);
  const acts = useListActs(editor, assets);
  const isWide = useIsWide();
  const [isOpen, setIsOpen] = useState(false);
  const [isPreviewOpen, setIsPreviewOpen] = useState(false);
  const mayPreview = useMay("assets:read");
  const [asked, setAsked] = useState<AskedTime | null>(null);
  const now = useNow().getTime();
  const at = asked === null ? now : Date.parse(asked.instant);
  const zone = asked?.zone ?? ownTimeZone;
  const calendars = useCalendars();
  const loop = useMemo(
    () => loopAt(rows, (id) => assets.get(id) ?? undefined, at, zone, calendars.dates),
    [rows, assets, at, zone, calendars],
  );
  const places = useMemo(() => new Map(rows.map(({ key }, index) => [key, index])), [rows]);
  // Late uploads add to what is shown then, not to what was shown when they began.
  const latest = useRef(acts);
  latest.current = acts;
  usePageDrop(
    isReadOnly
      ? null
      : { text: text("addFile"), take: (uploaded) => latest.current.add(uploaded.flatMap((asset) => itemOfAsset(asset) ?? [])) },
  );
  useUndoKeys(editor, isReadOnly);
  const { chosen, chosenRows } = acts;
  const nameOfRow = ({ item }: Row): string => nameOf(item, "asset_id" in item ? assets.get(item.asset_id) : undefined);
  const openSettings = (row?: Row): void => {
    if (row !== undefined) acts.setChosen(new Set([row.key]));
    setIsOpen(true);
  };
  const selection =
    chosen.size === 0 || isReadOnly ? null : (
      <SelectionActions
        count={chosen.size}
        onDuplicate={acts.duplicate}
        onSwap={acts.swapChosen}
        onSend={acts.send}
        onRemove={() => acts.remove(chosenRows)}
        onClear={() => acts.setChosen(new Set())}
        onSettings={isWide ? null : () => openSettings()}
      />
    );
  const settingsTitle =
    chosenRows.length === 1 ? text("settingsOf", { name: nameOfRow(chosenRows[0]!) }) : text("settingsOfMany", { count: chosen.size });
  const settings = <ItemSettings key={[...chosen].join()} editor={editor} chosen={chosenRows} isReadOnly={isReadOnly} />;
  const [firstAsked] = acts.asked;
  const picture = mayPreview ? (
    <PlaylistPreview id={id} name={name} view={editor.view} chosen={chosenRows.length === 1 ? chosenRows[0]! : null} />
  ) : null;
  return (
    <Page
      title={name}
      actions={
        isReadOnly ? null : (
          <>
            <SaveToDraft name={name} isSaving={false} run={enterDraft} />
            <AddItems onAdd={acts.add} />
            <PlaylistMenu id={id} name={name} editor={editor} />
          </>
        )
      }
    >
      <div className="playlist-bar">
        <Link to="/playlists" className="playlist-back">
          {text("back")}
        </Link>
        <div className="playlist-facts">
          <ShownOn kind="playlists" id={id} />
          <VersionsLink id={id} />
          <SaveStatus editor={editor} />
        </div>
      </div>
      <ProblemMessage error={error} />
      <ConflictPanel id={id} editor={editor} assets={assets} />
      {state === "failed" ? <SaveFailure editor={editor} /> : null}
      {rows.length === 0 ? (
        <EmptyState icon="playlist" title={text("itemsEmptyTitle")} text={text("itemsEmptyText")} />
      ) : (
        <div className="round-bar">
          <RoundLine loop={loop} count={rows.length} asked={asked} onAsk={setAsked} />
          {isWide || picture === null ? null : (
            <Button size="small" onPress={() => setIsPreviewOpen(true)}>
              <Icon name="play" />
              {text("preview")}
            </Button>
          )}
          {isReadOnly ? null : (
            <div className="undo-buttons">
              <Button kind="quiet" size="small" isDisabled={!canUndo} aria-label={text("takeBack")} onPress={editor.undo}>
                <Icon name="undo" />
              </Button>
              <Button kind="quiet" size="small" isDisabled={!canRedo} aria-label={text("bringBack")} onPress={editor.redo}>
                <Icon name="redo" />
              </Button>
            </div>
          )}
        </div>
      )}
      {acts.swapping === null ? null : (
        <div className="swap-bar" role="status">
          <p>{text("swapTitle", { name: nameOfRow(rows[places.get(acts.swapping)!]!) })}</p>
          <Button size="small" onPress={acts.cancelSwap}>
            {shared("cancel")}
          </Button>
        </div>
      )}
      {rows.length === 0 ? null : (
        <div className="editor-columns">
          <ItemList
            rows={rows}
            chosen={chosen}
            onChoose={acts.setChosen}
            onOrder={(next) => editor.change(next)}
            acts={{ shift: acts.shift, duplicate: acts.duplicate, remove: () => acts.remove(chosenRows) }}
            places={places}
            assets={assets}
            absences={loop.absences}
            nameOfCalendar={calendars.nameOf}
            faults={faults}
            isReadOnly={isReadOnly}
            swapping={acts.swapping}
            hasSettingsButton={!isWide}
            onToggle={acts.toggle}
            onMove={acts.move}
            onSwap={acts.pressSwap}
            onDuration={acts.setDuration}
            onRemove={(row) => acts.remove([row])}
            onSettings={openSettings}
          />
          {isWide ? (
            <aside className="card item-aside" aria-label={text("settings")}>
              {picture}
              {chosen.size === 0 ? (
                <EmptyState icon="settings" title={text("settingsEmptyTitle")} text={text("settingsEmptyText")} />
              ) : (
                <>
                  <h2 className="item-aside-title">{settingsTitle}</h2>
                  {selection}
                  {settings}
                </>
              )}
            </aside>
          ) : null}
        </div>
      )}
      {isWide || selection === null ? null : <div className="selection-float">{selection}</div>}
      <Dialog title={settingsTitle} isOpen={isOpen && !isWide && chosen.size > 0} onClose={() => setIsOpen(false)}>
        {settings}
      </Dialog>
      <Dialog title={text("preview")} isOpen={isPreviewOpen && !isWide} onClose={() => setIsPreviewOpen(false)}>
        {picture}
      </Dialog>
      <ConfirmDialog
        title={
          acts.asked.length === 1 && firstAsked !== undefined
            ? text("removeTitle", { name: nameOfRow(firstAsked) })
            : text("removeManyTitle", { count: acts.asked.length })
        }
        action={text("removeDo")}
        isOpen={acts.asked.length > 0}
        onClose={acts.clearAsked}
        run={async () => acts.removeNow(acts.asked)}
      >
        <p>{text("removeText")}</p>
      </ConfirmDialog>
      <p role="status" className="visually-hidden">
        {acts.said}
      </p>
    </Page>
  );
}

function SaveFailure({ editor }: { editor: PlaylistEditor }) {
  const { error } = editor.view;
  return (
    <>
      <ProblemMessage error={error} />
      <div className="form-end">
        <Button onPress={editor.retry}>{shared("retry")}</Button>
      </div>
    </>
  );
}

/** Ctrl+Z and Ctrl+Y anywhere on the page but in a field, which undoes its own letters. */
function useUndoKeys(editor: PlaylistEditor, isReadOnly: boolean): void {
  useEffect(() => {
    if (isReadOnly) return undefined;
    const press = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]") !== null;
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping || event.defaultPrevented) return;
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) editor.redo();
      else editor.undo();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [editor, isReadOnly]);
}
