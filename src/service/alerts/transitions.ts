// Stores alerts that open or close, with their events, in one transaction for many.
import type { AlertCloseReason, AlertKind } from "../../protocol/operator/alerts.ts";
import type { EventJournal, NewEvent } from "../events/event-journal.ts";
import type { AlertRow } from "../store/tables/events.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import { alertEvent } from "./alert-resource.ts";
import type { Finding } from "./reading.ts";
import type { RosterPlayer } from "./roster.ts";

export type AlertTransition =
  | { is: "opens"; player: RosterPlayer; kind: AlertKind; finding: Finding; since: number; address: string | null; isMailed: boolean }
  | { is: "closes"; row: AlertRow; reason: AlertCloseReason };

interface Writing {
  events: EventJournal;
  makeId: MakeId;
  /** Ms since the epoch. */
  now: number;
}

/** Stores transitions and appends their events. @returns the rows as they are now; an alert of a deleted player is not opened. */
export async function storeTransitions(db: Db, transitions: readonly AlertTransition[], writing: Writing): Promise<AlertRow[]> {
  const opening = transitions.filter((each) => each.is === "opens");
  const present = await presentPlayers(
    db,
    opening.map(({ player }) => player.id),
  );
  const rows: AlertRow[] = [];
  const newEvents: NewEvent[] = [];
  for (const transition of transitions) {
    if (transition.is === "opens") {
      if (!present.has(transition.player.id)) continue;
      const row = openedRow(transition, writing);
      await db.insertInto("alerts").values(row).execute();
      rows.push(row);
      newEvents.push(alertEvent("alert.opened", row));
    } else {
      const row = await close(db, transition.row, transition.reason, writing.now);
      if (row === undefined) continue;
      rows.push(row);
      newEvents.push(alertEvent("alert.closed", row));
    }
  }
  await writing.events.append(db, newEvents);
  return rows;
}

async function presentPlayers(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = db
    .selectFrom("players")
    .select("id")
    .where("removed_at", "is", null)
    .where("id", "in", [...new Set(ids)]);
  return new Set((await rows.execute()).map(({ id }) => id));
}

function openedRow(
  { player, kind, finding, since, address, isMailed }: Extract<AlertTransition, { is: "opens" }>,
  { makeId, now }: Writing,
): AlertRow {
  return {
    id: makeId("alr"),
    team_id: player.teamId,
    created_at: now,
    player_id: player.id,
    player_name: player.name,
    kind,
    state: "open",
    site: player.site,
    address,
    since: Math.trunc(since),
    opened_at: now,
    closed_at: null,
    close_reason: null,
    detail: finding.detail,
    remedy: finding.remedy,
    acknowledged_at: null,
    acknowledged_by: null,
    acknowledged_name: null,
    mail_group: isMailed ? null : "",
  };
}

/** @returns undefined if it is closed already. */
async function close(db: Db, { id }: AlertRow, reason: AlertCloseReason, now: number): Promise<AlertRow | undefined> {
  return db
    .updateTable("alerts")
    .set((row) => ({
      state: "closed" as const,
      closed_at: now,
      close_reason: reason,
      // An alert that closes before it was mailed is not mailed.
      mail_group: row.fn.coalesce("mail_group", row.val("")),
    }))
    .where("id", "=", id)
    .where("state", "=", "open")
    .returningAll()
    .executeTakeFirst();
}
