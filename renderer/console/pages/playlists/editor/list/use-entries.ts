// The rows as the list knows them: by key and name. While a name is typed, the list keeps the one before.
import { useEffect, useMemo, useRef, useState } from "react";
import type { AssetsById } from "../../../../data/assets-by-id.ts";
import { nameOf } from "../../../../items/item-words.ts";
import type { Row } from "../../model/rows.ts";

export interface Entry {
  readonly key: string;
  readonly name: string;
}

/** With a new name, the list goes through all of its entries, which takes longer than a frame if they are many. */
const namesAfterMs = 300;

/** The same objects as before where key and name are the same, so that the list makes only new ones. */
export function useEntries(rows: readonly Row[], assets: AssetsById): readonly Entry[] {
  const cache = useRef<ReadonlyMap<string, Entry>>(new Map());
  const newest = useMemo(() => {
    const entries = rows.map(({ key, item }): Entry => {
      const name = nameOf(item, "asset_id" in item ? assets.get(item.asset_id) : undefined);
      const before = cache.current.get(key);
      return before?.name === name ? before : { key, name };
    });
    cache.current = new Map(entries.map((entry) => [entry.key, entry]));
    return entries;
  }, [rows, assets]);
  const [visibleEntries, setVisibleEntries] = useState<readonly Entry[]>(newest);
  const isSameOrder = visibleEntries.length === newest.length && visibleEntries.every(({ key }, index) => key === newest[index]!.key);
  const isSame = isSameOrder && visibleEntries.every((entry, index) => entry === newest[index]);
  useEffect(() => {
    if (isSame) return undefined;
    const timer = setTimeout(() => setVisibleEntries(newest), namesAfterMs);
    return () => clearTimeout(timer);
  }, [isSame, newest]);
  if (isSameOrder) return visibleEntries;
  setVisibleEntries(newest);
  return newest;
}
