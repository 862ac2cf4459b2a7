// What a person does with rows of the list: each act changes the playlist, says so, and can be undone.
import { useState } from "react";
import type { AssetsById } from "../../../../data/assets-by-id.ts";
import { texts } from "../../../../i18n/texts.ts";
import { usePreviousIfEqual, useStableActs } from "../../../../ui/stable-values.ts";
import { showToast } from "../../../../ui/toasts.tsx";
import { hasSecrets, nameOf } from "../../../../items/item-words.ts";
import { added, changed, duplicated, placed, sentTo, shifted, swapped, without } from "../../model/edits.ts";
import type { PlaylistEditor } from "../../model/editor.ts";
import { merge } from "../../model/merge.ts";
import type { Item } from "../../../../items/item.ts";
import type { Row } from "../../model/rows.ts";

const text = texts("playlists", "playlistEditor");

type Keys = ReadonlySet<string>;

export function useListActs(editor: PlaylistEditor, assets: AssetsById) {
  const { rows } = editor.view;
  const [chosenKeys, setChosenKeys] = useState<Keys>(new Set());
  const [swappingKey, setSwappingKey] = useState<string | null>(null);
  /** Rows whose removal would lose a secret for good. */
  const [asked, setAsked] = useState<readonly Row[]>([]);
  const [isSettingsOpen, setIsSettingsOpen] = useState(false);
  const [said, setSaid] = useState("");
  const chosenRows = rows.filter(({ key }) => chosenKeys.has(key));
  const chosen = usePreviousIfEqual<Keys>(new Set(chosenRows.map(({ key }) => key)), isSameSet);
  const name = ({ item }: Row): string => nameOf(item, "asset_id" in item ? assets.get(item.asset_id) : undefined);
  const at = (key: string): number => rows.findIndex((row) => row.key === key);
  const swapping = swappingKey !== null && at(swappingKey) !== -1 ? swappingKey : null;

  const removeNow = (gone: readonly Row[]): void => {
    const before = editor.view.rows;
    const after = without(before, new Set(gone.map(({ key }) => key)));
    editor.change(after);
    const message = gone.length === 1 ? text("removed", { name: name(gone[0]!) }) : text("removedMany", { count: gone.length });
    // What was done since then stays.
    showToast({ message, undo: () => editor.change(merge(after, before, editor.view.rows).rows) });
  };
  const remove = (gone: readonly Row[]): void => {
    if (gone.length === 0) return;
    if (gone.some(({ item }) => hasSecrets(item))) setAsked(gone);
    else removeNow(gone);
  };
  const swap = (one: string, other: string): void => {
    const [a, b] = [rows[at(one)], rows[at(other)]];
    if (a === undefined || b === undefined) return;
    editor.change(swapped(rows, one, other));
    setSaid(text("swapped", { one: name(a), other: name(b) }));
  };
  /** Moves rows by one place, and says where the first of them is then. */
  const shift = (keys: Keys, by: -1 | 1): void => {
    const first = rows.find(({ key }) => keys.has(key));
    if (first === undefined) return;
    const next = shifted(rows, keys, by);
    editor.change(next);
    setSaid(text("moved", { name: name(first), place: next.indexOf(first) + 1, count: next.length }));
  };
  const acts = useStableActs({
    choose: (keys: Keys | "all"): void => setChosenKeys(keys === "all" ? new Set(rows.map(({ key }) => key)) : keys),
    toggle: ({ key }: Row): void => setChosenKeys(new Set(chosen.has(key) ? [...chosen].filter((each) => each !== key) : [...chosen, key])),
    clear: (): void => setChosenKeys(new Set()),
    put: (keys: Keys, target: string, side: "before" | "after"): void => editor.change(placed(rows, keys, target, side)),
    move: (row: Row, by: -1 | 1): void => shift(new Set([row.key]), by),
    shift: (by: -1 | 1): void => shift(chosen, by),
    send: (end: "start" | "end"): void => editor.change(sentTo(rows, chosen, end)),
    /** Begins with the first row, and ends with the second. */
    pressSwap: (row: Row): void => {
      if (swapping !== null && swapping !== row.key) swap(swapping, row.key);
      setSwappingKey(swapping === null ? row.key : null);
    },
    cancelSwap: (): void => setSwappingKey(null),
    swapChosen: (): void => {
      const [one, other] = [...chosen];
      if (one !== undefined && other !== undefined) swap(one, other);
    },
    add: (items: readonly Item[]): void => {
      const more = editor.newRows(items);
      editor.change(added(editor.view.rows, more, null));
      if (more.length > 0) setChosenKeys(new Set([more.at(-1)!.key]));
    },
    duplicate: (): void => {
      if (chosen.size === 0) return;
      const { rows: next, copies } = duplicated(rows, chosen, (items) => editor.newRows(items));
      editor.change(next);
      setChosenKeys(new Set(copies.map(({ key }) => key)));
      setSaid(text("duplicated", { count: copies.length }));
    },
    setDuration: (row: Row, duration_ms: number | undefined): void => editor.change(changed(rows, new Set([row.key]), { duration_ms })),
    removeOne: (row: Row): void => remove([row]),
    removeChosen: (): void => remove(chosenRows),
    removeAsked: (): void => removeNow(asked),
    clearAsked: (): void => setAsked([]),
    openSettings: (row: Row): void => {
      setChosenKeys(new Set([row.key]));
      setIsSettingsOpen(true);
    },
    openChosen: (): void => setIsSettingsOpen(true),
    closeSettings: (): void => setIsSettingsOpen(false),
  });
  return { acts, chosen, chosenRows, swapping, said, asked, isSettingsOpen };
}

function isSameSet(one: Keys, other: Keys): boolean {
  return one.size === other.size && [...one].every((key) => other.has(key));
}
