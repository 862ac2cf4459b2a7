// Records failed writes and reads, damaged files and lost records, for the log and the problems list.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../base/files/durable-file.ts";
import { isReadFailure, isSystemError } from "../../base/files/system-error.ts";
import { Listeners } from "../../base/async/listeners.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";

/** The faults of the disk. The lists are empty for a healthy one. */
export interface DiskCondition {
  /** Data that cannot be written now, such as "play events", and why. */
  unwritten: readonly { what: string; reason: string }[];
  /** Files that cannot be read now, such as "pairing.json", and why. Nothing replaces them meanwhile. */
  unread: readonly { what: string; reason: string }[];
  /** Names of files that were found damaged or missing since the start. */
  damaged: readonly string[];
  /** How much was lost since the start. */
  lost: readonly { what: string; count: number }[];
  /** Records that this program made since the start and could not have read again, and the field at fault. They were not stored. */
  refused: readonly { what: string; reason: string }[];
}

// Room for the player's small files. Less than that is a full disk.
const probeBytes = 65_536;

/** The name of all removals. They also succeed on a full disk, so they say nothing about writes. */
export const removals = "removals";

export class DiskHealth {
  readonly #log: Log;
  /** Why the last write failed, by the name of the data. */
  readonly #failures = new Map<string, string>();
  /** Why a read failed, and how to repeat it, by the name of the data. */
  readonly #unread = new Map<string, { reason: string; again: () => Promise<unknown> }>();
  readonly #readAgain = new Listeners<void>();
  readonly #damaged = new Set<string>();
  readonly #lost = new Map<string, number>();
  /** The last fault in a record, by the name of the data. */
  readonly #refused = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  get condition(): DiskCondition {
    return {
      unwritten: [...this.#failures].map(([what, reason]) => ({ what, reason })),
      unread: [...this.#unread].map(([what, { reason }]) => ({ what, reason })),
      damaged: [...this.#damaged],
      lost: [...this.#lost].map(([what, count]) => ({ what, count })),
      refused: [...this.#refused].map(([what, reason]) => ({ what, reason })),
    };
  }

  /**
   * Runs one change of the disk. Resolves to whether it succeeded. A failure is logged once, until a change of the same name
   * succeeds again. A record that could not be read again is a fault of the program: see {@link recordRefused}.
   * @throws every other error.
   */
  async attempt(what: string, change: () => Promise<unknown>): Promise<boolean> {
    try {
      await change();
    } catch (error) {
      if (isFault(error, "record-unreadable")) {
        this.recordRefused(what, error.message);
        return false;
      }
      if (!isSystemError(error)) throw error;
      const reason = reasonOf(error);
      if (!this.#failures.has(what)) this.#log.error({ what, reason }, "the disk cannot be written: continuing from memory");
      this.#failures.set(what, reason);
      return false;
    }
    if (this.#failures.delete(what)) this.#log.info({ what }, "the disk can be written again");
    return true;
  }

  /**
   * Reports that the disk failed to read something, which is left as it is.
   * @param again tries once more, at each {@link retryReads}; rejects with the system's error as long as the disk fails.
   */
  unreadable(what: string, error: unknown, again: () => Promise<unknown>): void {
    const reason = reasonOf(error);
    if (!this.#unread.has(what)) this.#log.error({ what, reason }, "the disk cannot be read: leaving what is there as it is");
    this.#unread.set(what, { reason, again });
  }

  /** It was removed on purpose, so nobody waits for it any more. */
  forgetUnread(what: string): void {
    this.#unread.delete(what);
  }

  /** Calls `listener` when something can be read that could not be read before. Until `signal` aborts. */
  onReadAgain(listener: () => void, signal: AbortSignal): void {
    this.#readAgain.add(listener, signal);
  }

  /** Repeats the reads that failed. */
  async retryReads(): Promise<void> {
    let isAnyRead = false;
    for (const [what, { again }] of this.#unread) {
      try {
        await again();
      } catch (error) {
        if (isReadFailure(error)) continue;
        // It is damaged or missing, which whoever opens it again handles.
        if (!isFault(error, "file-corrupt") && !isSystemError(error)) throw error;
      }
      isAnyRead = true;
      // During the attempt, another file that is reported by the same name may have failed: its own attempt is still to come.
      if (this.#unread.get(what)?.again !== again) continue;
      this.#unread.delete(what);
      this.#log.info({ what }, "the disk can be read again");
    }
    if (isAnyRead) this.#readAgain.notify();
  }

  /** If anything failed, writes a file in `folder`, created if missing. If that works, the failures are over until the next one. */
  async probe(folder: string): Promise<void> {
    if (this.#failures.size === 0) return;
    const path = join(folder, "disk-probe");
    try {
      await makeFolder(folder);
      await writeFile(path, Buffer.alloc(probeBytes), { mode: 0o600, flush: true });
      this.#log.info({ what: [...this.#failures.keys()] }, "the disk can be written again");
      this.#failures.clear();
    } catch (error) {
      if (!isSystemError(error)) throw error;
    } finally {
      // On a read-only disk there is nothing to remove, and on any other the next probe writes the same file.
      await rm(path, { force: true }).catch(() => undefined);
    }
  }

  /** Reports a damaged or missing file. @param consequence the player's response. */
  fileDamaged(name: string, consequence: string, cause?: unknown): void {
    this.#damaged.add(name);
    this.#log.error(
      { file: name, ...(cause === undefined ? {} : { reason: reasonOf(cause) }) },
      `a file is damaged or missing: ${consequence}`,
    );
  }

  /** Reports a record that this program made and could not read again. It is not stored; whoever made it goes on from memory. */
  recordRefused(what: string, reason: string): void {
    if (this.#refused.get(what) === reason) return;
    this.#refused.set(what, reason);
    this.#log.error({ what, reason }, "the program made a record that it could not read again: it is not stored");
  }

  /** Counts records that will never reach the service. */
  recordsLost(what: string, count: number, reason: string): void {
    const total = (this.#lost.get(what) ?? 0) + count;
    this.#lost.set(what, total);
    this.#log.error({ what, reason, count, lost: total }, "records for the service are lost");
  }
}
