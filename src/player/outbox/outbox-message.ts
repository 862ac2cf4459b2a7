// The messages of the outbox: their schema, their importance, and the names of their files.
import { z } from "zod";
import { id } from "../../protocol/common.ts";
import { CommandUpdate, finalStatuses } from "../../protocol/device/commands.ts";
import { ProblemRecord } from "../../protocol/device/problem-records.ts";

/** A message for the service. A screenshot includes its image, a log its compressed lines. */
export const OutboxMessage = z.discriminatedUnion("is", [
  z.object({ is: z.literal("command-status"), commandId: id("cmd"), update: CommandUpdate }),
  z.object({ is: z.literal("problem"), problemId: id("prb"), record: ProblemRecord }),
  z.object({
    is: z.literal("screenshot"),
    screenshotId: id("shot"),
    headers: z.record(z.string(), z.string()),
    base64: z.string(),
    taken: z.literal("interval").optional().describe("Without it: because of a command"),
  }),
  z.object({ is: z.literal("log"), logId: id("log"), headers: z.record(z.string(), z.string()), base64: z.string() }),
]);
export type OutboxMessage = z.infer<typeof OutboxMessage>;

/**
 * The kinds of messages, the least important first. A command's result says more than its progress, a picture or a log, and somebody
 * waits for it; nobody waits for a problem of the past, or for a picture that the player took by itself.
 */
const kinds = ["interval", "screenshot", "log", "progress", "problem", "result"] as const;
type Kind = (typeof kinds)[number];

/** A message in the queue. */
export interface QueuedMessage {
  /** Counts up: the newest has the highest. */
  number: number;
  name: string;
  kind: Kind;
  bytes: number;
  /** The id of the problem record that it has, also in its name; null: another message. */
  problemId: string | null;
  /** The message while only the memory has it. */
  unwritten: OutboxMessage | null;
  /** How often it could not be delivered. Decides whether others go first. */
  failures: number;
  /** How often the service refused it. */
  refusals: number;
  /** How many other messages the service had accepted when it first refused this one. */
  acceptedBefore: number;
  /** True if there was no room for it. */
  isDropped: boolean;
}

// Older versions did not write the kind into the name. Their largest result had 16 kB.
const maxResultBytes = 16_384;
const namePattern = new RegExp(`^(\\d{12})(?:-(${kinds.join("|")}))?(?:-(prb_\\w{26}))?\\.json$`);

const untried = { failures: 0, refusals: 0, acceptedBefore: 0, isDropped: false };

/** The message in a file of the outbox's folder; null if the file is none. */
export function storedMessage(name: string, bytes: number): QueuedMessage | null {
  const [, number, kind, problemId = null] = namePattern.exec(name) ?? [];
  if (number === undefined) return null;
  const byBytes = bytes > maxResultBytes ? "screenshot" : "result";
  return { number: Number(number), name, kind: (kind as Kind | undefined) ?? byBytes, bytes, problemId, unwritten: null, ...untried };
}

/** A new message, which no file has yet. */
export function newMessage(number: number, message: OutboxMessage): QueuedMessage {
  const kind = kindOf(message);
  const problemId = message.is === "problem" ? message.problemId : null;
  const about = problemId === null ? kind : `${kind}-${problemId}`;
  const name = nameOf(number, about);
  return { number, name, kind, problemId, bytes: Buffer.byteLength(JSON.stringify(message)), unwritten: message, ...untried };
}

/** Gives a message that has no file yet another number. */
export function renumber(message: QueuedMessage, number: number): void {
  message.name = nameOf(number, message.problemId === null ? message.kind : `${message.kind}-${message.problemId}`);
  message.number = number;
}

function nameOf(number: number, about: string): string {
  return `${String(number).padStart(12, "0")}-${about}.json`;
}

/** True if `newer` says all that `older` says: another report on the same problem, or a later picture at an interval. */
export function replaces(newer: QueuedMessage, older: QueuedMessage): boolean {
  if (newer.kind === "interval") return older.kind === "interval";
  return newer.problemId !== null && newer.problemId === older.problemId;
}

/** The message to drop if not all can be kept: the oldest of the least important kind. @param messages oldest first, not empty. */
export function leastImportant(messages: readonly QueuedMessage[]): QueuedMessage {
  return messages.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))[0]!;
}

function kindOf(message: OutboxMessage): Kind {
  if (message.is === "screenshot") return message.taken ?? "screenshot";
  if (message.is !== "command-status") return message.is;
  return finalStatuses.includes(message.update.status) ? "result" : "progress";
}
