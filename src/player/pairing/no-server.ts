// The state of a player that knows no service: instructions for people, and the services on its network.
import type { FoundService } from "../../protocol/device/discovery.ts";
import type { ScreenContext } from "../playback/screen.ts";

/** The text on the screen of such a player. It never connects to a service that it has found: anybody can announce one. */
export interface NoServerOptions {
  /** The machine's name on its network. */
  machineName: string;
  /** The command that sets a service. */
  command: string;
  /** The file that can set one; null if there is none. */
  file: string | null;
  /** The problem with that file; null if there is none. */
  problem: string | null;
  /** Looks for services until the signal aborts. */
  findServices: (onChange: (services: FoundService[]) => void, signal: AbortSignal) => Promise<never>;
}

/** Runs in place of the pairing, until the program ends: setting a service starts it again. */
export class NoServer {
  readonly #options: NoServerOptions;
  readonly #onChange: () => void;
  #services: readonly FoundService[] = [];

  /** @param onChange called when other services were found. */
  constructor(options: NoServerOptions, onChange: () => void) {
    this.#options = options;
    this.#onChange = onChange;
  }

  get phase(): ScreenContext["phase"] {
    const { machineName, command, file, problem } = this.#options;
    return { is: "no-server", machineName, command, file, problem, services: this.#services };
  }

  /** Runs until `signal` aborts. */
  run(signal: AbortSignal): Promise<never> {
    return this.#options.findServices((services) => {
      this.#services = services;
      this.#onChange();
    }, signal);
  }
}
