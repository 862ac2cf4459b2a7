// The actions of a person on rows of the list: each act changes the playlist, says so, and can be undone.
import { useState } from "react";
import type { AssetsById } from "../../../../data/assets-by-id.ts";
import { texts } from "../../../../i18n/texts.ts";
import { usePreviousIfEqual, useStableActs } from "../../../../ui/stable-values.ts";
import { showToast } from "../../../../ui/toasts.tsx";
import { hasSecrets, nameOf } from "../../../../items/item-words.ts";
import { insertRows, changeRows, duplicateRows, moveRows, sendRowsTo, shiftRows, swapRows, removeRows } from "../../model/edits.ts";
import type { PlaylistEditor } from "../../model/editor.ts";
import { merge } from "../../model/merge.ts";
import type { Item } from "../../../../items/item.ts";
import type { Row } from "../../model/rows.ts";

const text = texts("playlists", "playlistEditor");

type Keys = ReadonlySet<string>;

export function useListActs(editor: PlaylistEditor, assets: AssetsById) {
  const { rows } = editor.view;
  const [rawSelection, setRawSelection] = useState<Keys>(new Set());
  const [swappingKey, setSwappingKey] = useState<string | null>(null);
  /** Rows whose removal would lose a secret for good. */
  const [removalRequest, setRemovalRequest] = useState<readonly Row[]>([]);
  const [isSettingsOpen, setIsSettingsOpen] = useState(false);
  const [announcement, setAnnouncement] = useState("");
  const selectedRows = rows.filter(({ key }) => rawSelection.has(key));
  const selectedKeys = usePreviousIfEqual<Keys>(new Set(selectedRows.map(({ key }) => key)), isSameSet);
  const name = ({ item }: Row): string => nameOf(item, "asset_id" in item ? assets.get(item.asset_id) : undefined);
  const at = (key: string): number => rows.findIndex((row) => row.key === key);
  const swapping = swappingKey !== null && at(swappingKey) !== -1 ? swappingKey : null;

  const removeNow = (targets: readonly Row[]): void => {
    const before = editor.view.rows;
    const after = removeRows(before, new Set(targets.map(({ key }) => key)));
    editor.change(after);
    const message = targets.length === 1 ? text("removed", { name: name(targets[0]!) }) : text("removedMany", { count: targets.length });
    // Later changes stay.
    showToast({ message, undo: () => editor.change(merge(after, before, editor.view.rows).rows) });
  };
  const remove = (targets: readonly Row[]): void => {
    if (targets.length === 0) return;
    if (targets.some(({ item }) => hasSecrets(item))) setRemovalRequest(targets);
    else removeNow(targets);
  };
  const swap = (one: string, other: string): void => {
    const [a, b] = [rows[at(one)], rows[at(other)]];
    if (a === undefined || b === undefined) return;
    editor.change(swapRows(rows, one, other));
    setAnnouncement(text("swapped", { one: name(a), other: name(b) }));
  };
  /** Moves rows by one place, and says where the first of them is then. */
  const shift = (keys: Keys, by: -1 | 1): void => {
    const first = rows.find(({ key }) => keys.has(key));
    if (first === undefined) return;
    const next = shiftRows(rows, keys, by);
    editor.change(next);
    setAnnouncement(text("moved", { name: name(first), place: next.indexOf(first) + 1, count: next.length }));
  };
  const acts = useStableActs({
    choose: (keys: Keys | "all"): void => setRawSelection(keys === "all" ? new Set(rows.map(({ key }) => key)) : keys),
    toggle: ({ key }: Row): void =>
      setRawSelection(new Set(selectedKeys.has(key) ? [...selectedKeys].filter((each) => each !== key) : [...selectedKeys, key])),
    clear: (): void => setRawSelection(new Set()),
    moveTo: (keys: Keys, target: string, side: "before" | "after"): void => editor.change(moveRows(rows, keys, target, side)),
    move: (row: Row, by: -1 | 1): void => shift(new Set([row.key]), by),
    shift: (by: -1 | 1): void => shift(selectedKeys, by),
    send: (end: "start" | "end"): void => editor.change(sendRowsTo(rows, selectedKeys, end)),
    /** Begins with the first row, and ends with the second. */
    pressSwap: (row: Row): void => {
      if (swapping !== null && swapping !== row.key) swap(swapping, row.key);
      setSwappingKey(swapping === null ? row.key : null);
    },
    cancelSwap: (): void => setSwappingKey(null),
    swapSelected: (): void => {
      const [one, other] = [...selectedKeys];
      if (one !== undefined && other !== undefined) swap(one, other);
    },
    add: (items: readonly Item[]): void => {
      const more = editor.newRows(items);
      editor.change(insertRows(editor.view.rows, more, null));
      if (more.length > 0) setRawSelection(new Set([more.at(-1)!.key]));
    },
    duplicate: (): void => {
      if (selectedKeys.size === 0) return;
      const { rows: next, copies } = duplicateRows(rows, selectedKeys, (items) => editor.newRows(items));
      editor.change(next);
      setRawSelection(new Set(copies.map(({ key }) => key)));
      setAnnouncement(text("duplicated", { count: copies.length }));
    },
    setDuration: (row: Row, duration_ms: number | undefined): void => editor.change(changeRows(rows, new Set([row.key]), { duration_ms })),
    removeOne: (row: Row): void => remove([row]),
    removeSelected: (): void => remove(selectedRows),
    confirmRemoval: (): void => removeNow(removalRequest),
    cancelRemoval: (): void => setRemovalRequest([]),
    openSettings: (row: Row): void => {
      setRawSelection(new Set([row.key]));
      setIsSettingsOpen(true);
    },
    openSelected: (): void => setIsSettingsOpen(true),
    closeSettings: (): void => setIsSettingsOpen(false),
  });
  return { acts, selectedKeys, selectedRows, swapping, announcement, removalRequest, isSettingsOpen };
}

function isSameSet(one: Keys, other: Keys): boolean {
  return one.size === other.size && [...one].every((key) => other.has(key));
}
