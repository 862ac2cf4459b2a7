// What happened to a screen and stays true: overrides, skips, pauses, variables that were set. Each stamped with its instant, so that what plays stays a function.
import { z } from "zod";
import { VariableName, VariableValue, type Variables } from "../protocol/scheduling/schedules.ts";

const Stamp = { id: z.string().describe("Of the command that brought it"), at: z.number().describe("When it happened, corrected UTC ms") };

/** Shows something else from `at` to `until`, or until revoked. */
export const Override = z.object({
  ...Stamp,
  is: z.literal("override"),
  until: z.number().nullable(),
  level: z.enum(["normal", "emergency"]),
  loopsFrom: z.number().optional().describe("The instant from which its loops count, the same on all players it is for; without it, `at`"),
  show: z.union([z.object({ layoutId: z.string() }), z.object({ assetId: z.string() })]),
});
export type Override = z.infer<typeof Override>;

/** The play of a zone that began at `startsAt` in its loop gave way at `at`. */
const Skipped = z.object({ ...Stamp, is: z.literal("skip"), zoneId: z.string(), itemId: z.string(), startsAt: z.number() });

/** What was on at `at` stays until `until`. */
export const Pause = z.object({ ...Stamp, is: z.literal("pause"), until: z.number() });
export type Pause = z.infer<typeof Pause>;

/** A variable was set: it has `value` from `at` to `until`, or until it is set anew or cleared. */
export const SetVariable = z.object({
  ...Stamp,
  is: z.literal("variable"),
  until: z.number().nullable(),
  name: VariableName,
  value: VariableValue,
});
export type SetVariable = z.infer<typeof SetVariable>;

/** One thing that happened. */
export const Intervention = z.discriminatedUnion("is", [Override, Skipped, Pause, SetVariable]);
export type Intervention = z.infer<typeof Intervention>;
/** What goes on for a while, or for good. */
export type LastingIntervention = Exclude<Intervention, { is: "skip" }>;

/** Whether it no longer counts at `instant`. */
export function hasEnded({ until }: LastingIntervention, instant: number): boolean {
  return until !== null && until <= instant;
}

/** The override in force at `instant`: emergencies first, then the one that came last. */
export function overridesAt(records: readonly Intervention[], instant: number): Override[] {
  return inForce(records, "override", instant).toSorted(
    (a, b) => levels[b.level] - levels[a.level] || b.at - a.at || (a.id < b.id ? 1 : -1),
  );
}

/** The pause in force at `instant`: of several that overlap, held from where the first began. */
export function pauseAt(records: readonly Intervention[], instant: number): Pause | null {
  return inForce(records, "pause", instant).toSorted((a, b) => a.at - b.at || b.until - a.until)[0] ?? null;
}

/** The settings in force at `instant`, the newest first; of one instant that which ends first, being set for a while. */
export function setVariablesAt(records: readonly Intervention[], instant: number): SetVariable[] {
  return inForce(records, "variable", instant).toSorted(
    (a, b) => b.at - a.at || (a.until ?? endless) - (b.until ?? endless) || (a.id < b.id ? 1 : -1),
  );
}

/** The variables that hold at `instant`: those `given` by the desired state, and above them what was set, the newest first. */
export function variablesAt(given: Variables, records: readonly Intervention[], instant: number): Variables {
  const settings = setVariablesAt(records, instant);
  return settings.length === 0 ? given : { ...given, ...Object.fromEntries(settings.toReversed().map(({ name, value }) => [name, value])) };
}

/** The next instant after `instant` at which a record begins or ends to count; Infinity: none. */
export function nextInterventionChange(records: readonly Intervention[], instant: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const record of records) {
    for (const edge of [record.at, "until" in record ? record.until : null])
      if (edge !== null && edge > instant && edge < next) next = edge;
  }
  return next;
}

/** The records of one kind that count at `instant`. */
function inForce<K extends LastingIntervention["is"]>(
  records: readonly Intervention[],
  kind: K,
  instant: number,
): (LastingIntervention & { is: K })[] {
  const all = records.filter((record): record is LastingIntervention & { is: K } => record.is === kind);
  return all.filter((record) => record.at <= instant && !hasEnded(record, instant));
}

const endless = Number.MAX_SAFE_INTEGER;
const levels = { normal: 0, emergency: 1 };
