// The API schemas of rollouts: a version of the player's program that reaches the players of a team in rings.
import { z } from "zod";
import { Count, id, Name, Timestamp } from "../common.ts";
import { DesiredRelease, ReleaseVersion } from "../device/updates.ts";
import { Opening } from "../scheduling/opening-hours.ts";
import { checkWindows, installFields } from "./release-choice.ts";
import { PageQuery, TargetWarning } from "./resources.ts";

const month = 43_200;

/** Running: it goes on by itself. Paused and halted: until it is resumed. Finished, aborted and replaced: it has ended. */
export const RolloutStatus = z.enum(["running", "paused", "halted", "finished", "aborted", "replaced"]).meta({ id: "RolloutStatus" });
export type RolloutStatus = z.infer<typeof RolloutStatus>;

/** The progress of one player. */
export const RolloutPlayerState = z
  .enum([
    "waiting",
    "downloading",
    "installing",
    "probation",
    "kept",
    "failed",
    "control-failed",
    "blocked",
    "offline",
    "unsupported",
    "left",
  ])
  .describe(
    "`waiting`: it has not begun; `probation`: it runs the version and is being watched, or it went back and the version before is put to the same test; `kept`: it passed; `failed`: it went back or refused the version; `control-failed`: it went back, but the version before failed the same test, so the version is not blamed; `blocked`: it cannot begin; `offline`: not reachable before it has finished; `unsupported`: no launcher started it, so it cannot update itself; `left`: an operator gave it another version",
  )
  .meta({ id: "RolloutPlayerState" });
export type RolloutPlayerState = z.infer<typeof RolloutPlayerState>;

/** A ring, as operators define it. */
export const NewRing = z
  .strictObject({
    name: Name.optional(),
    tags: z.array(Name).min(1).max(50).optional().describe("Players with any of these tags. Default: all players of the team"),
    percent: z
      .int()
      .min(1)
      .max(100)
      .default(100)
      .describe("The share of these players. The choice is random, but stays: a larger share includes every smaller one"),
    wait_minutes: z.int().min(0).max(month).default(60).describe("How long the ring is watched after its players have finished"),
  })
  .meta({ id: "NewRing" });
export type NewRing = z.infer<typeof NewRing>;

const MaxFailurePercent = z
  .int()
  .min(0)
  .max(100)
  .describe("The rollout halts when more than this share of the players of a ring that ran the version has failed");

const limits = {
  max_failure_percent: MaxFailurePercent,
  min_players_for_halt: z
    .int()
    .min(1)
    .max(10_000)
    .describe(
      "How many players of a ring must have run the version before their failures halt the rollout. Once the ring is done, any number",
    ),
  done_percent: z.int().min(1).max(100).describe("The share of a ring's players that must have finished before the ring is done"),
  offline_after_minutes: z
    .int()
    .min(0)
    .max(month)
    .describe("A player that has been offline for this long no longer delays its ring. It gets the version when it is back"),
};

/** `POST /rollouts`. */
export const NewRollout = z
  .strictObject({
    version: ReleaseVersion,
    name: Name.optional().describe("Default: `Version` and the version"),
    rings: z.array(NewRing).min(1).max(20).describe("In their order. A player belongs to the first ring that selects it"),
    ...installFields,
    max_failure_percent: limits.max_failure_percent.default(5),
    min_players_for_halt: limits.min_players_for_halt.default(5),
    done_percent: limits.done_percent.default(95),
    offline_after_minutes: limits.offline_after_minutes.default(1_440),
    replace: z.boolean().default(false).describe("Ends the rollouts in progress that select some of the same players"),
  })
  .superRefine(checkWindows)
  .superRefine(({ rings }, context) => {
    for (const [index, ring] of rings.entries()) {
      const same = rings.slice(0, index).findLast((earlier) => tagKey(earlier) === tagKey(ring));
      if (same === undefined || ring.percent > same.percent) continue;
      const message = `must be greater than the ${same.percent} of the earlier ring for the same screens: this ring would select nobody`;
      context.addIssue({ code: "custom", path: ["rings", index, "percent"], message, input: ring.percent });
    }
  })
  .meta({ id: "NewRollout" });
export type NewRollout = z.infer<typeof NewRollout>;

function tagKey({ tags = [] }: NewRing): string {
  return JSON.stringify(tags.toSorted());
}

/** `POST /rollouts/{id}/resume`. */
export const RolloutResume = z
  .strictObject({
    max_failure_percent: MaxFailurePercent.optional().describe("Another limit for the rest of the rollout"),
    next_ring: z.boolean().default(false).describe("Begins the next ring without waiting for the current one"),
  })
  .meta({ id: "RolloutResume" });

/** `POST /rollouts/{id}/abort`. */
export const RolloutAbort = z
  .strictObject({
    install: DesiredRelease.shape.install.optional().describe("When players go back. Default: as in the rollout"),
  })
  .meta({ id: "RolloutAbort" });

/** The players of a ring or a rollout, counted by their state. Players that left or were deleted are not counted. */
export const RolloutProgress = z
  .object({
    waiting: Count,
    downloading: Count,
    installing: Count,
    probation: Count,
    kept: Count,
    failed: Count,
    control_failed: Count,
    blocked: Count,
    offline: Count,
    unsupported: Count,
  })
  .meta({ id: "RolloutProgress" });
export type RolloutProgress = z.infer<typeof RolloutProgress>;

/** A ring with its progress. */
export const Ring = z
  .object({
    number: z.int().min(1),
    name: Name.nullable(),
    tags: z.array(Name).nullable().describe("Null: all players of the team"),
    percent: z.int(),
    wait_minutes: z.int(),
    status: z
      .enum(["planned", "running", "watched", "done"])
      .describe("`watched`: its players have finished, and `wait_minutes` are not over"),
    players: Count.describe("The players that have been given the version"),
    progress: RolloutProgress,
    failure_percent: z.number().nullable().describe("Failed players of those that ran the version; null: none ran it"),
  })
  .meta({ id: "Ring" });
export type Ring = z.infer<typeof Ring>;

/** A rollout. */
export const Rollout = z
  .object({
    id: id("rol"),
    team_id: id("team"),
    name: Name,
    version: ReleaseVersion,
    status: RolloutStatus,
    reason: z.string().nullable().describe("Why it halted or ended"),
    waits_for: z.string().nullable().describe("What the next step waits for; null: it has ended"),
    ring: z.int().min(1).describe("The current ring"),
    rings: z.array(Ring),
    progress: RolloutProgress.describe("Of all rings"),
    install: DesiredRelease.shape.install,
    windows: z.array(Opening).nullable().describe("Null: from 02:00 to 05:00"),
    ...limits,
    ring_started_at: Timestamp,
    watched_until: Timestamp.nullable().describe("When the watch of the current ring ends; null: it has not begun"),
    created_at: Timestamp,
    updated_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: "Rollout" });
export type Rollout = z.infer<typeof Rollout>;
/** The response to `POST /rollouts`. */
export const CreatedRollout = Rollout.extend({
  selected_players: Count.describe("How many players all rings select now"),
  warnings: z.array(TargetWarning).describe("Rings that select no player. The rollout starts anyway"),
}).meta({ id: "CreatedRollout" });

/** A player of a rollout. */
export const RolloutPlayer = z
  .object({
    player_id: id("plr"),
    name: Name,
    ring: z.int().min(1),
    state: RolloutPlayerState,
    detail: z.string().nullable().describe("Why it failed or what it waits for, as the player reports it"),
    previous_version: ReleaseVersion.nullable().describe("The version that it ran before; null: not known"),
    changed_at: Timestamp.describe("When its state last changed"),
  })
  .meta({ id: "RolloutPlayer" });
export type RolloutPlayer = z.infer<typeof RolloutPlayer>;

/** The query of `GET /rollouts`. */
export const RolloutsQuery = PageQuery.extend({ status: RolloutStatus.optional() });
/** The query of `GET /rollouts/{id}/players`. */
export const RolloutPlayersQuery = PageQuery.extend({
  state: RolloutPlayerState.optional(),
  ring: z.coerce.number().int().min(1).max(20).optional(),
});
export type RolloutPlayersQuery = z.infer<typeof RolloutPlayersQuery>;
