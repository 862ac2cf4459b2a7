// Keeps computed reports for some minutes, so that their further pages, and many readers of a link, do not compute them again.
import type { Clock } from "../../base/clock.ts";
import { iso, minuteMs } from "../../base/time.ts";
import { ProblemError } from "../http/problem.ts";
import { digestOf } from "../store/canonical-json.ts";

const keptMs = 5 * minuteMs;
// A report has at most 100,000 rows.
const maxKept = 8;

/** The instants that a report covers, ms since the epoch. */
export interface Span {
  from: number;
  to: number;
}

interface Kept {
  at: number;
  rows: Promise<readonly unknown[]>;
}

export class RecentReports {
  readonly #clock: Clock;
  readonly #closing: AbortSignal;
  readonly #kept = new Map<string, Kept>();

  /** @param closing aborts when the service stops */
  constructor(clock: Clock, closing: AbortSignal) {
    this.#clock = clock;
    this.#closing = closing;
  }

  /** The rows of the report that `key` describes: those kept for at most `maxAgeMs`, else computed now. */
  async read<T>(key: unknown, maxAgeMs: number, compute: (signal: AbortSignal) => Promise<readonly T[]>): Promise<readonly T[]> {
    const name = digestOf(key);
    const now = this.#clock.monotonic();
    for (const [other, { at }] of this.#kept) if (at <= now - keptMs) this.#kept.delete(other);
    const kept = this.#kept.get(name);
    if (kept !== undefined && now - kept.at < maxAgeMs) return (await kept.rows) as readonly T[];
    // Not the signal of a request: others may wait for the same report.
    const fresh = { at: now, rows: compute(this.#closing) };
    this.#kept.delete(name);
    this.#kept.set(name, fresh);
    if (this.#kept.size > maxKept) this.#kept.delete(this.#kept.keys().next().value!);
    try {
      return await fresh.rows;
    } catch (error) {
      if (this.#kept.get(name) === fresh) this.#kept.delete(name);
      throw error;
    }
  }

  /**
   * One page of a report. The first page is computed now, those after it are of the same rows while these are kept.
   * @param spanOf the report's span; its further pages have that of the first
   * @throws ProblemError 422 for a cursor of another report.
   */
  async page<T>(
    teamId: string,
    name: string,
    { cursor, limit, ...query }: { cursor?: string | undefined; limit: number },
    spanOf: () => Span,
    compute: (span: Span, signal: AbortSignal) => Promise<readonly T[]>,
  ): Promise<{ data: T[]; from: string; to: string; row_count: number; next_cursor: string | null }> {
    const digest = digestOf({ name, query }).slice(0, 12);
    const place = cursor === undefined ? null : placeOf(cursor, digest);
    const span = place ?? spanOf();
    const key = { teamId, name, query, from: span.from, to: span.to };
    const rows = await this.read(key, place === null ? 0 : keptMs, (signal) => compute(span, signal));
    const start = place?.offset ?? 0;
    const next = start + limit < rows.length ? JSON.stringify([digest, span.from, span.to, start + limit]) : null;
    return {
      data: rows.slice(start, start + limit),
      from: iso(span.from),
      to: iso(span.to),
      row_count: rows.length,
      next_cursor: next === null ? null : Buffer.from(next).toString("base64url"),
    };
  }
}

function placeOf(cursor: string, digest: string): Span & { offset: number } {
  const [cursorDigest, ...numbers] = parse(cursor);
  const isPlace = numbers.length === 3 && numbers.every((each) => Number.isSafeInteger(each) && Number(each) >= 0);
  const [from, to, offset] = numbers as [number, number, number];
  if (!isPlace || from >= to) throw badCursor("must be a next_cursor from an earlier page");
  if (cursorDigest !== digest) throw badCursor("belongs to another report: start again without a cursor");
  return { from, to, offset };
}

function parse(cursor: string): unknown[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(place) ? place : [];
  } catch {
    // The text is no JSON: like any other wrong cursor.
    return [];
  }
}

function badCursor(detail: string): ProblemError {
  return new ProblemError("invalid", `?cursor: ${detail}`, { errors: [{ pointer: "?cursor", detail }] });
}
