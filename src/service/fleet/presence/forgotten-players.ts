// The times until which heartbeats of a player no longer count: those of other nodes may arrive late.

const keepMs = 600_000;

export class ForgottenPlayers {
  readonly #until = new Map<string, number>();

  /** @param until epoch ms */
  add(playerIds: readonly string[], until: number): void {
    for (const [playerId, at] of this.#until) if (at < until - keepMs) this.#until.delete(playerId);
    for (const playerId of playerIds) this.#until.set(playerId, until);
  }

  /** True if a heartbeat that was received of a player at this time no longer counts. */
  has(playerId: string, receivedAt: number | null): boolean {
    return receivedAt !== null && receivedAt <= (this.#until.get(playerId) ?? Number.NEGATIVE_INFINITY);
  }
}
