// Reads a list page by page with keyset pagination. A cursor stays valid while rows are added and removed, for the same filters only.
import { sql, type RawBuilder, type SelectQueryBuilder } from "kysely";
import { z } from "zod";
import type { PageQuery } from "../../protocol/operator/resources.ts";
import { digestOf } from "../store/canonical-json.ts";
import type { Tables } from "../store/tables/tables.ts";
import { ProblemError } from "./problem.ts";

const Cursor = z.tuple([z.string()], z.union([z.number().min(-1e15).max(1e15), z.string()]));

type Key = readonly (number | string)[];

// Rows that are filtered in JavaScript are read in batches.
const partOfScan = 500;

interface PageOptions<R> {
  /** The columns that order the list, all descending. Together they identify one row. */
  by?: readonly (keyof R & string)[];
  /** A filter that SQL cannot evaluate. */
  keep?: (row: R) => boolean;
}

/**
 * Reads one page of `rows`, newest first. Later pages cost no more than the first.
 * @param query the cursor, the limit and the filters; a cursor is only valid for the filters it was made with
 * @throws ProblemError 422 for an invalid cursor or one made for other filters.
 */
export async function pageOf<DB, TB extends keyof DB, R extends object, T>(
  rows: SelectQueryBuilder<DB, TB, R>,
  query: z.infer<typeof PageQuery>,
  show: (row: R) => T,
  { by = ["created_at", "id"] as (keyof R & string)[], keep }: PageOptions<R> = {},
): Promise<{ data: T[]; next_cursor: string | null }> {
  const { cursor, limit, ...filters } = query;
  const filterDigest = digestOf(filters).slice(0, 12);
  const columns = sql.join(by.map((column) => sql.ref(column)));
  const order = sql.join(by.map((column) => sql`${sql.ref(column)} desc`));
  const keyOf = (row: R): Key => by.map((column) => row[column] as number | string);
  const shown: R[] = [];
  let place = placeOf(cursor, filterDigest, by.length);
  for (;;) {
    const after = place === null ? rows : rows.where(sql<boolean>`(${columns}) < (${sql.join([...place])})`);
    // One extra row shows whether there is another page.
    const most = keep === undefined ? limit + 1 : Math.max(partOfScan, limit + 1);
    const read = await after.orderBy(order).limit(most).execute();
    shown.push(...(keep === undefined ? read : read.filter((row) => keep(row))));
    const lastRead = read.at(-1);
    if (lastRead === undefined || read.length < most || shown.length > limit) break;
    place = keyOf(lastRead);
  }
  const page = shown.slice(0, limit);
  const last = page.at(-1);
  const next = shown.length > limit && last !== undefined ? JSON.stringify([filterDigest, ...keyOf(last)]) : null;
  return { data: page.map(show), next_cursor: next === null ? null : Buffer.from(next).toString("base64url") };
}

/** The position that a cursor encodes; null for the first page. */
function placeOf(cursor: string | undefined, filterDigest: string, length: number): Key | null {
  if (cursor === undefined) return null;
  const [cursorDigest, ...place] = read(cursor);
  if (place.length !== length) throw badCursor("must be a next_cursor from an earlier page");
  if (cursorDigest !== filterDigest) throw badCursor("belongs to other filters: start again without a cursor");
  return place;
}

function read(cursor: string): z.infer<typeof Cursor> {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch (cause) {
    throw badCursor("must be a next_cursor from an earlier page", cause);
  }
}

function badCursor(detail: string, cause?: unknown): ProblemError {
  return new ProblemError("invalid", `?cursor: ${detail}`, { errors: [{ pointer: "?cursor", detail }], cause });
}

/** A page of rows whose name contains `q`, if it is given. */
export function pageByName<TB extends keyof Tables, R extends { name: string }, T>(
  rows: SelectQueryBuilder<Tables, TB, R>,
  query: z.infer<typeof PageQuery> & { q?: string | undefined },
  show: (row: R) => T,
): Promise<{ data: T[]; next_cursor: string | null }> {
  const { q } = query;
  if (q === undefined) return pageOf(rows, query, show);
  return pageOf(rows.where(nameMayContain(q)), query, show, { keep: ({ name }) => nameContains(name, q) });
}

/** True if a name contains a text, ignoring case in every script. */
export function nameContains(name: string, words: string): boolean {
  return fold(name).includes(fold(words));
}

/** A SQL prefilter for {@link nameContains}. It may match too much, since the database only folds the case of ASCII letters. */
export function nameMayContain(words: string): RawBuilder<boolean> {
  // The letters i and k also become wildcards: some non-ASCII letters fold to them.
  const pattern = fold(words)
    .replaceAll(/[\\%_]/g, "\\$&")
    .replaceAll(/[^ -hjl-~]/g, "%");
  return sql<boolean>`lower(name) like ${`%${pattern}%`} escape '\\'`;
}

function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
