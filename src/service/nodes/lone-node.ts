// The only process of a service on SQLite: nobody else has to hear of a change, and every loop is its own.
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Loop, Nodes } from "./nodes.ts";
import { waitOutErrors } from "./wait-out.ts";

export class LoneNode implements Nodes {
  readonly id: string;
  readonly isShared = false;
  readonly figures = null;
  readonly loops: readonly Loop[] = [];
  readonly liveNodeIds: ReadonlySet<string>;
  readonly #dependencies: { clock: Clock; log: Log };

  readonly clock: Clock;

  constructor(id: string, dependencies: { clock: Clock; log: Log }) {
    this.id = id;
    this.clock = dependencies.clock;
    this.#dependencies = dependencies;
    this.liveNodeIds = new Set([id]);
  }

  async announce(): Promise<number> {
    return 0;
  }

  onAnnounced(): void {}

  onMissed(): void {}

  broadcast(): void {}

  onBroadcast(): void {}

  asDuty(name: string, loop: Loop): Loop {
    return this.onEachNode(name, loop);
  }

  async checkDuty(): Promise<void> {}

  onEachNode(name: string, loop: Loop): Loop {
    return waitOutErrors(name, loop, this.#dependencies);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
