// The launcher's state: the slot that runs, the trial, the last failure. It survives power cuts, and a full disk until a reboot.
import { mkdir } from "node:fs/promises";
import { z } from "zod";
import { Count, Timestamp } from "../protocol/common.ts";
import { deviceText } from "../protocol/text.ts";
import { HealthChecks, LauncherStatus, ReleaseVersion, SlotName, UpdateAttempt } from "../protocol/device/updates.ts";
import type { Clock } from "../base/clock.ts";
import { isFault } from "../base/fault.ts";
import { DurableFile } from "../base/files/durable-file.ts";
import { lockFolder } from "../base/files/folder-lock.ts";
import { isSystemError } from "../base/files/system-error.ts";
import type { LauncherFolders } from "./launcher-folders.ts";

/** The watched run of a program or a browser. */
export const Trial = z.object({
  /** `control`: the version before, after a rollback, with the same test. */
  is: z.enum(["probation", "control"]),
  what: z.enum(["program", "browser"]),
  /** The version under test: of the program or the browser. */
  version: deviceText(128),
  /** The slot that a program's failure returns to. */
  returnTo: SlotName.nullable(),
  /** The version that a failure returns to. Null: there is nothing. */
  returnVersion: deviceText(128).nullable(),
  /** The slot that could be returned to before this trial. */
  previousBefore: SlotName.nullable(),
  /** Which checks passed before. Only those count. */
  baseline: HealthChecks,
  bootId: z.string(),
  /** Boots since the trial began, and starts of the player since the last boot. */
  boots: Count,
  starts: Count,
  passedMs: Count,
});
export type Trial = z.infer<typeof Trial>;

export const State = z.object({
  /** Rises with each write. */
  sequence: Count,
  slot: SlotName,
  reason: deviceText(500),
  previous: SlotName.nullable(),
  trial: Trial.nullable(),
  attempt: UpdateAttempt.nullable(),
  failed: LauncherStatus.shape.failed,
  answered: LauncherStatus.shape.answered,
  /** The newest time at which metadata was valid, ms since the epoch: the machine's clock may start in the past. */
  newestTime: Count,
  /** The version of the package's program when it was last started. */
  packageVersion: ReleaseVersion.nullable(),
  /** The Debian version of the browser that passed last, and one that failed and is not installed again. */
  browser: z.object({ good: z.string().nullable(), refused: z.string().nullable(), restoring: z.boolean() }),
});
export type State = z.infer<typeof State>;

const firstState: State = {
  sequence: 0,
  slot: "package",
  reason: "the program of the package",
  previous: null,
  trial: null,
  attempt: null,
  failed: null,
  answered: null,
  newestTime: 0,
  packageVersion: null,
  browser: { good: null, refused: null, restoring: false },
};

/** The state to go by while the disk fails to read the stored one. It is never stored. */
export function withoutState(slot: SlotName): State {
  return { ...firstState, slot, reason: "the launcher's state cannot be read" };
}

/** The last start of the player's unit, in `/run`. */
export const UnitStart = z.object({
  slot: SlotName,
  version: ReleaseVersion,
  folder: z.string(),
  bootId: z.string(),
  at: Timestamp,
  /** Starts in a row outside of a trial of which none lasted a minute. */
  quickStarts: Count,
  uptimeMs: Count,
});
export type UnitStart = z.infer<typeof UnitStart>;

/** Keeps the state. The commands `before-start` and `watch` run at the same time, so every change takes a lock. */
export class StateStore {
  readonly #disk: DurableFile<State>;
  readonly #memory: DurableFile<State>;
  readonly #folders: LauncherFolders;
  readonly #clock: Clock;
  readonly #log: (message: string, fields: Record<string, unknown>) => void;

  constructor(folders: LauncherFolders, clock: Clock, log: (message: string, fields: Record<string, unknown>) => void) {
    this.#log = log;
    this.#folders = folders;
    this.#clock = clock;
    this.#disk = new DurableFile(folders.state, (json) => State.parse(json));
    this.#memory = new DurableFile(folders.stateInMemory, (json) => State.parse(json));
  }

  /**
   * The newest state. A device without one, or with a damaged one, runs the package's program.
   * @throws the system's error when the disk fails to read it: the history of earlier versions is not forgotten.
   */
  async read(): Promise<State> {
    const states = [await readOr(this.#memory), await readOr(this.#disk)].filter((state) => state !== null);
    return states.toSorted((a, b) => b.sequence - a.sequence)[0] ?? firstState;
  }

  /**
   * Changes the state. Resolves once it would survive a power cut, or at least the end of this program where the disk is full. A state
   * that could not be read again is a fault of the launcher: the one before stays, and the player can be started.
   * @param change returns the same object for no change.
   */
  async change(change: (state: State) => State | Promise<State>): Promise<State> {
    await mkdir(this.#folders.run, { recursive: true, mode: 0o755 });
    using _ = await this.#lock();
    const before = await this.read();
    const after = await change(before);
    if (after === before) return before;
    const next = { ...after, sequence: before.sequence + 1 };
    try {
      await this.#disk.write(next);
    } catch (error) {
      if (isFault(error, "record-unreadable")) {
        this.#log("the launcher made a state that it could not read again: the one before stays", { reason: error.message });
        return before;
      }
      if (!isSystemError(error)) throw error;
      // A program that crashes on a full disk must still be replaced by the one before.
      await this.#memory.write(next);
      return next;
    }
    await this.#memory.remove();
    return next;
  }

  async #lock(): Promise<Disposable> {
    for (;;) {
      try {
        return lockFolder(`${this.#folders.run}/lock`);
      } catch (error) {
        if (!isFault(error, "data-in-use")) throw error;
        await this.#clock.wait(20);
      }
    }
  }
}

async function readOr(file: DurableFile<State>): Promise<State | null> {
  try {
    const read = await file.read();
    return read.is === "found" ? read.value : null;
  } catch (error) {
    if (!isFault(error, "file-corrupt")) throw error;
    await file.setAside().catch((failure: unknown) => {
      if (!isSystemError(failure)) throw failure;
    });
    return null;
  }
}
