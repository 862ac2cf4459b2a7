// Versions as the API returns them.
import type { Arrival, ContentChange, Version, VersionEntry } from "../../../protocol/operator/publishing.ts";
import { found } from "../../http/problem.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db } from "../../store/store.ts";
import type { VersionChangeRow, VersionRow } from "../../store/tables/content.ts";
import { namesOf } from "../drafts/drafts.ts";
import { showImage } from "../images.ts";
import { imageBy, readImages } from "./stored-images.ts";
import type { Presence } from "../../fleet/presence/presence.ts";

const maxListedChanges = 20;

/** A version of the team. @throws ProblemError 404. */
export async function findVersion(db: Db, teamId: string, number: number): Promise<VersionRow> {
  const row = db.selectFrom("versions").selectAll().where("team_id", "=", teamId).where("number", "=", number);
  return found(await row.executeTakeFirst(), "version");
}

/** The newest version, if it is newer than `number`. */
export async function versionAfter(db: Db, teamId: string, number: number): Promise<VersionEntry | null> {
  const rows = db.selectFrom("versions").selectAll().where("team_id", "=", teamId).where("number", ">", number);
  const newest = await rows.orderBy("number", "desc").limit(1).executeTakeFirst();
  return newest === undefined ? null : ((await showVersions(db, [newest]))[0] ?? null);
}

/** The versions as lists show them. */
export async function showVersions(db: Db, rows: readonly VersionRow[]): Promise<VersionEntry[]> {
  const people = await namesOf(
    db,
    rows.flatMap(({ user_id, proposed_by }) => [user_id, proposed_by]),
  );
  const entries: VersionEntry[] = [];
  for (const row of rows) {
    const changes = await selectChanges(db, row).limit(maxListedChanges).execute();
    entries.push(entryOf(row, changes, people));
  }
  return entries;
}

/** A version with its changes. */
export async function showVersion(db: Db, row: VersionRow): Promise<Version> {
  const people = await namesOf(db, [row.user_id, row.proposed_by]);
  const changes = await selectChanges(db, row).execute();
  const hashes = changes.flatMap(({ before_hash, after_hash }) => [before_hash, after_hash]);
  const images = await readImages(db, row.team_id, hashes);
  const show = ({ kind, resource_id }: VersionChangeRow, hash: string | null) =>
    showImage(kind, row.team_id, resource_id, imageBy(images, hash), row.created_at);
  return {
    ...entryOf(row, changes, people),
    changes: changes.map((each) => ({ ...changeOf(each), before: show(each, each.before_hash), after: show(each, each.after_hash) })),
  };
}

/** The versions that changed a resource. */
export function versionsOf(db: Db, teamId: string, resourceId: string) {
  const changed = db.selectFrom("version_changes").select("version_id").where("team_id", "=", teamId).where("resource_id", "=", resourceId);
  return db.selectFrom("versions").selectAll().where("team_id", "=", teamId).where("id", "in", changed);
}

/** One of the versions that changed a resource. */
export function findVersionOf(db: Db, teamId: string, resourceId: string) {
  return versionsOf(db, teamId, resourceId).limit(1).executeTakeFirst();
}

function selectChanges(db: Db, { id }: VersionRow) {
  return db.selectFrom("version_changes").selectAll().where("version_id", "=", id).orderBy("kind").orderBy("resource_id");
}

function entryOf(row: VersionRow, changes: readonly VersionChangeRow[], people: Awaited<ReturnType<typeof namesOf>>): VersionEntry {
  return {
    id: row.id,
    number: row.number,
    created_by: people.get(row.user_id ?? "") ?? null,
    note: row.note,
    draft_id: row.draft_id,
    proposed_by: people.get(row.proposed_by ?? "") ?? null,
    restored_from: row.restored_from,
    change_count: row.change_count,
    changes: changes.map(changeOf),
    created_at: new Date(row.created_at).toISOString(),
  };
}

function changeOf({ kind, resource_id, name, action }: VersionChangeRow): ContentChange {
  return { kind, id: resource_id, name, action };
}

/** The players to which a version gave a new revision. */
export async function targetsOf(db: Db, version: VersionRow): Promise<{ id: string; name: string; given: string; desired: string }[]> {
  const targets = await db.selectFrom("version_players").selectAll().where("version_id", "=", version.id).execute();
  const given = new Map(targets.map(({ player_id, revision }) => [player_id, revision]));
  const players: { id: string; name: string; given: string; desired: string }[] = [];
  for (const chunk of inChunks([...given.keys()])) {
    const rows = db
      .selectFrom("players")
      .select(["id", "name", "revision"])
      .where("team_id", "=", version.team_id)
      .where("id", "in", chunk);
    for (const { id, name, revision } of await rows.where("removed_at", "is", null).execute()) {
      players.push({ id, name, given: given.get(id)!, desired: revision });
    }
  }
  return players.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A screen with the revision that the version gave it, and the one that it should play now. */
interface Target {
  id: string;
  name: string;
  given: string;
  desired: string;
}

export function arrivalOf(presence: Presence, number: number, targets: readonly Target[]): Arrival {
  const screens = targets.map(({ id: player_id, name, given, desired }): Arrival["screens"][number] => {
    const content = presence.latest(player_id)?.heartbeat.content;
    const plays = content?.applied_revision ?? null;
    const own = { player_id, name };
    // A later revision contains this version, or the change that replaced it.
    if (plays !== null && (plays === given || plays === desired)) return { ...own, state: "playing", detail: null };
    if (!presence.isOnline(player_id))
      return { ...own, state: "offline", detail: "It is not connected: it gets the content when it returns" };
    if (content?.is === "failed" && (content.revision === given || content.revision === desired)) {
      return { ...own, state: "failed", detail: content.detail };
    }
    return { ...own, state: "waiting", detail: content?.detail ?? null };
  });
  const count = (state: Arrival["screens"][number]["state"]) => screens.filter((screen) => screen.state === state).length;
  const counts = { playing: count("playing"), waiting: count("waiting"), offline: count("offline"), failed: count("failed") };
  return { number, counts, screens };
}
