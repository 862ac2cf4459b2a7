// The desired state of a player: one document with everything that it should play, published under one revision.
import { z } from "zod";
import { PlaylistItem } from "../content/items.ts";
import { Orientation } from "../content/orientation.ts";
import { Zone } from "../operator/resources.ts";
import { LocalDate } from "../scheduling/moments.ts";
import { Variables } from "../scheduling/variables.ts";
import { deviceText } from "../text.ts";
import { DisplayHours } from "./display-hours.ts";
import { DownloadSettings } from "./download-settings.ts";
import { DesiredScreenshots } from "./screenshot-settings.ts";
import { DesiredRelease } from "./updates.ts";
import { Transition } from "../content/transition.ts";
import { WallPart } from "../content/wall.ts";
import { Color, Count, id, Sha256 } from "../common.ts";

/** A file that the state needs, with its size and hash. */
export const DesiredAsset = z
  .object({
    id: id("ast"),
    sha256: Sha256,
    size_bytes: z.int().min(1).max(1e15),
    mime_type: z.string(),
    duration_ms: Count.nullable(),
    page_count: z.int().min(1).max(1e9).optional().describe("Number of pages of a PDF"),
    width: Count.nullable(),
    height: Count.nullable(),
    url: z.string().startsWith("/").describe("Path on the service, to be fetched with the device's access token"),
  })
  .meta({ id: "DesiredAsset" });
export type DesiredAsset = z.infer<typeof DesiredAsset>;

export const DesiredPlaylist = z.object({ id: id("pls"), items: z.array(PlaylistItem) }).meta({ id: "DesiredPlaylist" });
export type DesiredPlaylist = z.infer<typeof DesiredPlaylist>;

/** A zone as players receive it. Its name is cleaned instead of rejected: a name from an older service must not make the state invalid. */
const DesiredZone = Zone.extend({ name: deviceText(200) }).meta({ id: "DesiredZone" });

export const DesiredLayout = z
  .object({
    id: id("lay"),
    width: z.int().min(1).max(1e6),
    height: z.int().min(1).max(1e6),
    background_color: Color,
    background_asset_id: id("ast").optional(),
    transition: Transition.optional().describe("How the layout replaces the one before"),
    zones: z.array(DesiredZone),
  })
  .meta({ id: "DesiredLayout" });
export type DesiredLayout = z.infer<typeof DesiredLayout>;

/**
 * `GET /device/state`. `revision` is a digest of the rest, so equal content has an equal revision, and publishing the
 * same content again changes nothing. `layout: null` means that nothing is assigned.
 */
export const DesiredState = z
  .object({
    revision: z.string().min(1).max(64),
    player: z.object({
      id: id("plr"),
      name: z.string(),
      timezone: z.string().nullable(),
      tags: z.array(z.string()).default([]),
      variables: Variables.default({}),
      orientation: Orientation.optional().describe("Default: landscape"),
      wall: WallPart.optional().describe("The part of a video wall that it shows. Without it: whole layouts"),
      safe_asset_id: id("ast").optional().describe("The image to show in place of withheld content. Without it: a text"),
      release: DesiredRelease.optional().describe("The version of its program that it should run. Without it: the one that it runs"),
      downloads: DownloadSettings.optional().describe("When and how fast it downloads. Default: always, without a limit"),
      display_hours: DisplayHours.optional().describe("When its display is on. Default: always"),
      // Parsed one by one (RecurringCommand): an invalid one must not make the whole state invalid.
      recurring_commands: z.array(z.record(z.string(), z.unknown())).optional().describe("Commands that it runs by itself"),
      screenshots: DesiredScreenshots.optional().describe(
        "Pictures at an interval, and what no picture may show. Default: none, everything",
      ),
    }),
    layout: DesiredLayout.nullable().describe("The layout that plays when nothing else is due"),
    layouts: z.array(DesiredLayout).default([]).describe("Layouts that schedules and overrides refer to"),
    // Parsed one by one (DesiredSchedule): an invalid schedule must not make the whole state invalid.
    schedules: z.array(z.record(z.string(), z.unknown())).default([]).describe("Schedules without their target"),
    calendars: z
      .array(z.object({ id: id("cal"), dates: z.array(LocalDate) }))
      .optional()
      .describe("The calendars that conditions of schedules and items, display hours and recurring commands refer to"),
    playlists: z.array(DesiredPlaylist),
    assets: z.array(DesiredAsset),
  })
  .meta({ id: "DesiredState" });
export type DesiredState = z.infer<typeof DesiredState>;

/** Every loop starts at this instant (UTC), so players with the same state are synchronized without communicating. */
export const loopEpochMs = Date.UTC(2024, 0, 1);
