// Ends the connections of a token when the token ends: sockets and pending responses.
import type { Clock } from "../../base/clock.ts";
import { KeyedListeners } from "../../base/async/listeners.ts";
import type { Nodes } from "../nodes/nodes.ts";
import type { Db } from "../store/store.ts";
import type { Operator } from "./operator.ts";

export class TokenExpiry {
  readonly #clock: Clock;
  readonly #nodes: Nodes;
  readonly #listeners = new KeyedListeners<void>();

  constructor(clock: Clock, nodes: Nodes) {
    this.#clock = clock;
    this.#nodes = nodes;
    nodes.onAnnounced("tokens.ended", ({ tokenIds }) => this.notifyEnded(tokenIds));
  }

  /**
   * Calls `listener` once when the token is revoked, expires, loses scopes, or its user leaves the team; removes it when `until`
   * aborts. A token that ended before the call is not reported: callers that looked it up earlier must check it again afterwards.
   */
  onEnd({ tokenId, expiresAt }: Pick<Operator, "tokenId" | "expiresAt">, listener: () => void, until: AbortSignal): void {
    if (until.aborted) return;
    const ended = new AbortController();
    until.addEventListener("abort", () => ended.abort(), { once: true });
    const endOnce = (): void => {
      ended.abort();
      listener();
    };
    this.#listeners.add(tokenId, endOnce, ended.signal);
    if (expiresAt !== null) void this.#expire(expiresAt, tokenId, ended.signal);
  }

  /** Notifies all listeners of a token when it expires. The first of them to wake does so for all. */
  async #expire(expiresAt: number, tokenId: string, ended: AbortSignal): Promise<void> {
    try {
      // One wait may be too short: timers have a maximum, and the wall clock may be set back.
      while (this.#clock.now() < expiresAt) await this.#clock.wait(expiresAt - this.#clock.now(), ended);
    } catch (error) {
      if (ended.aborted) return;
      throw error;
    }
    this.notifyEnded([tokenId]);
  }

  /** Ends the connections of tokens on all nodes, in the transaction that ends the tokens. @returns a function to call after its commit */
  async end(db: Db, tokenIds: readonly string[]): Promise<() => void> {
    if (tokenIds.length > 0) await this.#nodes.announce(db, "tokens.ended", { tokenIds });
    return () => this.notifyEnded(tokenIds);
  }

  /** Ends this node's connections of tokens. */
  notifyEnded(tokenIds: readonly string[]): void {
    for (const tokenId of tokenIds) this.#listeners.notify(tokenId);
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }
}
