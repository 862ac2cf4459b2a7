// Simulates how players come back after they have lost their nodes. Pure: the same seed gives the same result. The waits are those of the
// player's own code; the service is one queue of work.
import { ReconnectDelay } from "../../../src/player/link/reconnect-delay.ts";
import { Random } from "../../soak/random.ts";
import { EventHeap } from "./event-heap.ts";

export interface Storm {
  /** That have lost their connection at the same time. */
  players: number;
  /** Over how long the service has told them to spread their first attempt, ms. */
  spreadMs: number;
  /** From the loss until a node accepts connections again, ms; 0: others are there. */
  downMs: number;
  /** Handshakes with hello and welcome that the nodes that are left do in a second, all together. */
  acceptsPerS: number;
  /** Requests for the state that they do in a second, if they do nothing else. */
  fetchesPerS: number;
  /** The part of the players whose state has changed meanwhile, so that they fetch it. */
  fetchShare: number;
  /** How long a player waits for its welcome; null: for ever. */
  patience: Patience | null;
  /** The simulation ends at this time at the latest, ms. */
  longestMs: number;
  seed: number;
}

/** What a player does if its socket takes too long: it polls, and is less patient the next time. */
export interface Patience {
  /** The work for a socket whose player has given up, or for a poll, as a part of that for a welcome. */
  wastedShare: number;
  firstMs: number;
  pollingMs: number;
  /** The shortest wait after a poll. */
  pollMs: number;
}

export interface StormResult {
  /** Players that are back when it ends. */
  back: number;
  /** Until so many percent are back, ms; null: not before the end. */
  back50Ms: number | null;
  back99Ms: number | null;
  lastMs: number | null;
  attempts: number;
  /** Attempts while no node was there. */
  refused: number;
  /** Attempts whose player gave up. */
  timedOut: number;
  attemptsPeakPerS: number;
}

export function simulateStorm(storm: Storm): StormResult {
  return new Simulation(storm).run();
}

class Simulation {
  readonly #storm: Storm;
  readonly #random: Random;
  readonly #delays: readonly ReconnectDelay[];
  readonly #isPolling: Uint8Array;
  readonly #events: EventHeap;
  readonly #backAt: number[] = [];
  readonly #attemptsBySecond = new Map<number, number>();
  /** Until when the service is busy with what has arrived. */
  #busyUntil: number;
  #attempts = 0;
  #refused = 0;
  #timedOut = 0;

  constructor(storm: Storm) {
    this.#storm = storm;
    this.#random = new Random(storm.seed);
    this.#isPolling = new Uint8Array(storm.players);
    this.#events = new EventHeap(storm.players);
    this.#busyUntil = storm.downMs;
    this.#delays = Array.from({ length: storm.players }, (_, player) => {
      const delay = new ReconnectDelay(this.#random.next);
      delay.setSpread(storm.spreadMs);
      this.#events.add(delay.next(), player);
      return delay;
    });
  }

  run(): StormResult {
    for (let at = this.#events.nextAt; at <= this.#storm.longestMs; at = this.#events.nextAt) this.#attempt(this.#events.take(), at);
    const back = this.#backAt.filter((at) => at <= this.#storm.longestMs).toSorted((a, b) => a - b);
    const backMs = (share: number): number | null => back[Math.max(0, Math.ceil(share * this.#storm.players) - 1)] ?? null;
    return {
      back: back.length,
      back50Ms: backMs(0.5),
      back99Ms: backMs(0.99),
      lastMs: backMs(1),
      attempts: this.#attempts,
      refused: this.#refused,
      timedOut: this.#timedOut,
      attemptsPeakPerS: this.#attemptsBySecond.values().reduce((most, each) => Math.max(most, each), 0),
    };
  }

  #attempt(player: number, at: number): void {
    const { acceptsPerS, downMs, fetchShare, fetchesPerS } = this.#storm;
    const second = Math.floor(at / 1_000);
    this.#attemptsBySecond.set(second, (this.#attemptsBySecond.get(second) ?? 0) + 1);
    this.#attempts += 1;
    if (at < downMs) {
      this.#refused += 1;
      this.#events.add(at + this.#delays[player]!.next(), player);
      return;
    }
    const givesUpAt = at + this.#patienceOf(player);
    if (this.#doneAt(at, acceptsPerS) > givesUpAt) return this.#giveUp(player, at, givesUpAt);
    const welcomedAt = this.#work(at, acceptsPerS);
    this.#backAt.push(welcomedAt);
    if (this.#random.next() < fetchShare) this.#work(welcomedAt, fetchesPerS);
  }

  /** When work that comes at `at` would be done. */
  #doneAt(at: number, perS: number): number {
    return Math.max(this.#busyUntil, at) + 1_000 / perS;
  }

  /** Adds work that comes at `at` to the queue. @returns when it is done. */
  #work(at: number, perS: number): number {
    this.#busyUntil = this.#doneAt(at, perS);
    return this.#busyUntil;
  }

  #patienceOf(player: number): number {
    const { patience } = this.#storm;
    if (patience === null) return Number.POSITIVE_INFINITY;
    return this.#isPolling[player] === 1 ? patience.pollingMs : patience.firstMs;
  }

  /** Its socket and its poll by HTTP cost work without bringing it back; it tries the socket again later. */
  #giveUp(player: number, cameAt: number, at: number): void {
    const { acceptsPerS, patience } = this.#storm;
    this.#timedOut += 1;
    for (const wasteAt of [cameAt, at]) this.#work(wasteAt, acceptsPerS / patience!.wastedShare);
    this.#isPolling[player] = 1;
    this.#events.add(at + Math.max(this.#delays[player]!.next(), patience!.pollMs), player);
  }
}
