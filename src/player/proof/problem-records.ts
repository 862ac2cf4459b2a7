// Turns the lists of current problems into records from beginning to end. Pure: no clock, no disk. A problem that comes and goes often
// takes few records.
import { z } from "zod";
import { hourMs, iso } from "../../base/time.ts";
import { maxTimes, ProblemRecord } from "../../protocol/device/problem-records.ts";
import type { PlayerProblem } from "../../protocol/device/player-problems.ts";

/** A record, and the player's notes on it. */
export const KeptRecord = z.object({
  id: z.string(),
  record: ProblemRecord,
  /** When it was created: corrected wall time, ms. */
  createdAt: z.number(),
  /** The problems for which it stands and which last, each by {@link nameOf}. */
  open: z.array(z.string()),
  /** True if the service gets its last change later. */
  isHeldBack: z.boolean(),
});
export type KeptRecord = z.infer<typeof KeptRecord>;

/** Within an hour a code gets at most this many records. The last one then also stands for further problems of the code. */
const maxRecordsPerHour = 4;

export interface RecordsAfter {
  /** Those that may still change. */
  records: KeptRecord[];
  /** Those whose change the service should get now. */
  changed: KeptRecord[];
}

/** @param problems the problems at `now` (corrected wall time, ms). @param newId creates the id of a record. */
export function recordProblems(
  before: readonly KeptRecord[],
  problems: readonly PlayerProblem[],
  now: number,
  newId: () => string,
): RecordsAfter {
  const names = new Set(problems.map(nameOf));
  const records = before.map((kept) => withoutEnded(kept, names, now));
  for (const problem of problems) {
    if (records.some(({ open }) => open.includes(nameOf(problem)))) continue;
    const recent = records.flatMap((kept, index) => (kept.record.code === problem.code && isRecent(kept, now) ? [index] : []));
    if (recent.length < maxRecordsPerHour) records.push(newRecord(problem, now, newId()));
    else records[recent.at(-1)!] = withAnother(records[recent.at(-1)!]!, problem);
  }
  // A record that stands for many problems is sent again once its hour is over, not with each of them.
  const all = records.map((kept) => (kept.isHeldBack && !isRecent(kept, now) ? { ...kept, isHeldBack: false } : kept));
  const earlier = new Map(before.map((kept) => [kept.id, kept]));
  const changed = all.filter(({ id, record, isHeldBack }) => {
    const known = earlier.get(id);
    return !isHeldBack && (known === undefined || known.isHeldBack || known.record !== record);
  });
  return { records: all.filter((kept) => kept.open.length > 0 || isRecent(kept, now)), changed };
}

function withoutEnded(kept: KeptRecord, names: ReadonlySet<string>, now: number): KeptRecord {
  const open = kept.open.filter((name) => names.has(name));
  if (open.length === kept.open.length) return kept;
  if (open.length > 0) return { ...kept, open };
  const endedAt = Math.max(now, Date.parse(kept.record.started_at));
  const isHeldBack = kept.record.times > 1 && isRecent(kept, now);
  return { ...kept, open, record: { ...kept.record, ended_at: iso(endedAt) }, isHeldBack };
}

function withAnother(kept: KeptRecord, problem: PlayerProblem): KeptRecord {
  const record = { ...kept.record, ended_at: null, times: Math.min(kept.record.times + 1, maxTimes) };
  return { ...kept, open: [...kept.open, nameOf(problem)], record, isHeldBack: true };
}

function newRecord(problem: PlayerProblem, now: number, id: string): KeptRecord {
  const { since, ...rest } = problem;
  return {
    id,
    record: { ...rest, started_at: since, ended_at: null, times: 1 },
    createdAt: now,
    open: [nameOf(problem)],
    isHeldBack: false,
  };
}

/** True if the record is less than an hour old. A clock that was set back makes it old. */
function isRecent({ createdAt }: KeptRecord, now: number): boolean {
  return Math.abs(now - createdAt) < hourMs;
}

function nameOf({ code, zone_id, item_id }: PlayerProblem): string {
  return [code, zone_id, item_id].join(" ");
}
