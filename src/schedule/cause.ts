// Names why content is on screen in one text, which the page receives with each slot and returns when it has played it.
import { z } from "zod";
import { PlayLayer } from "../protocol/device/play-events.ts";
import type { Cause } from "./decide.ts";

/** Why content is on screen, for proof of play. */
export interface PlayCause {
  /** For an asset that an override shows without a layout: a layout id that contains the asset's id. */
  layoutId: string;
  layer: PlayLayer;
  /** Of the schedule, also if it is an interrupt. */
  scheduleId: string | null;
  /** Of the command that set the override. */
  overrideId: string | null;
}

const Fields = z.tuple([PlayLayer, z.string().min(1), z.string().min(1)]);
const noId = "-";

/** The cause of a decision that shows a layout. */
export function playCauseOf(cause: Cause, layoutId: string): PlayCause {
  switch (cause.is) {
    case "override":
      return { layoutId, layer: "override", scheduleId: null, overrideId: cause.override.id };
    case "interrupt":
    case "schedule":
      return { layoutId, layer: cause.is, scheduleId: cause.active.entry.schedule.id, overrideId: null };
    case "default":
    case "nothing":
      return { layoutId, layer: "default", scheduleId: null, overrideId: null };
  }
}

/** The text of a cause. Equal causes have equal texts; the page does not interpret them. */
export function formatCause({ layer, layoutId, scheduleId, overrideId }: PlayCause): string {
  return `${layer} ${layoutId} ${overrideId ?? scheduleId ?? noId}`;
}

/** Reads a text of {@link formatCause}; null for any other text. */
export function parseCause(text: string): PlayCause | null {
  const fields = Fields.safeParse(text.split(" "));
  if (!fields.success) return null;
  const [layer, layoutId, id] = fields.data;
  return {
    layoutId,
    layer,
    scheduleId: layer === "schedule" || layer === "interrupt" ? id : null,
    overrideId: layer === "override" ? id : null,
  };
}
