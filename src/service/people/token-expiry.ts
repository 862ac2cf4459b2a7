// Ends what is still open under a token when the token ends: sockets and held-back answers.
import type { Clock } from "../../base/clock.ts";
import type { Operator } from "./access.ts";

export class TokenExpiry {
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Calls `listener` once when a token is revoked, expires, loses scopes or its user the team; forgets it when `until` aborts. Only
   * what ends from now on is heard: who registers after asking who calls has to ask again afterwards.
   */
  onEnd({ tokenId, expiresAt }: Pick<Operator, "tokenId" | "expiresAt">, listener: () => void, until: AbortSignal): void {
    if (until.aborted) return;
    const listeners = this.#listeners.get(tokenId) ?? new Set();
    this.#listeners.set(tokenId, listeners.add(listener));
    const heard = new AbortController();
    const forget = () => {
      heard.abort();
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(tokenId) === listeners) this.#listeners.delete(tokenId);
    };
    until.addEventListener("abort", forget, { once: true });
    if (expiresAt !== null) void this.#expire(expiresAt, tokenId, heard.signal);
  }

  /** Ends a token's listeners when its time is over; the first of them does so for all. */
  async #expire(expiresAt: number, tokenId: string, heard: AbortSignal): Promise<void> {
    try {
      // A wait may be shorter than asked: timers have a longest time, and the wall clock may be put back.
      while (this.#clock.now() < expiresAt) await this.#clock.wait(expiresAt - this.#clock.now(), heard);
    } catch (error) {
      if (heard.aborted) return;
      throw error;
    }
    this.notifyEnded([tokenId]);
  }

  /** Tells everything that is open under these tokens. To be called once the change is committed. */
  notifyEnded(tokenIds: readonly string[]): void {
    for (const tokenId of tokenIds) {
      const listeners = this.#listeners.get(tokenId);
      this.#listeners.delete(tokenId);
      for (const listener of listeners ?? []) listener();
    }
  }

  /** How many listen at present. */
  get listenerCount(): number {
    let size = 0;
    for (const listeners of this.#listeners.values()) size += listeners.size;
    return size;
  }
}
