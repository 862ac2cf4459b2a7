// Moving many players to the bin with one request, and back.
import { z } from "zod";
import { id } from "../common.ts";
import { Target, TargetWarning } from "./resources.ts";

/** `POST /players/bulk/delete`. */
export const BulkPlayerDeletion = z.strictObject({ target: Target }).meta({ id: "BulkPlayerDeletion" });
export const BulkPlayerDeletionResult = z
  .object({
    player_ids: z.array(id("plr")).describe("The players that went to the bin, for `POST /players/bulk/restore`"),
    schedules: z.int().describe("How many schedules went with them: those that target only one of them"),
    warnings: z.array(TargetWarning).describe("Why it reached no player. The request succeeds anyway"),
  })
  .meta({ id: "BulkPlayerDeletionResult" });

/** `POST /players/bulk/restore`. */
export const BulkPlayerRestoration = z
  .strictObject({ player_ids: z.array(id("plr")).min(1).max(10_000) })
  .meta({ id: "BulkPlayerRestoration" });
export const BulkPlayerRestorationResult = z
  .object({
    player_ids: z.array(id("plr")).describe("The players that came back; those that were not in the bin stay as they are"),
  })
  .meta({ id: "BulkPlayerRestorationResult" });
