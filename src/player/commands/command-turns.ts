// Lets commands that change the machine or the program run one after another, in the order of their arrival.
import { unlessAborted } from "../../base/async/unless-aborted.ts";
import type { CommandDefinitions } from "../../protocol/device/command-definition.ts";
import { commands } from "../../protocol/device/command-request.ts";

const definitions: CommandDefinitions = commands;

export class CommandTurns {
  #last: Promise<void> = Promise.resolve();

  /**
   * Calls `act` at once, or, for a type that takes turns, when the commands before it have ended. Resolves to its result.
   * @throws the signal's reason when `signal` aborts before the turn has come.
   */
  async take<T>(type: string, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
    if (definitions[type]?.takesTurns !== true) return act();
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = Promise.all([before, promise]).then(() => undefined);
    try {
      await unlessAborted(before, signal);
      return await act();
    } finally {
      resolve();
    }
  }
}
