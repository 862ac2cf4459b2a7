// The files of the command journal: the entries with the mark (`commands.json`), and a copy of the mark (`commands-mark.json`).
import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "../../base/files/durable-file.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { isFault } from "../../base/fault.ts";
import { CommandUpdate } from "../../protocol/device/commands.ts";
import { CommandMark } from "./command-mark.ts";

/** The record of one command. */
export const JournalEntry = z.object({
  id: z.string(),
  type: z.string(),
  /** When the command arrived, by this player's clock. */
  at: z.number(),
  /** When the service issued the command, by the service's clock. Older versions did not store it. */
  issuedAt: z.number().optional(),
  update: CommandUpdate,
  /** When it began, by this player's clock. Counted by the command's rate limit. Older versions did not store it. */
  startedAt: z.number().optional(),
  /** Data of the command's module for judging the outcome after a restart, such as the run of the machine in which it began. */
  note: z.string().optional(),
  /** True if the outbox may not have the final status yet. Older versions did not store it. */
  isUnsent: z.boolean().optional(),
});
export type JournalEntry = z.infer<typeof JournalEntry>;

const JournalContent = z.object({ mark: CommandMark, entries: z.array(JournalEntry) });
export type JournalContent = z.infer<typeof JournalContent>;
// Versions before the mark stored only the entries.
const StoredJournal = z.union([JournalContent, z.array(JournalEntry)]);
type StoredJournal = z.infer<typeof StoredJournal>;

export interface JournalFiles {
  journal: DurableFile<StoredJournal>;
  mark: DurableFile<CommandMark>;
}

export function journalFilesIn(folder: string): JournalFiles {
  return {
    journal: new DurableFile<StoredJournal>(join(folder, "commands.json"), (json) => StoredJournal.parse(json)),
    mark: new DurableFile<CommandMark>(join(folder, "commands-mark.json"), (json) => CommandMark.parse(json)),
  };
}

/**
 * The content of both files. `isLost`: the newest journal is damaged or missing, and an older one may lack commands that ran.
 * `isMarkDamaged`: the copy of the mark is damaged. `unread`: why the disk failed to read one of them; null: it did not.
 */
export async function readJournalFiles(files: JournalFiles, serviceKey: string) {
  const [journal, mark] = [await readFile(files.journal), await readFile(files.mark)];
  const unread: unknown = journal.unread ?? mark.unread;
  const stored = Array.isArray(journal.value) ? { mark: null, entries: journal.value } : journal.value;
  const marks = [stored?.mark ?? null, mark.value].filter((each) => each?.serviceKey === serviceKey) as CommandMark[];
  const isDamaged = journal.isDamaged || mark.isDamaged;
  return { stored, marks, isLost: stored === null || journal.isDamaged, isMarkDamaged: mark.isDamaged, isDamaged, unread };
}

async function readFile<T>(file: DurableFile<T>): Promise<{ value: T | null; isDamaged: boolean; unread: unknown }> {
  try {
    const read = await file.read();
    return read.is === "found"
      ? { value: read.value, isDamaged: read.isRecovered, unread: null }
      : { value: null, isDamaged: false, unread: null };
  } catch (error) {
    if (isReadFailure(error)) return { value: null, isDamaged: false, unread: error };
    if (!isFault(error, "file-corrupt")) throw error;
    return { value: null, isDamaged: true, unread: null };
  }
}
