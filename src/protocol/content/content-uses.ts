// Where a playlist or a layout is used, and on which players it can be seen.
import { z } from "zod";
import { id, Name } from "../common.ts";

const useFields = {
  schedules: z.array(z.object({ id: id("sch"), name: Name })).describe("The schedules that show it, also those that are switched off"),
  default_count: z.int().min(0).describe("How many players show it while nothing else is due"),
  player_count: z.int().min(0).describe("On how many players it can be seen: by assignment, schedule or override"),
  players: z.array(z.object({ id: id("plr"), name: Name })).describe("The first 20 of them, by name"),
};

/** `GET /layouts/{id}/uses`. While a player or a schedule uses it, it cannot be deleted. */
export const LayoutUses = z.object(useFields).meta({ id: "LayoutUses" });
export type LayoutUses = z.infer<typeof LayoutUses>;

/** `GET /playlists/{id}/uses`. While a layout uses it, it cannot be deleted. */
export const PlaylistUses = z
  .object({
    layouts: z.array(z.object({ id: id("lay"), name: Name })).describe("The layouts with a zone that shows it"),
    ...useFields,
  })
  .meta({ id: "PlaylistUses" });
export type PlaylistUses = z.infer<typeof PlaylistUses>;
