// Keeps a program running as systemd does: starts it again, after a pause, whenever it ends.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { rootFolder } from "../../src/main/folders.ts";
import type { Line, Program } from "../../test/support/programs/programs.ts";

/** The pause before a restart that the player's unit sets, in ms. */
export const restartPauseMs =
  1_000 * Number(/^RestartSec=(\d+)$/m.exec(readFileSync(join(rootFolder, "packaging/player/units/signage-player.service"), "utf8"))![1]);

export class Supervised implements AsyncDisposable {
  readonly #start: () => Program;
  readonly #restartMs: number;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  readonly #earlier: Line[] = [];
  #current: Program;

  constructor(start: () => Program, restartMs = restartPauseMs) {
    this.#start = start;
    this.#restartMs = restartMs;
    this.#current = start();
    this.#ended = this.#run();
  }

  /** The newest process, which may have ended. */
  get current(): Program {
    return this.#current;
  }

  /** The log of all its processes. */
  get lines(): Line[] {
    return [...this.#earlier, ...this.#current.lines];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#current[Symbol.asyncDispose]();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      await this.#current.exitCode;
      if (signal.aborted) return;
      const ended = await pause(this.#restartMs, false, { signal }).catch(() => signal.aborted);
      if (ended) return;
      this.#earlier.push(...this.#current.lines);
      this.#current = this.#start();
    }
  }
}
