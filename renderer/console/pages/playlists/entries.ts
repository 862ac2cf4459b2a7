// The items as the rows of the list, each with the name of its file as far as it is known.
import { useEffect, useMemo, useRef, useState } from "react";
import { assetQuery, type Asset } from "../../data/assets.ts";
import { queryClient } from "../../data/query-client.ts";
import { keyOf, nameOf } from "./item-words.ts";
import type { NewItem } from "./playlists.ts";

export interface Entry {
  id: string;
  item: NewItem;
  index: number;
  name: string;
}

/** A row is the same object as long as nothing of it changes, so that only the others are made again. Files are read by the rows in view. */
export function useEntries(items: readonly NewItem[]): readonly Entry[] {
  const known = useKnownFiles();
  const before = useRef<ReadonlyMap<string, Entry>>(new Map());
  return useMemo(() => {
    const entries = items.map((item, index) => {
      const entry: Entry = { id: keyOf(item), item, index, name: nameOf(item, fileOf(item)) };
      const last = before.current.get(entry.id);
      return last !== undefined && last.item === item && last.index === index && last.name === entry.name ? last : entry;
    });
    before.current = new Map(entries.map((entry) => [entry.id, entry]));
    return entries;
    // What is known of the files changes the names.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [items, known]);
}

/** The file of an item if it was read; undefined: not, or it has none; null: it is gone. */
function fileOf(item: NewItem): Asset | null | undefined {
  if (!("asset_id" in item)) return undefined;
  const state = queryClient.getQueryState(assetQuery(item.asset_id).queryKey);
  return state?.status === "error" ? null : state?.data;
}

/** A number that changes when files were read, once a frame at most. */
function useKnownFiles(): number {
  const [known, setKnown] = useState(0);
  useEffect(() => {
    let frame: number | null = null;
    const stop = queryClient.getQueryCache().subscribe(({ type, query: { queryKey } }) => {
      if (type !== "updated" || queryKey[0] !== "assets" || queryKey[1] !== "one") return;
      frame ??= requestAnimationFrame(() => {
        frame = null;
        setKnown((count) => count + 1);
      });
    });
    return () => {
      stop();
      if (frame !== null) cancelAnimationFrame(frame);
    };
  }, []);
  return known;
}
