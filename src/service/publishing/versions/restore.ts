// Finds the state of content at an earlier version.
import type { ContentRef } from "../../../protocol/operator/publishing.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db } from "../../store/store.ts";
import type { Wanted } from "../apply.ts";
import { invalidFields } from "../../http/problem.ts";
import { readLive } from "../images.ts";
import { imageBy, readImages } from "./stored-images.ts";
import { findVersion } from "./show.ts";

/**
 * The resources that change when content goes back to a version.
 * @param only the resources that go back; undefined: all
 * @throws ProblemError 404.
 */
export async function contentToRestore(db: Db, teamId: string, number: number, only: readonly ContentRef[] | undefined): Promise<Wanted[]> {
  await findVersion(db, teamId, number);
  return contentAt(db, teamId, number, only);
}

/**
 * The differences right after version `number`: each resource that a later version changed, as it was before the first of them.
 * @param only the resources to look at; undefined: all
 */
async function contentAt(db: Db, teamId: string, number: number, only: readonly ContentRef[] | undefined): Promise<Wanted[]> {
  const rows = await db
    .selectFrom("version_changes")
    .select(["kind", "resource_id", "before_hash"])
    .where("team_id", "=", teamId)
    .where("number", ">", number)
    .orderBy("number")
    .execute();
  const asked = only && new Set(only.map(({ id }) => id));
  const first = new Map<string, (typeof rows)[number]>();
  for (const row of rows) {
    if (first.has(row.resource_id) || asked?.has(row.resource_id) === false) continue;
    first.set(row.resource_id, row);
  }
  const images = await readImages(
    db,
    teamId,
    [...first.values()].map(({ before_hash }) => before_hash),
  );
  return [...first.values()].map(({ kind, resource_id: id, before_hash }) => ({ kind, id, image: imageBy(images, before_hash) }));
}

/** @throws ProblemError 422 naming those that the team does not have and never had, as far as versions tell. */
export async function checkKnown(db: Db, teamId: string, refs: readonly ContentRef[]): Promise<void> {
  const known = new Set((await readLive(db, teamId, refs)).keys());
  for (const chunk of inChunks(refs.filter(({ id }) => !known.has(id)).map(({ id }) => id))) {
    const changes = db.selectFrom("version_changes").select("resource_id").distinct().where("team_id", "=", teamId);
    for (const row of await changes.where("resource_id", "in", chunk).execute()) known.add(row.resource_id);
  }
  const errors = refs.flatMap(({ kind, id }, place) =>
    known.has(id) ? [] : [{ pointer: `/only/${place}/id`, detail: `there is no such ${kind}` }],
  );
  if (errors.length > 0) throw invalidFields(errors);
}
