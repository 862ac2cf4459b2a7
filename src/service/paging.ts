// Pages of a list, newest first, by keyset: a cursor stays good while rows come and go.
import { sql, type SelectQueryBuilder } from "kysely";
import { z } from "zod";
import type { PageQuery } from "../protocol/resources.ts";
import { Refusal } from "./problem.ts";

const Place = z.tuple([z.number(), z.string()]);

type Place = z.infer<typeof Place>;

/**
 * A page of `rows`, which say whose and which; the newest come first. Its cost does not depend on how far in it is.
 * @throws Refusal 422 for a cursor that we did not make.
 */
export async function pageOf<DB, TB extends keyof DB, R extends { id: string; created_at: number }, T>(
  rows: SelectQueryBuilder<DB, TB, R>,
  { cursor, limit }: z.infer<typeof PageQuery>,
  show: (row: R) => T,
): Promise<{ data: T[]; next_cursor: string | null }> {
  const place = placeOf(cursor);
  const after = place === null ? rows : rows.where(sql<boolean>`(created_at, id) < (${place[0]}, ${place[1]})`);
  // The row too many only says that there are more.
  const read = await after
    .orderBy(sql`created_at desc, id desc`)
    .limit(limit + 1)
    .execute();
  const shown = read.slice(0, limit);
  const last = shown.at(-1);
  const more = read.length > limit && last !== undefined;
  const next = more ? Buffer.from(JSON.stringify([last.created_at, last.id])).toString("base64url") : null;
  return { data: shown.map(show), next_cursor: next };
}

/** The place a cursor names, null for the first page. */
function placeOf(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null;
  try {
    return Place.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch (cause) {
    const errors = [{ pointer: "?cursor", detail: "must be a next_cursor from an earlier page" }];
    throw new Refusal("invalid", "?cursor: must be a next_cursor from an earlier page", { errors, cause });
  }
}
