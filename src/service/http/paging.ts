// Pages of a list, newest first, by keyset: a cursor stays good while rows come and go, and belongs to its filters.
import { sql, type RawBuilder, type SelectQueryBuilder } from "kysely";
import { z } from "zod";
import type { PageQuery } from "../../protocol/operator/resources.ts";
import { digestOf } from "../store/canonical-json.ts";
import type { Tables } from "../store/tables.ts";
import { ProblemError } from "./problem.ts";

const Cursor = z.tuple([z.string()], z.union([z.number().min(-1e15).max(1e15), z.string()]));

type Key = readonly (number | string)[];

// A filter that SQL cannot decide is looked at in parts, so that a rare match does not read the list row by row.
const partOfScan = 500;

interface How<R> {
  /** The columns that order the list, all descending; together they name one row. */
  by?: readonly (keyof R & string)[];
  /** What SQL cannot decide: rows that it refuses are passed over. */
  keep?: (row: R) => boolean;
}

/**
 * A page of `rows`, which say whose and which; the newest come first. Its cost does not depend on how far in it is.
 * `query` holds cursor, limit and the filters, which the cursor is bound to.
 * @throws Refusal 422 for a cursor that we did not make, or made for other filters.
 */
export async function pageOf<DB, TB extends keyof DB, R extends object, T>(
  rows: SelectQueryBuilder<DB, TB, R>,
  query: z.infer<typeof PageQuery>,
  show: (row: R) => T,
  { by = ["created_at", "id"] as (keyof R & string)[], keep }: How<R> = {},
): Promise<{ data: T[]; next_cursor: string | null }> {
  const { cursor, limit, ...filters } = query;
  const bond = digestOf(filters).slice(0, 12);
  const columns = sql.join(by.map((column) => sql.ref(column)));
  const order = sql.join(by.map((column) => sql`${sql.ref(column)} desc`));
  const keyOf = (row: R): Key => by.map((column) => row[column] as number | string);
  const shown: R[] = [];
  let place = placeOf(cursor, bond, by.length);
  for (;;) {
    const after = place === null ? rows : rows.where(sql<boolean>`(${columns}) < (${sql.join([...place])})`);
    // The row too many only says that there are more.
    const most = keep === undefined ? limit + 1 : Math.max(partOfScan, limit + 1);
    const read = await after.orderBy(order).limit(most).execute();
    shown.push(...(keep === undefined ? read : read.filter((row) => keep(row))));
    const lastRead = read.at(-1);
    if (lastRead === undefined || read.length < most || shown.length > limit) break;
    place = keyOf(lastRead);
  }
  const page = shown.slice(0, limit);
  const last = page.at(-1);
  const next = shown.length > limit && last !== undefined ? JSON.stringify([bond, ...keyOf(last)]) : null;
  return { data: page.map(show), next_cursor: next === null ? null : Buffer.from(next).toString("base64url") };
}

/** The place a cursor names, null for the first page. */
function placeOf(cursor: string | undefined, bond: string, length: number): Key | null {
  if (cursor === undefined) return null;
  const [made, ...place] = read(cursor);
  if (place.length !== length) throw badCursor("must be a next_cursor from an earlier page");
  if (made !== bond) throw badCursor("belongs to other filters: begin again without a cursor");
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

/** Whether a name holds the words looked for, blind to case in every script. */
export function nameContains(name: string, words: string): boolean {
  return fold(name).includes(fold(words));
}

/** What both engines can say of {@link nameContains}: never narrower than it, since they fold the case of ASCII alone. */
export function nameMayContain(words: string): RawBuilder<boolean> {
  // The letters i and k are wild too: letters beyond ASCII fold to them.
  const pattern = fold(words)
    .replaceAll(/[\\%_]/g, "\\$&")
    .replaceAll(/[^ -hjl-~]/g, "%");
  return sql<boolean>`lower(name) like ${`%${pattern}%`} escape '\\'`;
}

function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
