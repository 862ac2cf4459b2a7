// Connects the editor of a playlist with the service and the cache.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { ProblemError } from "../../../../../sdk/typescript/client.ts";
import { usePlaceKey } from "../../../data/draft.ts";
import { findLastChange } from "../../../data/last-change.ts";
import { storeEdit, unsavedEdit } from "../../../data/unsaved-edits.ts";
import { queryClient, readAgain } from "../../../data/query-client.ts";
import { readable } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { showToast } from "../../../ui/toasts.tsx";
import { PlaylistEditor, type EditorPort, type Stored } from "../model/editor.ts";
import { isConflict, playlistQuery, saveItems, type VersionedPlaylist } from "../playlists.ts";

const text = texts("playlistEditor");

/** The editor of a playlist; null until the playlist is read. */
export function useEditor(id: string): { editor: PlaylistEditor | null; name: string | undefined; error: unknown } {
  const { data, error } = useQuery(playlistQuery(id));
  // The key of an editor that was left before everything was saved: its changes are still there on return.
  const editKey = `${usePlaceKey()} ${id}`;
  const [own, setOwn] = useState<{ id: string; editor: PlaylistEditor } | null>(null);
  const editor = own?.id === id ? own.editor : null;
  if (editor === null && data !== undefined) {
    setOwn({ id, editor: (unsavedEdit(editKey) as PlaylistEditor | undefined) ?? new PlaylistEditor(storedOf(data), portOf(id)) });
  }
  useSyncExternalStore(editor?.listen ?? noListener, () => editor?.view ?? null);
  useEffect(() => {
    if (data !== undefined) editor?.receive(storedOf(data));
  }, [editor, data]);
  useEffect(() => {
    if (editor === null) return undefined;
    storeEdit(editKey, undefined);
    return () => {
      if (editor.view.state !== "saved") storeEdit(editKey, editor);
      editor.leave();
    };
  }, [editor, editKey]);
  const isSaved = editor === null || editor.view.state === "saved";
  useEffect(() => {
    if (isSaved) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isSaved]);
  return { editor, name: data?.playlist.name, error };
}

const noListener = () => () => undefined;

const storedOf = ({ etag, playlist }: VersionedPlaylist): Stored => ({ etag, items: playlist.items });

function portOf(id: string): EditorPort {
  const query = playlistQuery(id);
  return {
    save: async (items, etag) => {
      const response = await saveItems(id, items, etag);
      // An answer that is on its way may be older.
      await queryClient.cancelQueries({ queryKey: query.queryKey });
      queryClient.setQueryData(query.queryKey, response);
      return storedOf(response);
    },
    read: async () => storedOf(await readAgain(query)),
    isOutdated: isConflict,
    faultsIn: (error) =>
      error instanceof ProblemError
        ? (error.problem.errors ?? []).flatMap(({ pointer, detail }) => {
            const [, index, field = ""] = /^\/items\/([0-9]+)(?:\/([^/]*))?/.exec(pointer) ?? [];
            return index === undefined ? [] : [{ index: Number(index), field, detail: readable(detail) }];
          })
        : [],
    onMerged: (etag) =>
      void findLastChange(id, etag).then((last) => showToast({ message: text("mergedToast", { name: last?.name ?? "unknown" }) })),
  };
}
