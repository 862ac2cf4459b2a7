// An announcement of a changed state as a device gets it: with the state, if that fits.
import { longestMessageBytes, type ServiceMessage } from "../../../protocol/device/messages.ts";
import type { StateDocument } from "../state/desired-states.ts";
import type { JournalEntry } from "./device-journal.ts";

/** An entry that has just been committed. */
export interface PushedEntry extends JournalEntry {
  /** The state that it announces. */
  document?: StateDocument | undefined;
}

type Announcement = Extract<ServiceMessage, { type: "state.changed" }>;

/** The text of an announcement with the state, if that is still the one of its revision and fits into a message. */
export function announcementText(announcement: Announcement, document: StateDocument | undefined): string | Buffer {
  const text = JSON.stringify(announcement);
  const { revision } = announcement.data;
  if (document?.revision !== revision) return text;
  const { data: _, ...envelope } = announcement;
  const head = `${JSON.stringify(envelope).slice(0, -1)},"data":{"revision":${JSON.stringify(revision)},"state":`;
  const bytes = Buffer.concat([Buffer.from(head), document.render(), Buffer.from("}}")]);
  return bytes.length <= longestMessageBytes ? bytes : text;
}
