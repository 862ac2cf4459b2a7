// The only process of a service on SQLite: nobody else has to hear of a change, and every loop is its own.
import type { Clock } from "../../base/clock.ts";
import type { Loop, Nodes } from "./nodes.ts";

export class LoneNode implements Nodes {
  readonly id: string;
  readonly isShared = false;
  readonly figures = null;
  readonly loops: readonly Loop[] = [];
  readonly liveNodeIds: ReadonlySet<string>;

  readonly clock: Clock;

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.clock = clock;
    this.liveNodeIds = new Set([id]);
  }

  async announce(): Promise<number> {
    return 0;
  }

  onAnnounced(): void {}

  onMissed(): void {}

  broadcast(): void {}

  onBroadcast(): void {}

  asDuty(_name: string, loop: Loop): Loop {
    return loop;
  }

  async checkDuty(): Promise<void> {}

  onEachNode(_name: string, loop: Loop): Loop {
    return loop;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
