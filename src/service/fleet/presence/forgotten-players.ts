// Until when what devices have sent describes their players no more: heartbeats of other nodes may arrive late.

const keepMs = 600_000;

export class ForgottenPlayers {
  readonly #until = new Map<string, number>();

  /** @param until epoch ms */
  add(playerIds: readonly string[], until: number): void {
    for (const [playerId, at] of this.#until) if (at < until - keepMs) this.#until.delete(playerId);
    for (const playerId of playerIds) this.#until.set(playerId, until);
  }

  /** Whether what was received of a player at this time is to be forgotten. */
  has(playerId: string, receivedAt: number | null): boolean {
    return receivedAt !== null && receivedAt <= (this.#until.get(playerId) ?? Number.NEGATIVE_INFINITY);
  }
}
