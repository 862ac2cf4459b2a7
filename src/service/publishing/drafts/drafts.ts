// Stores drafts: their changes, each with the resource as it was when the draft first changed it.
import type { ExpressionBuilder } from "kysely";
import { iso } from "../../../base/time.ts";
import type { DraftEntry, DraftState } from "../../../protocol/operator/publishing.ts";
import { found, ProblemError } from "../../http/problem.ts";
import type { Operator } from "../../people/operator.ts";
import type { WriteEvent } from "../../operations/unit-of-work.ts";
import type { EventType } from "../../../protocol/operator/events.ts";
import type { Db } from "../../store/store.ts";
import type { Tables } from "../../store/tables/tables.ts";
import type { DraftChangeRow, DraftRow } from "../../store/tables/content.ts";
import { findTeamRow } from "../../store/tables/team-rows.ts";
import type { ContentWrite } from "../content-writes.ts";
import { nameIn, readLive } from "../images.ts";

/** A draft holds at most this many changes: every read in it applies all of them. */
const maxChanges = 1_000;
/** A team has at most this many drafts that are not published. */
const maxDrafts = 500;

/** A draft of the team. @throws ProblemError 404. */
export async function findDraft(db: Db, teamId: string, draftId: string): Promise<DraftRow> {
  return found(await findTeamRow(db, "drafts", teamId, draftId), "draft");
}

/** The changes of a draft, oldest first. */
export function changesOf(db: Db, draftId: string): Promise<DraftChangeRow[]> {
  return selectKept(db, draftId).where(isChange).execute();
}

/** The changes of a draft, and the resources that it has created and put in its bin. */
export function keptOf(db: Db, draftId: string): Promise<DraftChangeRow[]> {
  return selectKept(db, draftId).execute();
}

function selectKept(db: Db, draftId: string) {
  return db.selectFrom("draft_changes").selectAll().where("draft_id", "=", draftId).orderBy("updated_at").orderBy("resource_id");
}

function isChange(row: ExpressionBuilder<Tables, "draft_changes">) {
  return row.or([row("base", "is not", null), row("after", "is not", null)]);
}

/** @throws ProblemError 409 unless the draft is in one of these states. */
export function checkState(draft: DraftRow, allowed: readonly DraftState[], what: string): void {
  if (allowed.includes(draft.state)) return;
  const reasons: Record<DraftState, string> = {
    open: "it is not proposed",
    returned: "it was returned and not proposed again",
    proposed: "it is proposed and waits for an approval: withdraw the proposal first, or let an editor return it",
    published: `it is published, as version ${draft.version}`,
  };
  throw new ProblemError("wrong-status", `The draft cannot be ${what}: ${reasons[draft.state]}`);
}

/** Stores a new draft. @throws ProblemError 409 if the team has too many. */
export async function insertDraft(db: Db, row: DraftRow): Promise<void> {
  const { count } = await db
    .selectFrom("drafts")
    .select((each) => each.fn.countAll<number>().as("count"))
    .where("team_id", "=", row.team_id)
    .where("state", "!=", "published")
    .executeTakeFirstOrThrow();
  if (Number(count) >= maxDrafts) throw new ProblemError("in-use", `The team has ${maxDrafts} drafts: publish or delete some first`);
  await db.insertInto("drafts").values(row).execute();
}

export async function deleteDraft(db: Db, draftId: string): Promise<void> {
  await db.deleteFrom("draft_changes").where("draft_id", "=", draftId).execute();
  await db.deleteFrom("drafts").where("id", "=", draftId).execute();
}

/** Removes the change of one resource. @returns whether the draft had one */
export async function deleteChange(
  db: Db,
  draftId: string,
  { kind, resource_id }: Pick<DraftChangeRow, "kind" | "resource_id">,
): Promise<boolean> {
  const change = db.deleteFrom("draft_changes").where("draft_id", "=", draftId).where("kind", "=", kind);
  return (await change.where("resource_id", "=", resource_id).executeTakeFirst()).numDeletedRows > 0n;
}

/** The row of a new draft of an operator. */
export function newDraft(id: string, { teamId, userId }: Operator, name: string, note: string | null, now: number): DraftRow {
  const undecided = { proposed_at: null, proposed_by: null, decided_by: null, word: null, version: null };
  return { id, team_id: teamId, created_at: now, updated_at: now, name, note, state: "open", user_id: userId, ...undecided };
}

/**
 * Adds the writes in a draft to its rows in `kept`. A resource that is again as it was when the draft first changed it is no change
 * any more. Must be called when the content is as it is published.
 */
export async function mergeWrites(
  db: Db,
  draft: DraftRow,
  kept: readonly DraftChangeRow[],
  writes: readonly ContentWrite[],
): Promise<void> {
  const known = new Map(kept.map((change) => [change.resource_id, change]));
  const live = await readLive(db, draft.team_id, writes);
  let count = kept.length;
  for (const { kind, id, after, binned, updatedAt } of writes) {
    const existing = known.get(id);
    const base = existing === undefined ? (live.get(id)?.image ?? null) : existing.base;
    await db.deleteFrom("draft_changes").where("draft_id", "=", draft.id).where("resource_id", "=", id).execute();
    if (existing !== undefined) count -= 1;
    if (base === after && binned === null) continue;
    count += 1;
    const about = { draft_id: draft.id, team_id: draft.team_id, kind, resource_id: id, name: nameIn((after ?? binned ?? base)!) };
    await db
      .insertInto("draft_changes")
      .values({ ...about, base, after, binned, updated_at: updatedAt })
      .execute();
  }
  if (count > maxChanges) throw new ProblemError("too-large", `A draft holds at most ${maxChanges} changes: publish it first`);
}

/** Stores a draft's new state. @returns the draft as it is now */
export async function updateDraft(db: Db, draft: DraftRow, change: Partial<DraftRow>, now: number): Promise<DraftRow> {
  // Later than before, so that every change has another ETag.
  const next = { ...draft, ...change, updated_at: Math.max(now, draft.updated_at + 1) };
  await db.updateTable("drafts").set(next).where("id", "=", draft.id).execute();
  return next;
}

export function draftEvent(type: EventType, { team_id: teamId, id: draft_id, name, state }: DraftRow): WriteEvent {
  return { teamId, type, data: { draft_id, name, state }, players: [] };
}

/** The drafts as lists show them. */
export async function showDrafts(db: Db, rows: readonly DraftRow[]): Promise<DraftEntry[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const counts = await db
    .selectFrom("draft_changes")
    .select(["draft_id", (each) => each.fn.countAll<number>().as("count")])
    .where("draft_id", "in", ids)
    .where(isChange)
    .groupBy("draft_id")
    .execute();
  const countOf = new Map(counts.map(({ draft_id, count }) => [draft_id, Number(count)]));
  const people = await namesOf(
    db,
    rows.flatMap(({ user_id, decided_by }) => [user_id, decided_by]),
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    note: row.note,
    state: row.state,
    created_by: people.get(row.user_id) ?? null,
    proposed_at: iso(row.proposed_at),
    decided_by: people.get(row.decided_by ?? "") ?? null,
    word: row.word,
    version: row.version,
    change_count: countOf.get(row.id) ?? 0,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }));
}

/** The names of people by their ids. */
export async function namesOf(db: Db, userIds: readonly (string | null)[]): Promise<Map<string, { user_id: string; name: string }>> {
  const ids = [...new Set(userIds.filter((id) => id !== null))];
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("users").select(["id", "name"]).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, name }) => [id, { user_id: id, name }]));
}
