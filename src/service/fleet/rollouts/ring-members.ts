// Decides which ring of a rollout a player belongs to. Pure.
import { hash } from "node:crypto";
import type { NewRing } from "../../../protocol/operator/rollouts.ts";

/** The fields of a player that decide. */
export interface Candidate {
  id: string;
  /** JSON of its tags. */
  tags: string;
}

/**
 * The first ring that selects a player, counted from 0; null: none does. The share of a ring is decided by a hash of player and
 * rollout: the same for every ring, so that a larger share includes every smaller one, but another for every rollout, so that the
 * same players are not always the first.
 */
export function ringOf(rolloutId: string, rings: readonly NewRing[], player: Candidate): number | null {
  let place: number | undefined;
  const tags = rings.some((ring) => ring.tags !== undefined) ? new Set(JSON.parse(player.tags) as string[]) : new Set<string>();
  for (const [index, ring] of rings.entries()) {
    if (ring.tags !== undefined && !ring.tags.some((tag) => tags.has(tag))) continue;
    if (ring.percent === 100) return index;
    place ??= placeOf(rolloutId, player.id);
    if (place < ring.percent) return index;
  }
  return null;
}

/** A number from 0 to below 100, evenly distributed. */
function placeOf(rolloutId: string, playerId: string): number {
  const digest = hash("sha256", `${rolloutId} ${playerId}`, "buffer");
  return (digest.readUInt32BE(0) / 2 ** 32) * 100;
}
