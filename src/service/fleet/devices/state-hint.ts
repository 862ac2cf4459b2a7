// The hint that a state has changed, as a device gets it: with the state, if that fits.
import { longestMessageBytes, type ServiceMessage } from "../../../protocol/device/messages.ts";
import type { StateDocument } from "../state/desired-states.ts";
import type { JournalEntry } from "./device-journal.ts";

/** An entry that has just been committed. */
export interface PushedEntry extends JournalEntry {
  /** The player's state, if the entry is a hint of it. */
  document?: StateDocument | undefined;
}

type Hint = Extract<ServiceMessage, { type: "state.changed" }>;

/** The text of a hint, with the state if `document` is still the one of its revision and fits into a message. */
export function hintText({ data, ...envelope }: Hint, document: StateDocument | undefined): string | Buffer {
  // The state is added at the end of `data`.
  const text = JSON.stringify({ ...envelope, data: { revision: data.revision } });
  if (document?.revision !== data.revision) return text;
  const bytes = Buffer.concat([Buffer.from(`${text.slice(0, -2)},"state":`), document.render(), Buffer.from("}}")]);
  return bytes.length <= longestMessageBytes ? bytes : text;
}
