// The append-only record of remote commands on the device: a JSON line for each command that arrived, was refused or ended.
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../base/fault.ts";
import { makeFolder, syncFolder } from "../../base/files/durable-file.ts";
import { auditedArgs } from "./audited-args.ts";

/** What happened to a command. `ignored`: the service did not sign it for this device, so nothing that it says about itself is recorded. */
export type AuditEntry =
  | { event: "received"; id: string; type: string; args: Readonly<Record<string, unknown>> }
  | { event: "ended"; id: string; type: string; status: string; reason: string | null }
  | { event: "ignored"; reason: string };

const maxFileBytes = 1_048_576;
const maxFiles = 4;
const maxReasonLength = 500;
// A flood of forgeries must not push the record of real commands out of the files.
const maxIgnored = 20;
const ignoredPerMs = 3_600_000;

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

  /** Appends a line. Resolves once it would survive a power loss; rejects if the disk cannot be written. */
  append(entry: AuditEntry): Promise<void> {
    const now = this.#now();
    if (entry.event === "ignored" && !this.#isToRecord(now)) return Promise.resolve();
    const line = `${JSON.stringify({ time: new Date(now).toISOString(), ...recorded(entry) })}\n`;
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
    const file = await open(path, "a+", 0o600);
    try {
      const { size } = await file.stat();
      // A power loss may have left a part of a line.
      const isCut = size > 0 && (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] !== 0x0a;
      await file.write(isCut ? `\n${line}` : line);
      await file.sync();
      if (size === 0) await syncFolder(this.#folder);
    } finally {
      await file.close();
    }
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
    const text = await readFile(fileIn(folder, place), "utf8").catch((error: unknown) => {
      if (hasErrorCode(error, "ENOENT")) return "";
      throw error;
    });
    tail = text + tail;
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
