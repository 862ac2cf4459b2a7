// Shows: one thing on some screens from one moment to another, asked for in one request.
import { z } from "zod";
import { ImageStyle, TextStyle } from "../content/item-styles.ts";
import { page, PageQuery, Player } from "./resources.ts";
import { Moment } from "../scheduling/moments.ts";
import { WebFields } from "../content/web-items.ts";
import { Color, id, Name, TimeZone, Timestamp } from "../common.ts";

/** Longest time that can be asked for as a span. */
const maxLastsMs = 366 * 86_400_000;

// Programs write instants with their zone's offset: schedules know them in UTC.
const ShowMoment = z
  .string()
  .max(40)
  .transform((text) => (/T[\d:.]+[+-]\d\d:\d\d$/.test(text) && Number.isFinite(Date.parse(text)) ? new Date(text).toISOString() : text))
  .refine(
    (text) => Moment.safeParse(text).success,
    "must be an instant such as 2026-11-21T16:00:00Z, a wall time such as 2026-11-21T16:00, or a date, from 1970 to 2199",
  );
const momentWords =
  "An instant, `2026-11-21T16:00:00Z` or with an offset; or a wall time, `2026-11-21T16:00`, or a date, in `timezone`, else on each player's own clock";

/** `POST /show`. */
export const NewShow = z
  .strictObject({
    asset_id: id("ast").optional().describe("An asset that is ready. One of asset_id, url and text is wanted"),
    url: WebFields.url.optional().describe("A web page"),
    text: TextStyle.text.optional().describe("A text"),
    players: z
      .array(z.string().trim().min(1).max(200))
      .min(1)
      .max(100)
      .optional()
      .describe("Ids of players, or their names as they stand (blind to case)"),
    tags: z.array(Name).min(1).max(50).optional().describe("And players with any of these tags, also those that get one later"),
    everywhere: z.boolean().default(false).describe("All players of the team, instead of players and tags"),
    from: ShowMoment.optional().describe(`${momentWords}. Without it: now`),
    until: ShowMoment.nullable().optional().describe("When it ends, of the same kind as `from`. null: not before it is deleted"),
    lasts_ms: z.int().min(1_000).max(maxLastsMs).optional().describe("How long from `from` on, instead of `until`"),
    timezone: TimeZone.optional().describe("IANA zone of wall times"),
    name: Name.optional().describe("For people; without it made from what is shown"),
    duration_ms: z
      .int()
      .min(1_000)
      .max(86_400_000)
      .optional()
      .describe("Length of one play of the loop. Without it: the media's own, 60 s for a page, 10 s else. Proof of play counts plays"),
    fit: ImageStyle.fit,
    color: Color.default("#ffffff").describe("Of a text"),
    background_color: Color.default("#000000").describe("Behind it"),
    priority: z.int().min(-1_000).max(1_000).default(900).describe("Among schedules; overrides stand above all"),
  })
  .superRefine((show, context) => {
    const fault = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const what = [show.asset_id, show.url, show.text].filter((each) => each !== undefined);
    if (what.length !== 1) fault("asset_id", "give one of asset_id, url and text");
    const isSome = show.players !== undefined || show.tags !== undefined;
    if (show.everywhere === isSome) fault("players", "give players, tags or both, or everywhere: true alone");
    if ((show.until === undefined) === (show.lasts_ms === undefined)) {
      fault("until", "give either until, null for no end, or lasts_ms");
    }
  });
export type NewShow = z.infer<typeof NewShow>;

/** Something about a show that is allowed and hardly meant. */
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
    .describe("planned: not yet; due: now; over: its time has passed; cleared: it, or the schedule that it made, was deleted"),
  asset_id: id("ast").nullable(),
  url: z.string().nullable(),
  text: z.string().nullable(),
  starts_at: z.string().describe("As its schedule has it"),
  ends_at: z.string().nullable().describe("As its schedule has it; null: not before it is deleted"),
  playlist_id: id("pls").describe("The playlist, the layout and the schedule that were made"),
  layout_id: id("lay"),
  schedule_id: id("sch"),
  player_count: z.int().describe("How many players it is for now"),
  created_at: Timestamp,
};
/** A show in a list. */
export const ShowEntry = z.object(entry);
export type ShowEntry = z.infer<typeof ShowEntry>;
export const ShowPage = page(ShowEntry);
export const ShowsQuery = PageQuery;

const ofPlayer = { player_id: id("plr"), name: Name, status: Player.shape.status };

/** A show, and what comes of it. */
export const Show = ShowEntry.extend({
  summary: z.string().describe("When, in words"),
  next_at: Timestamp.nullable().describe("When it begins, or began if it is due; null: never again"),
  players: z.array(z.object(ofPlayer)).describe("The first 100 of those it is for"),
  warnings: z.array(ShowWarning).describe("Why it may not be seen as meant. It is made all the same"),
  undo: z.string().describe("The request that takes all of it back"),
});
export type Show = z.infer<typeof Show>;

/** `GET /show/{id}/proof`: what the players themselves told. */
export const ShowProof = z.object({
  id: id("shw"),
  name: Name,
  status: ShowEntry.shape.status,
  plays: z.int().describe("Plays of which a frame was presented, on all players"),
  duration_ms: z.int().describe("Time on the glass, on all players"),
  players: z
    .array(
      z.object({
        ...ofPlayer,
        is_showing: z.boolean().nullable().describe("By its latest heartbeat; null: it is offline"),
        plays: z.int(),
        failed: z.int().describe("Plays that failed"),
        duration_ms: z.int(),
        first_at: Timestamp.nullable().describe("When the first play began"),
        last_at: Timestamp.nullable().describe("When the last play ended"),
        screenshot_id: id("shot").nullable().describe("The newest picture that was taken while it was due"),
      }),
    )
    .describe("The first 100 of those that it is for or that played it"),
});
export type ShowProof = z.infer<typeof ShowProof>;
