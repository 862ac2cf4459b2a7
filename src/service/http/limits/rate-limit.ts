// Limits events per key in a sliding window and requests per key in a fixed window. Kept in memory, bounded, lost at a restart.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Clock } from "../../../base/clock.ts";
import { minuteMs } from "../../../base/time.ts";
import { ProblemError } from "../problem.ts";

// Above this number the oldest keys are dropped, so that a flood of addresses cannot fill the memory.
const maxKeys = 10_000;
// Other nodes are told of keys that use so much of a quota on this one.
const heavyShare = 16;

/** At most `limit` events per key in any `windowMs`. */
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

  /** How long `key` has to wait for its next event, ms; 0 if it need not wait. */
  waitMs(key: string): number {
    const now = this.#clock.monotonic();
    const recent = this.#recent(key, now);
    return recent.length < this.#limit ? 0 : recent[recent.length - this.#limit]! + this.#windowMs - now;
  }

  /** Counts one event. @returns its time, by which it can be taken back */
  record(key: string): number {
    const now = this.#clock.monotonic();
    const recent = [...this.#recent(key, now), now];
    this.#events.delete(key);
    this.#events.set(key, recent);
    if (this.#events.size > maxKeys) this.#events.delete(this.#events.keys().next().value!);
    return now;
  }

  /** Removes one event that {@link record} counted at `at`. */
  takeBack(key: string, at: number): void {
    const events = this.#events.get(key) ?? [];
    const place = events.indexOf(at);
    if (place !== -1) this.#events.set(key, events.toSpliced(place, 1));
  }

  #recent(key: string, now: number): number[] {
    return (this.#events.get(key) ?? []).filter((at) => at > now - this.#windowMs);
  }
}

/** A key's remaining quota, in the headers of draft-ietf-httpapi-ratelimit-headers-11. */
export interface Quota {
  /** `RateLimit-Policy` and `RateLimit`. */
  headers: Record<string, string>;
  /** The time until the window ends if the quota is used up, else 0. */
  waitMs: number;
}

interface QuotaWindow {
  endsAt: number;
  /** On this node. */
  used: number;
  usedByOthers: number;
  /** Greater for each window. */
  number: number;
}

/** A quota of requests per minute and key. A window begins with the key's first request. */
export class Quotas {
  readonly #name: string;
  readonly #policy: string;
  readonly #limit: number;
  readonly #clock: Clock;
  // In the order in which the windows began, which is also the order in which they end.
  readonly #windows = new Map<string, QuotaWindow>();
  #windowCount = 0;

  /** @param limit requests per minute, 1 or more */
  constructor(name: string, limit: number, clock: Clock) {
    this.#name = name;
    this.#policy = `"${name}";q=${limit};w=${minuteMs / 1_000}`;
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Counts a request of `key`. A request over the limit is not counted. */
  take(key: string): Quota {
    const now = this.#clock.monotonic();
    const window = this.#windowOf(key, now);
    const isOver = window.used + window.usedByOthers >= this.#limit;
    if (!isOver) window.used += 1;
    const seconds = Math.ceil((window.endsAt - now) / 1_000);
    return {
      headers: {
        "RateLimit-Policy": this.#policy,
        RateLimit: `"${this.#name}";r=${Math.max(0, this.#limit - window.used - window.usedByOthers)};t=${seconds}`,
      },
      waitMs: isOver ? window.endsAt - now : 0,
    };
  }

  /** This node's use of the keys of which it has served more than a sixteenth of the quota. */
  heavyUse(): { key: string; window_number: number; used: number; leftMs: number }[] {
    const now = this.#clock.monotonic();
    const heavy = [...this.#windows].filter(([, { endsAt, used }]) => endsAt > now && used * heavyShare > this.#limit);
    return heavy.map(([key, { endsAt, number, used }]) => ({ key, window_number: number, used, leftMs: Math.ceil(endsAt - now) }));
  }

  /** Counts requests that other nodes have served. */
  addOthers(key: string, count: number): void {
    this.#windowOf(key, this.#clock.monotonic()).usedByOthers += count;
  }

  /** The number of keys with a window. */
  get size(): number {
    return this.#windows.size;
  }

  #windowOf(key: string, now: number): QuotaWindow {
    const known = this.#windows.get(key);
    if (known !== undefined && known.endsAt > now) return known;
    this.#windows.delete(key);
    for (const [other, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size < maxKeys) break;
      this.#windows.delete(other);
    }
    this.#windowCount += 1;
    const fresh = { endsAt: now + minuteMs, used: 0, usedByOthers: 0, number: this.#windowCount };
    this.#windows.set(key, fresh);
    return fresh;
  }
}

/** Allowed requests per minute. */
export interface RequestLimits {
  /** Per operator's token; default 600. The session of a browser may send ten times as many. */
  token: number;
  /** Per player; default 6,000. */
  player: number;
  /** Per address without a valid token; default 6,000, since many players behind one address may start at once. */
  address: number;
}
export const defaultLimits: RequestLimits = { token: 600, player: 6_000, address: 6_000 };

/** The error for an exceeded limit, with the time to wait. */
export function tooManyRequests(what: string, waitMs: number): ProblemError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new ProblemError("too-many", `${what}: try again in ${seconds} s`, { headers: { "Retry-After": String(seconds) } });
}

/** The key of an IP address: for IPv6 its /64, since one subscriber has a whole /64. A mapped IPv4 address counts as IPv4. */
export function addressKey(address: string): string {
  const bare = address.split("%")[0]!;
  if (isIP(bare) === 0) return "unknown";
  const parsed = ipaddr.process(bare);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`;
}
