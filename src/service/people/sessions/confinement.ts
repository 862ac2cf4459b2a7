// By whom a session is confined to its team, as its row has it.
import type { SessionMethod } from "../../../protocol/operator/sessions.ts";
import type { SessionRow } from "../../store/tables/people.ts";

const machine = "machine";

/** The column of a new session. @param confinedBy the user who made the link; null: the machine, or there is no link */
export function linkBy(method: SessionMethod, confinedBy: string | null): string | null {
  return method === "link" ? (confinedBy ?? machine) : null;
}

/** The user who made the link that began a session; null: it is the whole person's. */
export function confinedByOf({ link_by }: Pick<SessionRow, "link_by">): string | null {
  return link_by === machine ? null : link_by;
}
