// The API schemas of shows: one item or layout on some screens for a time, created in one request.
import { z } from "zod";
import { dayMs, iso } from "../../base/time.ts";
import { ImageStyle, TextStyle } from "../content/item-styles.ts";
import { page, PageQuery, Player } from "./resources.ts";
import { Moment } from "../scheduling/moments.ts";
import { WebFields } from "../content/web-items.ts";
import { Color, id, Name, TimeZone, Timestamp } from "../common.ts";

/** The longest `lasts_ms`. */
const maxLastsMs = 366 * dayMs;

// Converts an instant with an offset to UTC, as schedules store it.
const ShowMoment = z
  .string()
  .max(40)
  .transform((text) => (/T[\d:.]+[+-]\d\d:\d\d$/.test(text) && Number.isFinite(Date.parse(text)) ? iso(Date.parse(text)) : text))
  .refine(
    (text) => Moment.safeParse(text).success,
    "must be an instant such as 2026-11-21T16:00:00Z, a local time such as 2026-11-21T16:00, or a date, from 1970 to 2199",
  );
const momentDescription =
  "An instant, `2026-11-21T16:00:00Z` or with an offset; or a local time, `2026-11-21T16:00`, or a date, in `timezone` or, without it, in each screen's time zone";

/** `POST /show`. */
export const NewShow = z
  .strictObject({
    asset_id: id("ast").optional().describe("An asset that is ready. Exactly one of asset_id, url, text and layout_id is required"),
    url: WebFields.url.optional().describe("A web page"),
    text: TextStyle.text.optional().describe("A text"),
    layout_id: id("lay").optional().describe("A layout with at least one playlist. It stays when the show is deleted"),
    players: z
      .array(z.string().trim().min(1).max(200))
      .min(1)
      .max(100)
      .optional()
      .describe("Ids of players, or their exact names (ignoring case)"),
    tags: z.array(Name).min(1).max(50).optional().describe("Also players with any of these tags, including players that get one later"),
    everywhere: z.boolean().default(false).describe("All players of the team, instead of players and tags"),
    from: ShowMoment.optional().describe(`${momentDescription}. Default: now`),
    until: ShowMoment.nullable().optional().describe("The end, in the same form as `from`. Null: it ends when it is deleted"),
    lasts_ms: z.int().min(1_000).max(maxLastsMs).optional().describe("The duration from `from`, instead of `until`"),
    timezone: TimeZone.optional().describe("IANA time zone of local times"),
    name: Name.optional().describe("The display name. By default it is derived from the content"),
    duration_ms: z
      .int()
      .min(1_000)
      .max(dayMs)
      .optional()
      .describe(
        "The length of one play in the loop. Default: the media's own length, 60 s for a web page, otherwise 10 s. Proof of play counts these plays",
      ),
    fit: ImageStyle.fit,
    color: Color.default("#ffffff").describe("Text color"),
    background_color: Color.default("#000000").describe("Background color"),
    priority: z.int().min(-1_000).max(1_000).default(900).describe("Priority among schedules; overrides outrank all schedules"),
    emergency: z
      .boolean()
      .default(false)
      .describe(
        "Also outranks every override and pause, and wakes displays that are off by their hours. It begins now, and ends at an instant or when it is deleted. Requires the scope `commands:write`",
      ),
  })
  .superRefine((show, context) => {
    const fault = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const contents = [show.asset_id, show.url, show.text, show.layout_id].filter((each) => each !== undefined);
    if (contents.length !== 1) fault("asset_id", "give exactly one of asset_id, url, text and layout_id");
    const isSome = show.players !== undefined || show.tags !== undefined;
    if (show.everywhere === isSome) fault("players", "give `players`, `tags` or both, or `everywhere: true` alone");
    if ((show.until === undefined) === (show.lasts_ms === undefined)) {
      fault("until", "give either until, null for no end, or lasts_ms");
    }
    if (show.emergency && show.from !== undefined) fault("from", "an emergency begins now: leave it out");
    if (show.emergency && typeof show.until === "string" && !show.until.endsWith("Z")) {
      fault("until", "an emergency ends at an instant such as 2026-11-21T16:00:00Z, or null: when it is deleted");
    }
  })
  .meta({ id: "NewShow" });
export type NewShow = z.infer<typeof NewShow>;

/** A warning about a show that is probably not as intended. */
const ShowWarning = z.object({
  code: z.string().describe("`no-players`, `offline`, `overridden`, `other-shapes`, `open-ended`, or a code of a schedule's warnings"),
  message: z.string(),
  field: z.string().describe("RFC 6901 pointer into the request"),
});
export type ShowWarning = z.infer<typeof ShowWarning>;

const entry = {
  id: id("shw"),
  name: Name,
  status: z
    .enum(["planned", "due", "over", "cleared"])
    .describe(
      "planned: not started; due: its time is now, and `GET /show/{id}/proof` says which screens show it; over: ended; cleared: the show or its schedule was deleted",
    ),
  asset_id: id("ast").nullable(),
  url: z.string().nullable(),
  text: z.string().nullable(),
  starts_at: z.string().describe("As in its schedule"),
  ends_at: z.string().nullable().describe("As in its schedule; null: it ends when it is deleted"),
  playlist_id: id("pls").describe("The playlist that the show created, or the first one of the layout that it was given"),
  layout_id: id("lay").describe("The layout that the show created or was given"),
  schedule_id: id("sch"),
  priority: z.int().describe("Priority among schedules"),
  is_emergency: z.boolean().describe("Whether it also outranks overrides and pauses"),
  created_by: z
    .object({ user_id: id("usr"), name: Name })
    .nullable()
    .describe("Who created it; null: an older service did not store it"),
  player_count: z.int().describe("The number of players that it currently targets"),
  created_at: Timestamp,
};
/** A show in a list. */
export const ShowEntry = z.object(entry).meta({ id: "ShowEntry" });
export type ShowEntry = z.infer<typeof ShowEntry>;
export const ShowPage = page(ShowEntry).meta({ id: "ShowPage" });
export const ShowsQuery = PageQuery.extend({
  ended: z
    .enum(["true", "false"])
    .optional()
    .describe("`false`: only shows whose time is not over and that were not deleted; `true`: only others"),
});

const ofPlayer = { player_id: id("plr"), name: Name, status: Player.shape.status };

/** A show with its outlook. */
export const Show = ShowEntry.extend({
  summary: z.string().describe("When it is shown, in words"),
  next_at: Timestamp.nullable().describe("When it starts, or started if it is due; null: never again"),
  players: z.array(z.object(ofPlayer)).describe("The first 100 targeted players"),
  warnings: z.array(ShowWarning).describe("Why it may not be seen as intended. The show is created anyway"),
  undo: z.string().describe("The request that undoes the show"),
}).meta({ id: "Show" });
export type Show = z.infer<typeof Show>;

/** The query of `GET /show/{id}/proof`. */
export const ShowProofQuery = z.strictObject({
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0).describe("How many players to leave out at the beginning of the list"),
  limit: z.coerce.number().int().min(1).max(100).default(100).describe("How many players to list"),
});
/** `GET /show/{id}/proof`: the reports of the players. */
export const ShowProof = z
  .object({
    id: id("shw"),
    name: Name,
    status: ShowEntry.shape.status,
    plays: z.int().describe("Plays with at least one presented frame, on all players"),
    duration_ms: z.int().describe("Time on screen, on all players"),
    player_count: z.int().describe("How many players it targets or have played it; `offset` and `limit` page through them"),
    showing_count: z.int().describe("On how many of them it is on now"),
    players: z
      .array(
        z.object({
          ...ofPlayer,
          is_showing: z.boolean().nullable().describe("According to its latest heartbeat; null: the player is offline"),
          plays: z.int(),
          failed: z.int().describe("Plays that failed"),
          duration_ms: z.int(),
          first_at: Timestamp.nullable().describe("When the first play began"),
          last_at: Timestamp.nullable().describe("When the last play ended"),
          screenshot_id: id("shot").nullable().describe("The newest screenshot taken while it was due"),
        }),
      )
      .describe("The players that it targets or that played it, from `offset` on"),
  })
  .meta({ id: "ShowProof" });
export type ShowProof = z.infer<typeof ShowProof>;
