// Pages of a list, newest first, by keyset: a cursor stays good while rows come and go.
import { z } from "zod";
import type { PageQuery } from "../protocol/resources.ts";
import { Refusal } from "./problem.ts";

const Place = z.tuple([z.number(), z.string()]);

/** Where a page begins: behind the row of this age and id. */
export type Place = z.infer<typeof Place>;

/** The place a cursor names, null for the first page. @throws Refusal 422 for one we did not make. */
export function placeOf(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null;
  try {
    return Place.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch (cause) {
    const errors = [{ pointer: "?cursor", detail: "must be a next_cursor from an earlier page" }];
    throw new Refusal("invalid", "?cursor: must be a next_cursor from an earlier page", { errors, cause });
  }
}

/** Makes the page from `limit + 1` rows: the one too many only says that there are more. */
export function pageOf<R extends { id: string; created_at: number }, T>(
  rows: readonly R[],
  { limit }: z.infer<typeof PageQuery>,
  show: (row: R) => T,
): { data: T[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  const cursor = more ? Buffer.from(JSON.stringify([last.created_at, last.id])).toString("base64url") : null;
  return { data: shown.map(show), next_cursor: cursor };
}
