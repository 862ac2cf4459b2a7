// Ends what is still open under a token when the token ends: sockets and held-back answers.

export class LiveTokens {
  readonly #listeners = new Map<string, Set<() => void>>();

  /**
   * Calls `listener` once when a token is revoked, loses scopes or its user the team; forgets it when `until` aborts. Only what
   * ends from now on is heard: who registers after asking who calls has to ask again afterwards.
   */
  onEnd(tokenId: string, listener: () => void, until: AbortSignal): void {
    if (until.aborted) return;
    const listeners = this.#listeners.get(tokenId) ?? new Set();
    this.#listeners.set(tokenId, listeners.add(listener));
    const forget = () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(tokenId) === listeners) this.#listeners.delete(tokenId);
    };
    until.addEventListener("abort", forget, { once: true });
  }

  /** Tells everything that is open under these tokens. To be called once the change is committed. */
  end(tokenIds: readonly string[]): void {
    for (const tokenId of tokenIds) {
      const listeners = this.#listeners.get(tokenId);
      this.#listeners.delete(tokenId);
      for (const listener of listeners ?? []) listener();
    }
  }

  /** How many listen at present. */
  get size(): number {
    let size = 0;
    for (const listeners of this.#listeners.values()) size += listeners.size;
    return size;
  }
}
