// The items of a playlist while a person changes them: shown at once, saved one change after another, kept if saving fails.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { queryClient } from "../../data/query-client.ts";
import { isConflict, playlistQuery, saveItems, type NewItem, type VersionedPlaylist } from "./playlists.ts";

/** `saved`: as on the service. `saving`. `conflict`: somebody else's change is there. `failed`: for another reason. */
export type SaveState = "saved" | "saving" | "conflict" | "failed";

export interface ItemsEditor {
  stored: VersionedPlaylist | undefined;
  items: readonly NewItem[];
  state: SaveState;
  /** Why the playlist cannot be read, or not be saved. */
  error: unknown;
  /** Shows and saves other items. */
  change: (items: readonly NewItem[]) => void;
  /** After a conflict or a failure: saves what is shown in place of what is stored. */
  keepMine: () => void;
  /** After a conflict: shows what is stored. */
  takeTheirs: () => void;
}

export function useItems(id: string): ItemsEditor {
  const query = useQuery(playlistQuery(id));
  const [local, setLocal] = useState<readonly NewItem[] | null>(null);
  const [state, setState] = useState<SaveState>("saved");
  const [saveError, setSaveError] = useState<unknown>(null);
  // What is to be saved; null: nothing. One save runs at a time, and saves the newest.
  const wanted = useRef<readonly NewItem[] | null>(null);
  const isSaving = useRef(false);
  useEffect(() => {
    if (state === "saved") return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [state]);

  const save = async (): Promise<void> => {
    if (isSaving.current) return;
    isSaving.current = true;
    setState("saving");
    setSaveError(null);
    const { queryKey } = playlistQuery(id);
    try {
      while (wanted.current !== null) {
        const items = wanted.current;
        const { etag } = queryClient.getQueryData(queryKey)!;
        const stored = await saveItems(id, items, etag);
        // An answer that is on its way may be older.
        await queryClient.cancelQueries({ queryKey });
        queryClient.setQueryData(queryKey, stored);
        if (wanted.current === items) wanted.current = null;
      }
      setLocal(null);
      setState("saved");
    } catch (error) {
      setSaveError(error);
      setState(isConflict(error) ? "conflict" : "failed");
    } finally {
      isSaving.current = false;
    }
  };
  const readAgain = () => queryClient.fetchQuery({ ...playlistQuery(id), staleTime: 0 });
  const stored = query.data;
  return {
    stored,
    items: local ?? stored?.playlist.items ?? [],
    state,
    error: query.error ?? (state === "failed" ? saveError : null),
    change: (items) => {
      wanted.current = items;
      setLocal(items);
      if (state !== "conflict") void save();
    },
    keepMine: () => void readAgain().then(save, setSaveError),
    takeTheirs: () => {
      wanted.current = null;
      void readAgain().then(() => {
        setLocal(null);
        setState("saved");
      }, setSaveError);
    },
  };
}
