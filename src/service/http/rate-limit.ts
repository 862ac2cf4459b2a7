// Limits by key: wrong guesses in a sliding window, requests in a fixed one. In memory, bounded, forgotten at a restart.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Clock } from "../../base/clock.ts";
import { ProblemError } from "./problem.ts";

// Keys beyond this are dropped oldest first: a flood of addresses must not fill the memory.
const maxKeys = 10_000;
const minuteMs = 60_000;

/** At most `limit` events in any `windowMs` for each key. In memory: a restart forgets. */
export class RateLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  readonly #events = new Map<string, number[]>();

  constructor(limit: number, windowMs: number, clock: Clock) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#clock = clock;
  }

  /** How long `key` has to wait for its next event, in ms; 0 when it need not. */
  waitMs(key: string): number {
    const now = this.#clock.monotonic();
    const recent = this.#recent(key, now);
    return recent.length < this.#limit ? 0 : recent[recent.length - this.#limit]! + this.#windowMs - now;
  }

  /** Counts one event. */
  record(key: string): void {
    const now = this.#clock.monotonic();
    const recent = [...this.#recent(key, now), now];
    this.#events.delete(key);
    this.#events.set(key, recent);
    if (this.#events.size > maxKeys) this.#events.delete(this.#events.keys().next().value!);
  }

  #recent(key: string, now: number): number[] {
    return (this.#events.get(key) ?? []).filter((at) => at > now - this.#windowMs);
  }
}

/** What is left to a key, as draft-ietf-httpapi-ratelimit-headers-11 tells it. */
export interface Quota {
  /** `RateLimit-Policy` and `RateLimit`. */
  headers: Record<string, string>;
  /** Until the window ends, when nothing is left; else 0. */
  waitMs: number;
}

/** A quota of requests a minute for each key, in windows that begin with a key's first request. */
export class Quotas {
  readonly #name: string;
  readonly #policy: string;
  readonly #limit: number;
  readonly #clock: Clock;
  // In the order in which the windows began: the first ones end first.
  readonly #windows = new Map<string, { endsAt: number; used: number }>();

  /** @param limit requests a minute, 1 or more. */
  constructor(name: string, limit: number, clock: Clock) {
    this.#name = name;
    this.#policy = `"${name}";q=${limit};w=${minuteMs / 1_000}`;
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Counts a request of `key`; one over the limit is told to wait. */
  take(key: string): Quota {
    const now = this.#clock.monotonic();
    const window = this.#windowOf(key, now);
    const isOver = window.used >= this.#limit;
    if (!isOver) window.used += 1;
    const seconds = Math.ceil((window.endsAt - now) / 1_000);
    return {
      headers: {
        "RateLimit-Policy": this.#policy,
        RateLimit: `"${this.#name}";r=${this.#limit - window.used};t=${seconds}`,
      },
      waitMs: isOver ? window.endsAt - now : 0,
    };
  }

  /** Keys that are remembered at present. */
  get size(): number {
    return this.#windows.size;
  }

  #windowOf(key: string, now: number): { endsAt: number; used: number } {
    const known = this.#windows.get(key);
    if (known !== undefined && known.endsAt > now) return known;
    this.#windows.delete(key);
    for (const [other, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size < maxKeys) break;
      this.#windows.delete(other);
    }
    const fresh = { endsAt: now + minuteMs, used: 0 };
    this.#windows.set(key, fresh);
    return fresh;
  }
}

/** Requests a minute that the service takes. */
export interface RequestLimits {
  /** Of one operator's token; 600 when not given. */
  token: number;
  /** Of one player, by its device token: play events come in batches; 6,000 when not given. */
  player: number;
  /** Of one address without a valid token: a hall of players may ask for their codes at once; 6,000 when not given. */
  address: number;
}
export const defaultLimits: RequestLimits = { token: 600, player: 6_000, address: 6_000 };

/** Refuses with a time to wait. */
export function tooManyRequests(what: string, waitMs: number): ProblemError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new ProblemError("too-many", `${what}: try again in ${seconds} s`, { headers: { "Retry-After": String(seconds) } });
}

/** What an address counts as: itself, or its /64, since that is what one IPv6 subscriber has. Mapped IPv4 is IPv4. */
export function addressKey(address: string): string {
  const bare = address.split("%")[0]!;
  if (isIP(bare) === 0) return "unknown";
  const parsed = ipaddr.process(bare);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`;
}
