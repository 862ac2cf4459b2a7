// The API schemas of players, layouts and playlists, and the shapes that all lists and problems share.
import { z } from "zod";
import { NewPlaylistItem, PlaylistItem } from "../content/items.ts";
import { Orientation } from "../content/orientation.ts";
import { DesiredRelease } from "../device/updates.ts";
import { ReleaseChoice } from "./release-choice.ts";
import { Capabilities } from "../device/capabilities.ts";
import { DisplayHours, DisplayHoursInput } from "../device/display-hours.ts";
import { DownloadSettings, DownloadSettingsInput } from "../device/download-settings.ts";
import { RecurringCommand, RecurringCommands } from "../device/recurring-commands.ts";
import { ScreenshotSettings } from "../device/screenshot-settings.ts";
import { Telemetry } from "../device/telemetry.ts";
import { problemFields } from "../device/player-problems.ts";
import { UpdateState } from "../device/updates.ts";
import { pairingCodeAlphabet } from "../pairing-code.ts";
import { ReportedVariables, Variables } from "../scheduling/variables.ts";
import { mostErrors } from "../refusal.ts";
import { Transition } from "../content/transition.ts";
import { Wall, WallPart } from "../content/wall.ts";
import { Color, DeletedAt, id, Name, TimeZone, Timestamp } from "../common.ts";

const Edge = z.int().min(0).max(16_384);
const Size = z.int().min(1).max(16_384);

const stamps = { created_at: Timestamp, updated_at: Timestamp };

/** The field of resources that can be in the bin. */
const binFields = { deleted_at: DeletedAt };

/** An ordered list of items that a zone shows in a loop. */
export const Playlist = z
  .object({
    id: id("pls"),
    name: Name,
    items: z.array(PlaylistItem),
    ...stamps,
    ...binFields,
  })
  .meta({ id: "Playlist" });
export type Playlist = z.infer<typeof Playlist>;

export const NewPlaylist = z
  .strictObject({
    name: Name,
    items: z.array(NewPlaylistItem).max(1_000).default([]),
  })
  .meta({ id: "NewPlaylist" });
export const PlaylistChange = z
  .strictObject({
    name: Name.optional(),
    items: z.array(NewPlaylistItem).max(1_000).optional().describe("Replaces all items"),
  })
  .meta({ id: "PlaylistChange" });

/** A rectangle of a layout, in layout pixels, that shows one playlist. */
export const Zone = z
  .strictObject({
    id: id("zon"),
    name: Name,
    left: Edge,
    top: Edge,
    width: Size,
    height: Size,
    z_index: z.int().min(-1_000).max(1_000).default(0),
    rotation: z.int().min(0).max(359).optional().describe("Degrees clockwise around the zone's center. Default: 0"),
    background_color: Color.optional().describe("By default the zone is transparent"),
    transition: Transition.optional().describe("The transition of items that have none of their own. Default: a cut"),
    playlist_id: id("pls").nullable().default(null),
  })
  .meta({ id: "Zone" });
export type Zone = z.infer<typeof Zone>;
export const NewZone = Zone.extend({
  id: id("zon")
    .optional()
    .describe("The id from an earlier read keeps the zone's identity. Without it, a zone with the same name keeps its id"),
}).meta({ id: "NewZone" });
export type NewZone = z.infer<typeof NewZone>;

/** How a screen is divided into zones. Width and height define the coordinate system; the screen scales it to fit. */
export const Layout = z
  .object({
    id: id("lay"),
    name: Name,
    width: Size,
    height: Size,
    background_color: Color,
    background_asset_id: id("ast").nullable().describe("An image behind all zones that covers the layout"),
    transition: Transition.nullable().describe("The transition when the layout becomes due"),
    zones: z.array(Zone),
    ...stamps,
    ...binFields,
  })
  .meta({ id: "Layout" });
export type Layout = z.infer<typeof Layout>;

export const NewLayout = z
  .strictObject({
    name: Name,
    width: Size.default(1920),
    height: Size.default(1080),
    background_color: Color.default("#000000"),
    background_asset_id: id("ast").nullable().default(null).describe("An image behind all zones that covers the layout"),
    transition: Transition.nullable().default(null).describe("The transition when the layout becomes due; null: a cut"),
    zones: z.array(NewZone).max(100).default([]),
  })
  .meta({ id: "NewLayout" });
export const LayoutChange = z
  .strictObject({
    name: Name.optional(),
    width: Size.optional(),
    height: Size.optional(),
    background_color: Color.optional(),
    background_asset_id: id("ast").nullable().optional(),
    transition: Transition.nullable().optional(),
    zones: z.array(NewZone).max(100).optional().describe("Replaces all zones"),
  })
  .meta({ id: "LayoutChange" });

/** A screen and the device that drives it. */
export const Player = z
  .object({
    id: id("plr"),
    team_id: id("team"),
    name: Name,
    status: z.enum(["online", "offline"]).describe("Online: it is connected or has polled, and has sent a heartbeat within 90 s"),
    layout_id: id("lay").nullable(),
    tags: z.array(Name),
    timezone: z.string().nullable().describe("IANA time zone; null: the time zone that the device reported"),
    variables: Variables.describe("Variables for the conditions of schedules and items"),
    reported_variables: ReportedVariables.nullable().describe(
      "The variables on the player: `variables`, overridden by those that commands and triggers have set there; null: not reported yet",
    ),
    orientation: Orientation.describe("The orientation of the display: the whole picture is rotated to match"),
    wall: WallPart.nullable().describe("The part of a video wall that it shows; null: whole layouts"),
    safe_asset_id: id("ast")
      .nullable()
      .describe(
        "The image, such as a logo, that it shows in place of content that makes its browser fail; null: the team's image, else a text",
      ),
    downloads: DownloadSettings.nullable().describe("When and how fast it downloads; null: always, without a limit"),
    release: DesiredRelease.nullable().describe("The version of its program that it should run; null: the one that it runs"),
    display_hours: DisplayHours.nullable().describe("When its display is on, also without network; null: always"),
    recurring_commands: z.array(RecurringCommand).describe("Commands that it runs by itself, also without network"),
    screenshots: ScreenshotSettings.nullable().describe("Pictures at an interval, and what no picture may show; null: none, everything"),
    maintenance_until: Timestamp.nullable().describe("Somebody works at it: until then it raises no alerts; null or past: nobody does"),
    last_seen_at: Timestamp.nullable(),
    player_version: z.string().nullable(),
    engine: z.string().nullable().describe("The browser engine, such as `chromium 156`"),
    hardware: z.string().nullable(),
    resolution: z.object({ width: z.int(), height: z.int() }).nullable(),
    desired_revision: z.string(),
    applied_revision: z.string().nullable().describe("The revision on screen"),
    in_sync: z.boolean().nullable().describe("Whether the newest revision is on screen; null while it is offline, since that is unknown"),
    update: UpdateState.nullable().describe(
      "The version and slot of its program, and what it does about the version that it should run, by its last heartbeat. Null: its program was not started by a launcher, or it has not reported yet",
    ),
    ...problemFields,
    ...stamps,
    ...binFields,
  })
  .meta({ id: "Player" });
export type Player = z.infer<typeof Player>;

/** `GET /players/{id}`: the player with its device's own report, which is too long for lists. */
export const PlayerDetails = Player.extend({
  capabilities: Capabilities.nullable().describe(
    "What it is able to do, by its last heartbeat; null: an older player, or one that has not reported yet",
  ),
  telemetry: Telemetry.nullable().describe("Its measurements in its last heartbeat; null: an older player, or none yet"),
}).meta({ id: "PlayerDetails" });
export type PlayerDetails = z.infer<typeof PlayerDetails>;

const PairingCode = z
  .string()
  .max(32)
  .transform((code) => code.toUpperCase().replace(/[^A-Z0-9]/g, ""))
  .refine((code) => new RegExp(`^[${pairingCodeAlphabet}]{8}$`).test(code), "must be the eight letters on the screen, such as WDJB-MJHT");

export const PairRequest = z.strictObject({ code: PairingCode, name: Name }).meta({ id: "PairRequest" });
/** `POST /players/{id}/replace`: the code that the new device shows. */
export const ReplaceRequest = z.strictObject({ code: PairingCode }).meta({ id: "ReplaceRequest" });
/** The settings of the device that single and bulk changes share. */
const controlChanges = {
  display_hours: DisplayHoursInput.nullable().optional().describe("When its display is on; null: always"),
  recurring_commands: RecurringCommands.optional().describe("Replaces all commands that it runs by itself"),
  screenshots: ScreenshotSettings.nullable().optional().describe("Pictures at an interval, and what no picture may show; null: none"),
  maintenance_until: Timestamp.nullable().optional().describe("Until then it raises no alerts; null: it does"),
};

export const PlayerChange = z
  .strictObject({
    name: Name.optional(),
    layout_id: id("lay").nullable().optional().describe("Assigns a layout; null removes it"),
    tags: z.array(Name).max(50).optional(),
    timezone: TimeZone.nullable().optional(),
    variables: Variables.optional().describe("Replaces all variables"),
    orientation: Orientation.optional(),
    wall: Wall.nullable().optional().describe("The part of a video wall that it shows; null: whole layouts"),
    safe_asset_id: id("ast")
      .nullable()
      .optional()
      .describe(
        "An image, such as a logo, to show in place of content that makes its browser fail; null: the team's image, else a text that says so",
      ),
    release: ReleaseChoice.nullable()
      .optional()
      .describe("The version of its program that it should run; null: the one that it runs. The player leaves a rollout in progress"),
    downloads: DownloadSettingsInput.nullable().optional().describe("When and how fast it downloads; null: always, without a limit"),
    ...controlChanges,
  })
  .meta({ id: "PlayerChange" });

/** Why a request was rejected (RFC 9457). */
export const Problem = z
  .object({
    type: z.string().describe("A stable URL that explains this problem type"),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("What is wrong and what to do"),
    errors: z
      .array(
        z.object({
          pointer: z.string().describe("An RFC 6901 pointer into the body, or `?name` for a query field"),
          detail: z.string(),
        }),
      )
      .max(mostErrors)
      .optional(),
    more_errors: z.int().min(1).optional().describe("How many errors there are beside those in `errors`; absent: none"),
    request_id: z.string(),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

/** A page of a list, newest first. */
export function page<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().describe("The cursor of the next page; null on the last page"),
  });
}
export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(25),
  cursor: z.string().max(200).optional(),
});

/** A filter by a part of the name. */
export const NameFilter = z.string().trim().min(1).max(200).optional().describe("Part of the name, ignoring case");

const deletedFilter = z.enum(["true", "false"]).default("false").describe("`true` lists only what is in the bin, `false` only what is not");

/** The query of the list of players. */
export const PlayersQuery = PageQuery.extend({
  status: z.enum(["online", "offline"]).optional(),
  tag: Name.optional(),
  q: NameFilter,
  layout_id: id("lay").optional(),
  deleted: deletedFilter,
  has_problems: z.enum(["true", "false"]).optional(),
});
/** The query of a list of resources that can be in the bin. */
export const BinQuery = PageQuery.extend({
  q: NameFilter,
  deleted: deletedFilter,
});
/** The query of a deletion. */
export const DeletionQuery = z.strictObject({
  permanent: z.enum(["true", "false"]).default("false").describe("`true` deletes for good, also from the bin"),
});

/** The players that a bulk request targets: all with a tag, or the listed ones. At most 10,000. */
export const Target = z
  .union([z.strictObject({ tag: Name }), z.strictObject({ player_ids: z.array(id("plr")).min(1).max(10_000) })])
  .meta({ id: "Target" });
export type Target = z.infer<typeof Target>;

/** A warning about a target that is probably not as intended. */
export const TargetWarning = z
  .object({
    code: z.enum(["no-players", "unsupported"]),
    message: z.string(),
    field: z.string().describe("RFC 6901 pointer"),
  })
  .meta({ id: "TargetWarning" });
export type TargetWarning = z.infer<typeof TargetWarning>;

/** `POST /players/bulk`. */
export const BulkPlayerChange = z
  .strictObject({
    target: Target,
    change: z.strictObject({
      layout_id: id("lay").nullable().optional().describe("Assigns a layout to all; null removes it"),
      tags_add: z.array(Name).max(50).default([]),
      tags_remove: z.array(Name).max(50).default([]),
      ...controlChanges,
    }),
  })
  .meta({ id: "BulkPlayerChange" });
export const BulkPlayerChangeResult = z
  .object({
    matched: z.int().describe("The number of targeted players"),
    changed: z.int().describe("The number of players that the request changed"),
    warnings: z.array(TargetWarning).describe("Why it reached no player. The request succeeds anyway"),
  })
  .meta({ id: "BulkPlayerChangeResult" });
