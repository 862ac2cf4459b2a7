// The target of a show: screens, tags, or all.
import type { RosterPlayer } from "../../../../src/protocol/operator/roster.ts";

export type TeamScreen = Pick<RosterPlayer, "id" | "name" | "tags" | "status">;

/** The chosen screens and tags. */
export interface Target {
  players: string[];
  tags: string[];
  /** All screens of the team, in place of players and tags. */
  everywhere?: boolean;
}

export const noTarget: Target = { players: [], tags: [] };

/** The screens that a target means now. */
export function screensOf({ players, tags, everywhere = false }: Target, screens: readonly TeamScreen[]): readonly TeamScreen[] {
  if (everywhere) return screens;
  const ids = new Set(players);
  const names = new Set(tags);
  return screens.filter((screen) => ids.has(screen.id) || screen.tags.some((tag) => names.has(tag)));
}

/** True if a target names nothing. */
export function isEmptyTarget({ players, tags, everywhere = false }: Target): boolean {
  return !everywhere && players.length === 0 && tags.length === 0;
}

/** The part of a request to show something that says where. */
export function targetFields({ players, tags, everywhere = false }: Target): { players?: string[]; tags?: string[]; everywhere: boolean } {
  if (everywhere) return { everywhere: true };
  return { everywhere: false, ...(players.length > 0 ? { players } : {}), ...(tags.length > 0 ? { tags } : {}) };
}
