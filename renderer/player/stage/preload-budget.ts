// Limits the items that all zones together prepare ahead of time, so that upcoming videos do not overload a small machine.
import type { Slot } from "../../../src/protocol/scene.ts";

type Cost = NonNullable<Slot["cost"]>;

interface Request {
  cost: Cost;
  startsAt: number;
  onGrant(): void;
}

/** A part of the budget that is held or waited for. */
export interface Reservation {
  /** Takes the budget even if there is not enough: the item is due. */
  grantNow(): void;
  /** Returns the budget, or stops waiting for it. */
  release(): void;
}

const noCost: Cost = { bytes: 0, decoders: 0 };
const bytesPerGigabyte = 96 * 2 ** 20;

/** Counts the bytes and decoders of all items prepared ahead of their start. An item that does not fit waits; a single item always fits. */
export class PreloadBudget {
  readonly #limit: Cost;
  readonly #grants = new Set<Request>();
  #waiting: Request[] = [];

  constructor(limit: Cost) {
    this.#limit = limit;
  }

  /** 96 MB for each gigabyte of memory and half a decoder for each core: 192 MB and two videos on four cores with 2 GB. */
  static forThisMachine(): PreloadBudget {
    const { hardwareConcurrency } = navigator;
    // Not in TypeScript's library: https://www.w3.org/TR/device-memory/
    const { deviceMemory = 4 } = navigator as Navigator & { deviceMemory?: number };
    return new PreloadBudget({ bytes: deviceMemory * bytesPerGigabyte, decoders: Math.max(1, Math.floor(hardwareConcurrency / 2)) });
  }

  /** Requests a part of the budget. `onGrant` is called once, asynchronously: when it is free, or by `grantNow`. */
  reserve(cost: Cost | undefined, startsAt: number, onGrant: () => void): Reservation {
    const request: Request = { cost: cost ?? noCost, startsAt, onGrant };
    this.#waiting = [...this.#waiting, request].toSorted((a, b) => a.startsAt - b.startsAt);
    queueMicrotask(() => this.#grantWaiting());
    return {
      grantNow: () => {
        if (this.#waiting.includes(request)) this.#grant(request);
      },
      release: () => {
        this.#waiting = this.#waiting.filter((other) => other !== request);
        if (this.#grants.delete(request)) queueMicrotask(() => this.#grantWaiting());
      },
    };
  }

  /** Grants in the order of the starts. A small item does not overtake a large one, which it could starve. */
  #grantWaiting(): void {
    while (this.#waiting[0] !== undefined && this.#fits(this.#waiting[0].cost)) this.#grant(this.#waiting[0]);
  }

  #grant(request: Request): void {
    this.#waiting = this.#waiting.filter((other) => other !== request);
    this.#grants.add(request);
    request.onGrant();
  }

  #fits({ bytes, decoders }: Cost): boolean {
    const costs = [...this.#grants].map(({ cost }) => cost);
    if (costs.length === 0) return true;
    const usage = {
      bytes: costs.reduce((sum, cost) => sum + cost.bytes, 0),
      decoders: costs.reduce((sum, cost) => sum + cost.decoders, 0),
    };
    return usage.bytes + bytes <= this.#limit.bytes && usage.decoders + decoders <= this.#limit.decoders;
  }
}
