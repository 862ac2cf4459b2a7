// The editor of a playlist: the list, the settings of the chosen items, the length of a round, and whether it is saved.
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useAssetsById } from "../../../data/assets-by-id.ts";
import { usePageDrop } from "../../../data/drops.ts";
import { useMay } from "../../../data/session.ts";
import { ownTimeZone } from "../../../data/zones.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { usePreviousIfEqual } from "../../../ui/stable-values.ts";
import { useNow } from "../../../ui/now.ts";
import { Page } from "../../../ui/page.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { useIsPhone, useMedia } from "../../../ui/use-media.ts";
import { nameOf } from "../../../items/item-words.ts";
import { itemOfAsset } from "../../../items/new-item.ts";
import type { PlaylistEditor } from "../model/editor.ts";
import { loopAt } from "../model/loop.ts";
import { previewedItemId } from "../model/preview-content.ts";
import type { Row } from "../model/rows.ts";
import { isSameValue } from "../model/same-value.ts";
import { AddItems } from "./add-items.tsx";
import { ConflictPanel } from "./conflict.tsx";
import { EditorActions, EditorLinks } from "./editor-head.tsx";
import { ItemList } from "./list/item-list.tsx";
import { ItemSettings } from "./item-settings.tsx";
import { PlaylistPreview } from "./playlist-preview.tsx";
import { RoundLine, type LocalTime } from "./round-line.tsx";
import { SaveStatus } from "./save-status.tsx";
import { SelectionActions } from "./list/selection-actions.tsx";
import { UndoButtons, useUndoKeys } from "./undo.tsx";
import { useCalendars } from "./use-calendars.ts";
import { useListActs } from "./list/use-list-acts.ts";
import "./editor.css";

const text = texts("playlists", "playlistEditor");
const commonText = texts("common");

interface EditorViewProps {
  id: string;
  editor: PlaylistEditor;
  name: string;
  /** Why the playlist could not be read again. */
  error: unknown;
  isReadOnly: boolean;
}

export function EditorView({ id, editor, name, error, isReadOnly }: EditorViewProps) {
  const { rows, state, faults } = editor.view;
  const assetIds = usePreviousIfEqual(
    rows.flatMap(({ item }) => ("asset_id" in item ? [item.asset_id] : [])),
    isSameValue,
  );
  const assets = useAssetsById(assetIds);
  const { acts, selectedKeys, selectedRows, swapping, announcement, removalRequest, isSettingsOpen } = useListActs(editor, assets);
  const isWide = useMedia("(min-width: 72rem)");
  const isPhone = useIsPhone();
  const [isPreviewOpen, setIsPreviewOpen] = useState(false);
  const mayPreview = useMay("assets:read");
  const [previewTime, setPreviewTime] = useState<LocalTime | null>(null);
  const now = useNow().getTime();
  const at = previewTime === null ? now : Date.parse(previewTime.instant);
  const zone = previewTime?.zone ?? ownTimeZone;
  const calendars = useCalendars();
  const loop = useMemo(
    () => loopAt(rows, (assetId) => assets.get(assetId) ?? undefined, at, zone, calendars.dates),
    [rows, assets, at, zone, calendars],
  );
  const places = useMemo(() => new Map(rows.map(({ key }, index) => [key, index])), [rows]);
  usePageDrop(
    isReadOnly ? null : { text: text("addFile"), take: (uploads) => acts.add(uploads.flatMap((asset) => itemOfAsset(asset) ?? [])) },
  );
  useUndoKeys(editor, isReadOnly);
  const nameOfRow = ({ item }: Row): string => nameOf(item, "asset_id" in item ? assets.get(item.asset_id) : undefined);
  const selection =
    selectedKeys.size === 0 || isReadOnly ? null : <SelectionActions count={selectedKeys.size} acts={acts} hasSettingsButton={!isWide} />;
  const settingsTitle =
    selectedRows.length === 1
      ? text("settingsOf", { name: nameOfRow(selectedRows[0]!) })
      : text("settingsOfMany", { count: selectedKeys.size });
  const settings = <ItemSettings key={[...selectedKeys].join()} editor={editor} selectedRows={selectedRows} isReadOnly={isReadOnly} />;
  const picture = mayPreview ? (
    <PlaylistPreview
      id={id}
      name={name}
      view={editor.view}
      chosenId={selectedRows.length === 1 ? previewedItemId(selectedRows[0]!) : null}
    />
  ) : null;
  const [firstRemoved] = removalRequest;
  return (
    <Page title={name} actions={isReadOnly ? null : <EditorActions id={id} name={name} editor={editor} onAdd={acts.add} />}>
      <div className="playlist-bar">
        <Link to="/playlists" className="inline-row medium tap">
          {text("back")}
        </Link>
        <div className="playlist-facts">
          <EditorLinks id={id} />
          <SaveStatus editor={editor} />
        </div>
      </div>
      <ProblemMessage error={error} />
      <ConflictPanel id={id} editor={editor} assets={assets} />
      {state === "failed" ? <SaveFailure editor={editor} /> : null}
      {rows.length === 0 ? (
        <EmptyState icon="playlist" title={text("itemsEmptyTitle")} text={text("itemsEmptyText")} />
      ) : (
        <div className="cluster between gap-2-4">
          <RoundLine loop={loop} count={rows.length} previewTime={previewTime} onAsk={setPreviewTime} />
          {isWide || picture === null ? null : (
            <Button size="small" onPress={() => setIsPreviewOpen(true)}>
              <Icon name="play" />
              {text("preview")}
            </Button>
          )}
          {isReadOnly ? null : <UndoButtons editor={editor} />}
        </div>
      )}
      {swapping === null ? null : (
        <div className="cluster between gap-2-4 pad-2-4 tint rounded break-words" role="status">
          <p>{text("swapTitle", { name: nameOfRow(rows[places.get(swapping)!]!) })}</p>
          <Button size="small" onPress={acts.cancelSwap}>
            {commonText("cancel")}
          </Button>
        </div>
      )}
      {rows.length === 0 ? null : (
        <div className="editor-columns grid top gap-5">
          <ItemList
            {...{ rows, places, selectedKeys, assets, faults, isReadOnly, swapping, acts }}
            absences={loop.absences}
            nameOfCalendar={calendars.nameOf}
            hasSettingsButton={!isWide}
          />
          {isWide ? (
            <aside className="card item-aside stack gap-4" aria-label={text("settings")}>
              {picture}
              {selectedKeys.size === 0 ? (
                <EmptyState icon="settings" title={text("settingsEmptyTitle")} text={text("settingsEmptyText")} />
              ) : (
                <>
                  <h2 className="truncate large">{settingsTitle}</h2>
                  {selection}
                  {settings}
                </>
              )}
            </aside>
          ) : null}
        </div>
      )}
      {isWide || (selection === null && !isPhone) || isReadOnly ? null : (
        <div className={isPhone ? "editor-foot" : "selection-float"}>
          {selection}
          {isPhone ? <AddItems onAdd={acts.add} /> : null}
        </div>
      )}
      <Dialog title={settingsTitle} isOpen={isSettingsOpen && !isWide && selectedKeys.size > 0} onClose={acts.closeSettings}>
        {settings}
      </Dialog>
      <Dialog title={text("preview")} isOpen={isPreviewOpen && !isWide} onClose={() => setIsPreviewOpen(false)}>
        {picture}
      </Dialog>
      <ConfirmDialog
        title={
          removalRequest.length === 1 && firstRemoved !== undefined
            ? text("removeTitle", { name: nameOfRow(firstRemoved) })
            : text("removeManyTitle", { count: removalRequest.length })
        }
        action={text("removeDo")}
        isOpen={removalRequest.length > 0}
        onClose={acts.cancelRemoval}
        run={async () => acts.confirmRemoval()}
      >
        <p>{text("removeText")}</p>
      </ConfirmDialog>
      <p role="status" className="visually-hidden">
        {announcement}
      </p>
    </Page>
  );
}

function SaveFailure({ editor }: { editor: PlaylistEditor }) {
  const { error } = editor.view;
  return (
    <>
      <ProblemMessage error={error} />
      <div className="form-end cluster end gap-3">
        <Button onPress={editor.retry}>{commonText("retry")}</Button>
      </div>
    </>
  );
}
