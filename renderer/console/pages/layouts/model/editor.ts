// The state of one editor: the layout with its history, the selection, the stored version, and the conflicts between two people.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { isSameLayout, isSameZone, learnIds, toEdited, zoneOf, type EditedLayout, type ZoneIds } from "./edited-layout.ts";
import { beginHistory, mapHistory, redo, step, undo, type History } from "./history.ts";
import { differencesOf, isSameDifference, merge, take, type Difference } from "./merge.ts";

type Layout = Schemas["Layout"];

/** The kind of a step, for the texts of undo and redo. */
export type Act =
  | "move"
  | "resize"
  | "turn"
  | "change"
  | "add"
  | "duplicate"
  | "remove"
  | "align"
  | "distribute"
  | "stack"
  | "orientation"
  | "layout"
  | "theirs"
  | "discard";

export interface Stored {
  layout: Layout;
  etag: string;
}

export interface Editor {
  history: History<EditedLayout, Act>;
  /** The keys of the selected zones. */
  selected: readonly string[];
  /** The newest stored version that the editor has received. */
  base: EditedLayout;
  etag: string;
  ids: ZoneIds;
  /** Differences that both have made, and nobody has decided yet. */
  conflicts: readonly Difference[];
  /** Changes that somebody else has made while the editor was open, and the person has not read yet. */
  news: readonly Difference[];
}

export function openEditor({ layout, etag }: Stored): Editor {
  const base = toEdited(layout);
  return { history: beginHistory(base), selected: [], base, etag, ids: new Map(), conflicts: [], news: [] };
}

/** True if something is not saved yet. */
export function isDirty({ history, base }: Editor): boolean {
  return !isSameLayout(history.present, base);
}

export interface EditInfo {
  act: Act;
  token?: string;
  at: number;
  /** The selection afterwards. Default: the same */
  select?: readonly string[];
}

/** Does one step; nothing if it changes nothing. */
export function edit(editor: Editor, next: EditedLayout, { act, at, token, select = editor.selected }: EditInfo): Editor {
  if (isSameLayout(editor.history.present, next)) return editor;
  const history = step(editor.history, next, { label: act, at, ...(token === undefined ? {} : { token }) });
  return dropStale({ ...editor, history, selected: select });
}

export function select(editor: Editor, keys: readonly string[]): Editor {
  return dropStale({ ...editor, selected: keys });
}

export function undoStep(editor: Editor): Editor {
  return dropStale({ ...editor, history: undo(editor.history) });
}

export function redoStep(editor: Editor): Editor {
  return dropStale({ ...editor, history: redo(editor.history) });
}

/** Merges a version that somebody else has stored. A part that both have changed differently is a conflict, with mine in the layout. */
export function receive(editor: Editor, version: Stored): Editor {
  if (version.etag === editor.etag) return editor;
  const ids = adoptTwins(editor, version.layout);
  const theirs = toEdited(version.layout, ids);
  return { ...rebase({ ...editor, ids }, editor.base, theirs, version.etag), news: newsOf(editor, theirs) };
}

/** Takes in that `sent` is stored. It may have been changed further since. */
export function confirmSave(editor: Editor, request: EditedLayout, { layout, etag }: Stored): Editor {
  const ids = learnIds(editor.ids, request, layout);
  return { ...rebase({ ...editor, ids }, request, toEdited(layout, ids), etag), conflicts: [], news: [] };
}

/** Decides one conflict. */
export function decide(editor: Editor, conflict: Difference, side: "mine" | "theirs", at: number): Editor {
  const next = side === "mine" ? editor : edit(editor, take(editor.history.present, editor.base, conflict), { act: "theirs", at });
  return { ...next, conflicts: next.conflicts.filter((each) => !isSameDifference(each, conflict)) };
}

/** Shows the stored version again. It can be undone. */
export function discard(editor: Editor, at: number): Editor {
  return edit(editor, editor.base, { act: "discard", at });
}

function rebase(editor: Editor, from: EditedLayout, to: EditedLayout, etag: string): Editor {
  const { conflicts } = merge(from, editor.history.present, to);
  const openConflicts = editor.conflicts.filter((old) => !conflicts.some((conflict) => isSameDifference(old, conflict)));
  // Each state gets the change, so that undoing takes back only this person's own changes.
  const history = mapHistory(editor.history, (state) => merge(from, state, to).layout);
  return dropStale({ ...editor, history, base: to, etag, conflicts: [...openConflicts, ...conflicts] });
}

function newsOf(editor: Editor, theirs: EditedLayout): readonly Difference[] {
  const fresh = differencesOf(editor.base, theirs);
  return [...editor.news.filter((old) => !fresh.some((each) => isSameDifference(old, each))), ...fresh];
}

/** Leaves out selected zones that are gone, and conflicts in which both have become the same. */
function dropStale(editor: Editor): Editor {
  const { present } = editor.history;
  const selected = editor.selected.filter((key) => zoneOf(present, key) !== undefined);
  const open = editor.conflicts.length === 0 ? [] : differencesOf(editor.base, present);
  const conflicts = editor.conflicts.filter((conflict) => open.some((each) => isSameDifference(each, conflict)));
  return { ...editor, selected, conflicts };
}

/** If saving succeeded and its response was lost, the stored version has my new zones: they are the same, and not others beside mine. */
function adoptTwins({ history, base, ids }: Editor, { zones, ...rest }: Layout): ZoneIds {
  const next = new Map(ids);
  const own = history.present.zones.filter(({ key }) => zoneOf(base, key) === undefined);
  for (const fresh of toEdited({ ...rest, zones }, ids).zones) {
    if (zoneOf(base, fresh.key) !== undefined || zoneOf(history.present, fresh.key) !== undefined) continue;
    const place = own.findIndex((zone) => isSameZone(zone, fresh));
    if (place !== -1) next.set(own.splice(place, 1)[0]!.key, fresh.key);
  }
  return next;
}
