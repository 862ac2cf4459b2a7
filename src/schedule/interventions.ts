// Interventions in the schedule: overrides, skips, pauses and variables that were set. Each records its instant, so that the program
// remains a function of state and time.
import { z } from "zod";
import { VariableName, VariableValue, type Variables } from "../protocol/scheduling/variables.ts";

const Origin = { id: z.string().describe("Of the command that caused it"), at: z.number().describe("When it happened, corrected UTC ms") };

/** Shows a layout or an asset from `at` to `until`; null: until it is revoked. */
export const Override = z.object({
  ...Origin,
  is: z.literal("override"),
  until: z.number().nullable(),
  level: z.enum(["normal", "emergency"]),
  loopsFrom: z.number().optional().describe("The instant from which its loops count, the same on all its players. Default: `at`"),
  show: z.union([z.object({ layoutId: z.string() }), z.object({ assetId: z.string() })]),
});
export type Override = z.infer<typeof Override>;

/** A skip ended, at `at`, the play of `itemId` that the loop of the zone had begun at `startsAt`. */
const Skipped = z.object({ ...Origin, is: z.literal("skip"), zoneId: z.string(), itemId: z.string(), startsAt: z.number() });

/** The content on screen at `at` stays until `until`. */
export const Pause = z.object({ ...Origin, is: z.literal("pause"), until: z.number() });
export type Pause = z.infer<typeof Pause>;

/** A variable has `value` from `at` to `until`; null: until it is set again or cleared. */
export const SetVariable = z.object({
  ...Origin,
  is: z.literal("variable"),
  until: z.number().nullable(),
  name: VariableName,
  value: VariableValue,
});
export type SetVariable = z.infer<typeof SetVariable>;

export const Intervention = z.discriminatedUnion("is", [Override, Skipped, Pause, SetVariable]);
export type Intervention = z.infer<typeof Intervention>;
/** An intervention with a duration. */
export type LastingIntervention = Exclude<Intervention, { is: "skip" }>;

export function hasEnded({ until }: LastingIntervention, instant: number): boolean {
  return until !== null && until <= instant;
}

/** The overrides in force at `instant`, the winner first: emergencies, then the newest. */
export function overridesAt(interventions: readonly Intervention[], instant: number): Override[] {
  return inForce(interventions, "override", instant).toSorted(
    (a, b) => levels[b.level] - levels[a.level] || b.at - a.at || (a.id < b.id ? 1 : -1),
  );
}

/** The pause in force at `instant`; if several overlap, the first. */
export function pauseAt(interventions: readonly Intervention[], instant: number): Pause | null {
  return inForce(interventions, "pause", instant).toSorted((a, b) => a.at - b.at || b.until - a.until)[0] ?? null;
}

/** The variables set in force at `instant`, the newest first; of the same instant the one that ends first, since it is temporary. */
export function setVariablesAt(interventions: readonly Intervention[], instant: number): SetVariable[] {
  return inForce(interventions, "variable", instant).toSorted(
    (a, b) => b.at - a.at || (a.until ?? never) - (b.until ?? never) || (a.id < b.id ? 1 : -1),
  );
}

/** The values of all variables at `instant`: those of the desired state, overridden by those set, the newest first. */
export function variablesAt(desired: Variables, interventions: readonly Intervention[], instant: number): Variables {
  const set = setVariablesAt(interventions, instant);
  return set.length === 0 ? desired : { ...desired, ...Object.fromEntries(set.toReversed().map(({ name, value }) => [name, value])) };
}

/** The next instant after `instant` at which an intervention begins or ends; Infinity: none. */
export function nextInterventionChange(interventions: readonly Intervention[], instant: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const intervention of interventions) {
    for (const edge of [intervention.at, "until" in intervention ? intervention.until : null]) {
      if (edge !== null && edge > instant && edge < next) next = edge;
    }
  }
  return next;
}

function inForce<K extends LastingIntervention["is"]>(
  interventions: readonly Intervention[],
  kind: K,
  instant: number,
): (LastingIntervention & { is: K })[] {
  const ofKind = interventions.filter((each): each is LastingIntervention & { is: K } => each.is === kind);
  return ofKind.filter((each) => each.at <= instant && !hasEnded(each, instant));
}

const never = Number.MAX_SAFE_INTEGER;
const levels = { normal: 0, emergency: 1 };
