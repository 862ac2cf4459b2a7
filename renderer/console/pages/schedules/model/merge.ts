// Merges the edits of two people of one schedule: the changes of each are kept, and contradictions are found. Pure.
import type { Values } from "./form.ts";

/** The parts that a person changes as one thing, and the values that belong to each. */
const parts = {
  name: ["name"],
  layout: ["layoutId"],
  where: ["target"],
  when: ["isAllDay", "startDate", "startTime", "endDate", "endTime", "hasEnd", "recurrence"],
  exceptDates: ["exdates"],
  timezone: ["timezone"],
  conditions: ["conditions"],
  sharing: ["interrupt", "loopFrom"],
  priority: ["priority"],
  enabled: ["isEnabled"],
} as const satisfies Readonly<Record<string, readonly (keyof Values)[]>>;

export type Part = keyof typeof parts;

export interface Merged {
  /** Both changes; where they contradict each other, mine. */
  values: Values;
  /** The parts that both changed, differently. */
  contradictions: readonly Part[];
}

/** @param base from which both began */
export function mergeValues(base: Values, mine: Values, theirs: Values): Merged {
  const contradictions: Part[] = [];
  let values = mine;
  for (const part of Object.keys(parts) as Part[]) {
    if (isEqual(part, mine, theirs) || isEqual(part, base, theirs)) continue;
    if (isEqual(part, base, mine)) values = withPart(values, part, theirs);
    else contradictions.push(part);
  }
  return { values, contradictions };
}

/** The values with some parts of others. */
export function withParts(values: Values, names: readonly Part[], from: Values): Values {
  return names.reduce((result, part) => withPart(result, part, from), values);
}

function withPart(values: Values, part: Part, from: Values): Values {
  return { ...values, ...Object.fromEntries(parts[part].map((key) => [key, from[key]])) };
}

function isEqual(part: Part, one: Values, other: Values): boolean {
  return parts[part].every((key) => JSON.stringify(one[key]) === JSON.stringify(other[key]));
}
