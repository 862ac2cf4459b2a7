// A heartbeat over the socket that carries only the fields that have changed since the one before it.
import { z } from "zod";
import { ContentState, Heartbeat, PresentedItem, ShownReason } from "./heartbeat.ts";
import { Telemetry } from "./telemetry.ts";
import { deviceText } from "../text.ts";

/** The name of this ability in the list `features` of the message `welcome`. */
export const heartbeatDeltaFeature = "heartbeat-delta";

/** The fields of a heartbeat whose own fields are compared one by one, and the lists whose entries are. Others are sent as a whole. */
export const nestedFields = ["content", "telemetry"] as const;
export const listFields = ["now_playing", "why"] as const;

export const HeartbeatDelta = z
  .object({
    base: deviceText(64).describe("The `id` of the message with the heartbeat before it on this connection, to which it adds"),
    set: Heartbeat.partial()
      .extend({
        content: ContentState.partial().optional(),
        telemetry: Telemetry.partial().optional(),
        now_playing: z.array(PresentedItem.partial()).max(200).optional(),
        why: z.array(ShownReason.partial()).max(20).optional(),
      })
      .describe(
        "The fields that have changed. Of `content` and `telemetry` only the parts that have changed. `now_playing` and `why` are lists of the new length, each entry with the fields that differ from the entry at its place before",
      ),
    unset: z
      .array(deviceText(64))
      .max(64)
      .default([])
      .describe("The fields that are missing now, such as `update`, or a part such as `telemetry.display`"),
  })
  .meta({ id: "HeartbeatDelta" });
export type HeartbeatDelta = z.infer<typeof HeartbeatDelta>;
