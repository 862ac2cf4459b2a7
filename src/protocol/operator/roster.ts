// The roster: every screen of a team in one short row, with its state in words, for lists, pickers and the wall of screens.
import { z } from "zod";
import { Orientation } from "../content/orientation.ts";
import { id, Name, Timestamp } from "../common.ts";
import { page, PageQuery, Player } from "./resources.ts";
import { mostRosterIds, rosterStates } from "./roster-states.ts";

/** How many problems a row lists. */
export const mostRosterProblems = 3;

const RosterState = z.enum(rosterStates).meta({ id: "RosterState" });

const stateTexts = [
  "`wrong`: something is wrong, see `problems`",
  "`offline`: it sends no heartbeats, so nobody knows what it shows",
  "`late`: it shows older content than the published one, for longer than usual",
  "`new`: its device has not connected yet",
  "`empty`: it has nothing to show",
  "`off`: it is off on purpose, by its hours or a command, or somebody works at it",
  "`playing`: all is well",
];

/** One thing that is wrong with a screen. */
const RosterProblem = z.object({
  code: z.string().describe("A code of `problems` in GET /players/{id}, or a kind of alert: dark, full, hot, throttled"),
  since: Timestamp.nullable().describe("Null: unknown"),
  detail: z.string().describe("What is wrong, for people"),
  remedy: z.string().describe("What to do about it"),
});

/** One screen. */
export const RosterPlayer = z
  .object({
    id: id("plr"),
    name: Name,
    tags: z.array(Name),
    status: Player.shape.status,
    state: RosterState.describe(stateTexts.join("; ")),
    state_since: Timestamp.nullable().describe("Since when it is wrong, late, offline or without a device; null: unknown, or it is well"),
    off_reason: z
      .enum(["hours", "command", "override", "maintenance"])
      .nullable()
      .describe("Why it is off; null: it is not, or it did not tell"),
    off_until: Timestamp.nullable().describe("Until when it is off; null: not foreseen"),
    problems: z.array(RosterProblem).max(mostRosterProblems).describe("What is wrong, most severe first"),
    problems_left_out: z.int().min(0).describe("How many further problems there are"),
    last_seen_at: Timestamp.nullable(),
    timezone: z.string().nullable().describe("Its own time zone, else the one that its device reported"),
    orientation: Orientation,
    in_sync: Player.shape.in_sync,
    playing: z
      .object({
        layout_id: id("lay")
          .nullable()
          .describe("Null: something without a layout, such as an emergency message, or one that no longer exists"),
        name: z.string().nullable().describe("The layout's name, else that of the reason for what is shown"),
        layer: z.string().describe("Why: override, pause, interrupt, schedule, default or item"),
      })
      .nullable()
      .describe("What it plays by its latest heartbeat; null: nothing, or it is not known"),
    screenshot: z
      .object({ id: id("shot"), captured_at: Timestamp })
      .nullable()
      .describe("Its newest picture: GET /screenshots/{id}/image"),
  })
  .meta({ id: "RosterPlayer" });
export type RosterPlayer = z.infer<typeof RosterPlayer>;

export const RosterPage = page(RosterPlayer)
  .extend({ total: z.int().describe("How many screens the team has") })
  .meta({ id: "RosterPage" });
export type RosterPage = z.infer<typeof RosterPage>;

/** The query of the roster. */
export const RosterQuery = PageQuery.extend({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  ids: z
    .string()
    .max(40 * mostRosterIds)
    .regex(/^plr_[0-9a-hjkmnp-tv-z]{26}(,plr_[0-9a-hjkmnp-tv-z]{26})*$/, "must be a comma-separated list of ids of screens")
    .refine((ids) => ids.split(",").length <= mostRosterIds, `must be at most ${mostRosterIds} ids`)
    .optional()
    .describe(`Only these players, ${mostRosterIds} at most, such as those that events have named. Ids that do not exist are left out`)
    .meta({ examples: ["plr_01jd3v8q6m9x2k4n7r5t1w0yzh"] }),
});
