// The name of a version: why it was made, or its changes.
import { texts } from "../../../i18n/texts.ts";
import type { VersionEntry } from "../drafts.ts";

const text = texts("versions");

export function titleOf({ note, changes, change_count: count, restored_from: from }: VersionEntry): string {
  if (note !== null && note.trim() !== "") return note;
  if (from !== null) return text("restored", { number: String(from) });
  const [first] = changes;
  if (first === undefined) return "";
  const one = text("one", { kind: first.kind, name: first.name, action: first.action });
  return count === 1 ? one : text("more", { first: one, count: count - 1 });
}

/** The person who published it, and the one who proposed it. */
export function peopleOf({ created_by: by, proposed_by: proposer }: VersionEntry): string {
  const publisher = by === null ? text("byService") : text("by", { name: by.name });
  return proposer === null ? publisher : `${publisher}, ${text("proposedBy", { name: proposer.name })}`;
}
