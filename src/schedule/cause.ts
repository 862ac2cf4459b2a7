// Names the cause of what is on: the layout, the layer that brought it and its schedule or override, in one text that the page hands back.
import { z } from "zod";
import { PlayLayer } from "../protocol/device/play-events.ts";
import type { Cause as Winner } from "./decide.ts";

/** Why something is on. */
export interface PlayCause {
  /** Of an asset that an override shows alone: the layout that stands for it, with the asset's own number. */
  layoutId: string;
  layer: PlayLayer;
  /** Of the schedule, an interrupt included. */
  scheduleId: string | null;
  /** Of the command that brought the override. */
  overrideId: string | null;
}

const Words = z.tuple([PlayLayer, z.string().min(1), z.string().min(1)]);
const nobody = "-";

/** The cause of a decision that shows a layout. */
export function playCauseOf(winner: Winner, layoutId: string): PlayCause {
  switch (winner.is) {
    case "override":
      return { layoutId, layer: "override", scheduleId: null, overrideId: winner.override.id };
    case "interrupt":
    case "schedule":
      return { layoutId, layer: winner.is, scheduleId: winner.live.entry.schedule.id, overrideId: null };
    case "default":
    case "nothing":
      return { layoutId, layer: "default", scheduleId: null, overrideId: null };
  }
}

/** A cause as a slot carries it. Equal causes have equal texts; to the page it has no meaning. */
export function formatCause({ layer, layoutId, scheduleId, overrideId }: PlayCause): string {
  return `${layer} ${layoutId} ${overrideId ?? scheduleId ?? nobody}`;
}

/** What {@link formatCause} wrote; null for any other text. */
export function parseCause(text: string): PlayCause | null {
  const words = Words.safeParse(text.split(" "));
  if (!words.success) return null;
  const [layer, layoutId, by] = words.data;
  return {
    layoutId,
    layer,
    scheduleId: layer === "schedule" || layer === "interrupt" ? by : null,
    overrideId: layer === "override" ? by : null,
  };
}
