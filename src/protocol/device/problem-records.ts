// Records of a player's problems from their beginning to their end, also of those that come and go while it is offline.
import { z } from "zod";
import { PageQuery } from "../operator/resources.ts";
import { id, Timestamp } from "../common.ts";
import { PlayerProblem } from "./player-problems.ts";

/** The highest `times` of a record. */
export const maxTimes = 1_000_000;

/** `PUT /device/problems/{id}`: a problem that has begun, or has ended. The device chooses the id. */
export const ProblemRecord = PlayerProblem.omit({ since: true })
  .extend({
    started_at: Timestamp.describe("When it began, by the player's corrected clock"),
    ended_at: Timestamp.nullable().describe(
      "When it ended; null: not yet. A problem that ends while the player is off ends with its next start",
    ),
    times: z
      .int()
      .min(1)
      .max(maxTimes)
      .describe(
        "How often it occurred. Above 1: it came and went often, and the record stands for all problems of its code since `started_at`",
      ),
  })
  .meta({ id: "ProblemRecord" });
export type ProblemRecord = z.infer<typeof ProblemRecord>;

/** A recorded problem in the REST API. */
export const RecordedProblem = ProblemRecord.extend({
  id: id("prb"),
  player_id: id("plr"),
  received_at: Timestamp.describe("When the service received the record, or its last change"),
}).meta({ id: "RecordedProblem" });
export type RecordedProblem = z.infer<typeof RecordedProblem>;

/** `GET /players/{id}/problems`. */
export const RecordedProblemsQuery = PageQuery.extend({
  code: PlayerProblem.shape.code.optional(),
  from: Timestamp.optional().describe("Problems that began at this time or later"),
  to: Timestamp.optional().describe("Problems that began before this time"),
});
export type RecordedProblemsQuery = z.infer<typeof RecordedProblemsQuery>;
