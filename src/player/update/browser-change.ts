// Notices that the installed browser is another one than the one that runs, as after an upgrade by apt. Starts no process.
import { stat } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";
import type { BrowserEngine } from "../host.ts";

// apt unpacks a browser's packages one after the other.
const settleMs = 600_000;

export class BrowserChange {
  readonly #executable: string;
  readonly #engine: () => BrowserEngine | null;
  readonly #clock: Clock;
  /** The engine at the last check: each start of the browser has its own. */
  #lastEngine: BrowserEngine | null = null;
  /** The file that the running browser was started from; null: it is not known. */
  #started: string | null = null;
  /** The file at the last check, and since when it is that one (monotonic ms). */
  #present: { file: string | null; since: number };

  private constructor(executable: string, engine: () => BrowserEngine | null, clock: Clock, file: string | null) {
    this.#executable = executable;
    this.#engine = engine;
    this.#clock = clock;
    this.#present = { file, since: clock.monotonic() };
  }

  /** Call before the browser starts. @param engine the running browser, another object after each start of it. */
  static async open(executable: string, engine: () => BrowserEngine | null, clock: Clock): Promise<BrowserChange> {
    return new BrowserChange(executable, engine, clock, await identityOf(executable));
  }

  /** True once another browser than the running one has been installed for ten minutes. Call it every few seconds. */
  async check(): Promise<boolean> {
    const now = this.#clock.monotonic();
    const engine = this.#engine();
    if (engine !== this.#lastEngine) {
      // The file as it was before the start: if it was replaced in between, one relaunch too many follows, and not one too few.
      this.#started = this.#present.file;
      this.#lastEngine = engine;
    }
    const file = await identityOf(this.#executable);
    if (file !== this.#present.file) this.#present = { file, since: now };
    // While a package is being replaced, the file may be missing.
    if (engine === null || file === null || this.#started === null || file === this.#started) return false;
    return now - this.#present.since >= settleMs;
  }
}

/** Differs for each file that has had this path; null: there is none. dpkg replaces a file by a new one, with another inode. */
async function identityOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null); // it is missing while it is being replaced
  return found === null ? null : [found.dev, found.ino, found.size, found.mtimeNs].join(" ");
}
