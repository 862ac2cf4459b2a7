// The event of a change of a playlist, layout, schedule or calendar.
import type { EventType } from "../../protocol/operator/events.ts";
import type { ContentKind } from "../../protocol/operator/publishing.ts";
import type { WriteEvent } from "../operations/unit-of-work.ts";

type ContentEventType = Extract<EventType, `${ContentKind}.${string}`>;

interface ContentRow {
  id: string;
  team_id: string;
  name: string;
  /** Of a schedule. */
  layout_id?: string;
}

/** The event's data are the id and the name of the resource, and of a schedule the id of its layout. */
export function contentEvent(type: ContentEventType, { id, team_id: teamId, name, layout_id }: ContentRow): WriteEvent {
  const [kind] = type.split(".");
  return { teamId, type, data: { [`${kind}_id`]: id, name, ...(layout_id === undefined ? {} : { layout_id }) } };
}
