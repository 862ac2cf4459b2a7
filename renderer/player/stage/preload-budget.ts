// Bounds what the zones together keep ready before its time, so that a small box does not choke on the next clips.
import type { Slot } from "../../../src/protocol/scene.ts";

type Cost = NonNullable<Slot["cost"]>;

interface Waiter {
  cost: Cost;
  startsAt: number;
  granted(): void;
}

/** What one holds or waits for. */
export interface Reservation {
  /** Takes the room, whether there is any or not: the item is due. */
  grantNow(): void;
  /** Gives the room back, or no longer waits for it. */
  release(): void;
}

const free: Cost = { bytes: 0, decoders: 0 };
const bytesPerGigabyte = 96 * 2 ** 20;

/** Counts bytes and decoders of all that is made ready ahead of its start. Who does not fit waits; who is alone always fits. */
export class PreloadBudget {
  readonly #limit: Cost;
  readonly #held = new Set<Waiter>();
  #waiting: Waiter[] = [];

  constructor(limit: Cost) {
    this.#limit = limit;
  }

  /** A tenth of the memory and half a decoder for each core: on four cores with 2 GB that is 192 MB and two clips. */
  static forThisMachine(): PreloadBudget {
    const { hardwareConcurrency } = navigator;
    // Not in TypeScript's library: https://www.w3.org/TR/device-memory/
    const { deviceMemory = 4 } = navigator as Navigator & { deviceMemory?: number };
    return new PreloadBudget({ bytes: deviceMemory * bytesPerGigabyte, decoders: Math.max(1, Math.floor(hardwareConcurrency / 2)) });
  }

  /** Asks for room. `granted` is called once, later than this call: when there is room, or when it is taken. */
  reserve(cost: Cost | undefined, startsAt: number, granted: () => void): Reservation {
    const waiter: Waiter = { cost: cost ?? free, startsAt, granted };
    this.#waiting = [...this.#waiting, waiter].toSorted((a, b) => a.startsAt - b.startsAt);
    queueMicrotask(() => this.#serve());
    return {
      grantNow: () => {
        if (this.#waiting.includes(waiter)) this.#grant(waiter);
      },
      release: () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        if (this.#held.delete(waiter)) queueMicrotask(() => this.#serve());
      },
    };
  }

  /** The earliest start first, and none past another: a small one that slipped by could starve a large one. */
  #serve(): void {
    while (this.#waiting[0] !== undefined && this.#fits(this.#waiting[0].cost)) this.#grant(this.#waiting[0]);
  }

  #grant(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiter);
    this.#held.add(waiter);
    waiter.granted();
  }

  #fits({ bytes, decoders }: Cost): boolean {
    const costs = [...this.#held].map(({ cost }) => cost);
    if (costs.length === 0) return true;
    const held = { bytes: costs.reduce((sum, cost) => sum + cost.bytes, 0), decoders: costs.reduce((sum, cost) => sum + cost.decoders, 0) };
    return held.bytes + bytes <= this.#limit.bytes && held.decoders + decoders <= this.#limit.decoders;
  }
}
