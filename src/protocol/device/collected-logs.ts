// Logs that the command logs.collect brings from a player to the service.
import { z } from "zod";
import { id, Timestamp } from "../common.ts";

/** A collected log in the REST API. */
export const CollectedLog = z
  .object({
    id: id("log"),
    player_id: id("plr"),
    command_id: id("cmd").nullable(),
    size_bytes: z.int().describe("Of the text"),
    captured_at: Timestamp,
    created_at: Timestamp,
    text_url: z.string().describe("URL of the text"),
  })
  .meta({ id: "CollectedLog" });
export type CollectedLog = z.infer<typeof CollectedLog>;
