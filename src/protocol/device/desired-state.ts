// What a screen should do: one document, published whole under one revision.
import { z } from "zod";
import { PlaylistItem } from "../content/items.ts";
import { Orientation } from "../content/orientation.ts";
import { Zone } from "../operator/resources.ts";
import { LocalDate } from "../scheduling/moments.ts";
import { Variables } from "../scheduling/variables.ts";
import { deviceText } from "../text.ts";
import { Transition } from "../content/transition.ts";
import { WallPart } from "../content/wall.ts";
import { Color, Count, id, Sha256 } from "../common.ts";

/** A file that the document needs, with what proves it. */
export const DesiredAsset = z.object({
  id: id("ast"),
  sha256: Sha256,
  size_bytes: z.int().min(1).max(1e15),
  mime_type: z.string(),
  duration_ms: Count.nullable(),
  page_count: z.int().min(1).max(1e9).optional().describe("Of a PDF"),
  width: Count.nullable(),
  height: Count.nullable(),
  url: z.string().startsWith("/").describe("Path at the service, fetched with the device's access token"),
});
export type DesiredAsset = z.infer<typeof DesiredAsset>;

export const DesiredPlaylist = z.object({ id: id("pls"), items: z.array(PlaylistItem) });
export type DesiredPlaylist = z.infer<typeof DesiredPlaylist>;

/** A zone as players get it. Its name is cleaned, not refused: an older service may have one, and the rest is wanted all the same. */
export const DesiredZone = Zone.extend({ name: deviceText(200) });

export const DesiredLayout = z.object({
  id: id("lay"),
  width: z.int().min(1).max(1e6),
  height: z.int().min(1).max(1e6),
  background_color: Color,
  background_asset_id: id("ast").optional(),
  transition: Transition.optional().describe("How the layout comes in"),
  zones: z.array(DesiredZone),
});
export type DesiredLayout = z.infer<typeof DesiredLayout>;

/**
 * `GET /device/state`: the truth. `revision` is a digest of the rest, so equal content has an equal revision and
 * an identical push changes nothing. `layout: null` means empty: nothing assigned.
 */
export const DesiredState = z.object({
  revision: z.string().min(1).max(64),
  player: z.object({
    id: id("plr"),
    name: z.string(),
    timezone: z.string().nullable(),
    tags: z.array(z.string()).default([]),
    variables: Variables.default({}),
    orientation: Orientation.optional().describe("Without it: landscape"),
    wall: WallPart.optional().describe("The part of a video wall that it shows. Without it: each layout whole"),
  }),
  layout: DesiredLayout.nullable().describe("What plays when nothing else is due"),
  layouts: z.array(DesiredLayout).default([]).describe("The other layouts that schedules and overrides name"),
  // Each is parsed by itself (DesiredSchedule): one that a player cannot read costs that one, not the document.
  schedules: z.array(z.record(z.string(), z.unknown())).default([]).describe("Schedules, without target"),
  calendars: z
    .array(z.object({ id: id("cal"), dates: z.array(LocalDate) }))
    .optional()
    .describe("The dates of the calendars that conditions of schedules name"),
  playlists: z.array(DesiredPlaylist),
  assets: z.array(DesiredAsset),
});
export type DesiredState = z.infer<typeof DesiredState>;

/** Every loop counts from this instant (UTC), so players with the same state are in step without talking. */
export const loopEpochMs = Date.UTC(2024, 0, 1);
/** How long an item stays that has neither a duration nor media with one. */
export const defaultItemDurationMs = 10_000;
