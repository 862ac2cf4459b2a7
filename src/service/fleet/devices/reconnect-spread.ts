// Over how long the players of a service spread their first reconnect.

// Ten thousand players reconnect within 30 s and leave out the first tenth of it: 370 handshakes a second.
const spreadPerPlayerMs = 3;
const maxSpreadMs = 45_000;

/** The spread for the players of a service, ms. @param online all players in service, not only those of one node. */
export function reconnectSpreadMs(online: number): number {
  return Math.min(maxSpreadMs, online * spreadPerPlayerMs);
}
