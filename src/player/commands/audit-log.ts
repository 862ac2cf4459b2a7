// The append-only record of remote commands on the device: a JSON line for each command that arrived, was refused or ended.
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { hasErrorCode } from "../../base/fault.ts";
import { makeFolder, syncFolder } from "../../base/files/durable-file.ts";
import { hourMs, iso } from "../../base/time.ts";
import { auditedArgs } from "./audited-args.ts";

/** A step of a command. `ignored`: the service did not sign it for this device, so none of its own statements is recorded. */
export type AuditEntry =
  | { event: "received"; id: string; type: string; args: Readonly<Record<string, unknown>> }
  | { event: "ended"; id: string; type: string; status: string; reason: string | null }
  | { event: "ignored"; reason: string };

const Line = z.record(z.string(), z.unknown());
const maxFileBytes = 1_048_576;
const maxFiles = 4;
const maxReasonLength = 500;
// A flood of forgeries must not push the record of real commands out of the files.
const maxIgnored = 20;
const ignoredPerMs = hourMs;

/** The name of the log in reports about the disk. */
export const auditLogName = "command audit log";

/** The file of the newest lines is `command-audit.jsonl`; `.1` to `.3` are older. Nothing of the player deletes them, also not an unpairing. */
export class CommandAuditLog {
  readonly #folder: string;
  readonly #now: () => number;
  #writing: Promise<void> = Promise.resolve();
  #ignored = { since: Number.NEGATIVE_INFINITY, count: 0 };

  /** @param now the time of the lines, ms since the epoch. */
  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  /**
   * Removes a last line that a power loss has cut, and sets a file aside that is damaged otherwise, as `.damaged`.
   * @returns the names of the damaged files. Rejects if the disk cannot be written.
   */
  async repair(): Promise<string[]> {
    const damaged: string[] = [];
    for (let place = 0; place < maxFiles; place += 1) {
      const path = fileIn(this.#folder, place);
      const text = await readIfThere(path);
      if (text === null || isWhole(text)) continue;
      const kept = text.slice(0, text.lastIndexOf("\n") + 1);
      if (isWhole(kept)) {
        await writeSynced(`${path}.repaired`, "w", kept);
        await rename(`${path}.repaired`, path);
      } else {
        await rename(path, `${path}.damaged`);
        damaged.push(basename(path));
      }
      await syncFolder(this.#folder);
    }
    return damaged;
  }

  /** Appends a line. Resolves once it would survive a power loss; rejects if the disk cannot be written. */
  append(entry: AuditEntry): Promise<void> {
    const now = this.#now();
    if (entry.event === "ignored" && !this.#isToRecord(now)) return Promise.resolve();
    const line = `${JSON.stringify({ time: iso(now), ...recorded(entry) })}\n`;
    const next = this.#writing.then(() => this.#write(line));
    this.#writing = next.catch(() => undefined);
    return next;
  }

  #isToRecord(now: number): boolean {
    if (Math.abs(now - this.#ignored.since) > ignoredPerMs) this.#ignored = { since: now, count: 0 };
    this.#ignored.count += 1;
    return this.#ignored.count <= maxIgnored;
  }

  async #write(line: string): Promise<void> {
    const path = fileIn(this.#folder, 0);
    await makeFolder(this.#folder);
    if ((await sizeOf(path)) + line.length > maxFileBytes) await this.#rotate();
    const size = await sizeOf(path);
    await writeSynced(path, "a", line);
    if (size === 0) await syncFolder(this.#folder);
  }

  async #rotate(): Promise<void> {
    await rm(fileIn(this.#folder, maxFiles - 1), { force: true });
    for (let place = maxFiles - 2; place >= 0; place -= 1) {
      await rename(fileIn(this.#folder, place), fileIn(this.#folder, place + 1)).catch((error: unknown) => {
        if (!hasErrorCode(error, "ENOENT")) throw error;
      });
    }
    await syncFolder(this.#folder);
  }
}

/** The newest lines of a device's audit log, oldest first, whole ones only, at most `maxBytes`. Empty if there are none. */
export async function readAuditTail(folder: string, maxBytes: number): Promise<string> {
  let tail = "";
  for (let place = 0; place < maxFiles && Buffer.byteLength(tail) < maxBytes; place += 1) {
    tail = `${(await readIfThere(fileIn(folder, place))) ?? ""}${tail}`;
  }
  const bytes = Buffer.from(tail);
  if (bytes.length <= maxBytes) return tail;
  const cut = bytes.subarray(bytes.length - maxBytes);
  return cut.subarray(cut.indexOf(0x0a) + 1).toString();
}

function recorded(entry: AuditEntry): AuditEntry {
  if (entry.event === "received") return { ...entry, args: auditedArgs(entry.args) };
  return { ...entry, reason: entry.reason?.slice(0, maxReasonLength) ?? null } as AuditEntry;
}

async function writeSynced(path: string, flag: "a" | "w", text: string): Promise<void> {
  const file = await open(path, flag, 0o600);
  try {
    await file.write(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function readIfThere(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  });
}

/** True if a text has at least one line, and only whole ones with JSON objects. */
function isWhole(text: string): boolean {
  return text.endsWith("\n") && text.slice(0, -1).split("\n").every(isObject);
}

function isObject(line: string): boolean {
  try {
    return Line.safeParse(JSON.parse(line)).success;
  } catch {
    return false; // not JSON
  }
}

function fileIn(folder: string, place: number): string {
  return join(folder, place === 0 ? "command-audit.jsonl" : `command-audit.${place}.jsonl`);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return 0;
    throw error;
  }
}
