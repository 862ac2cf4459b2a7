// The conditions of a schedule as the form edits them. Pure.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";

export type Condition = Schemas["Schedule"]["conditions"][number];
export type ConditionOf<T extends Condition["type"]> = Extract<Condition, { type: T }>;
export type Opening = Schemas["Opening"];
export type VariableCondition = ConditionOf<"variable">;
export type Value = VariableCondition["value"];
export type Operator = NonNullable<VariableCondition["op"]>;

/** The type of a variable's value: `5` and `"5"` are not equal. */
export type ValueKind = "text" | "number" | "yesno";

/** The time spans of a condition. */
export function openingsOf(condition: ConditionOf<"daypart" | "hours">): readonly Opening[] {
  if (condition.type === "hours") return condition.open;
  const { type: _, ...opening } = condition;
  return [opening as Opening];
}

/** The condition with other time spans: one is a daypart. Null: none is left, so there is no condition. */
export function withOpenings(openings: readonly Opening[]): ConditionOf<"daypart" | "hours"> | null {
  const [first] = openings;
  if (first === undefined) return null;
  return openings.length === 1 ? { type: "daypart", ...first } : { type: "hours", open: [...openings] };
}

export function kindOf(value: Value): ValueKind {
  return typeof value === "number" ? "number" : typeof value === "boolean" ? "yesno" : "text";
}

/** The same value as another kind, as far as there is one. */
export function valueAs(kind: ValueKind, value: Value): Value {
  if (kind === "text") return String(value);
  if (kind === "yesno") return value === true || value === "true" || value === 1;
  const number = Number(value);
  return Number.isFinite(number) ? number : 0;
}

/** The condition with another operator. Only numbers can be more or less. */
export function withOperator(condition: VariableCondition, op: Operator): VariableCondition {
  const isOfNumbers = op === "at_least" || op === "at_most";
  return { ...condition, op, value: isOfNumbers ? valueAs("number", condition.value) : condition.value };
}

/** The condition with another first or last day; an empty date takes it away. */
export function withDay(condition: ConditionOf<"date">, end: "from" | "until", date: string): ConditionOf<"date"> {
  const { [end]: _, ...rest } = condition;
  return date === "" ? rest : { ...rest, [end]: date };
}

/** True if the service can take it: no value that only the person can give is missing. */
export function isComplete(condition: Condition): boolean {
  switch (condition.type) {
    case "variable":
      return /^[a-z][a-z0-9_]{0,63}$/.test(condition.name);
    case "date":
      return condition.from !== undefined || condition.until !== undefined;
    case "daypart":
    case "hours":
      return openingsOf(condition).every(
        ({ from, until, weekdays }) => from !== "" && until !== "" && from !== until && weekdays?.length !== 0,
      );
    case "tag":
      return condition.tag !== "";
    case "calendar":
      return true;
  }
}
