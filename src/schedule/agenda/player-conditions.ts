// Conditions of a schedule or an item that depend on the player, not on time: its tags and its variables.
import type { Condition } from "../../protocol/scheduling/conditions.ts";
import type { Variables } from "../../protocol/scheduling/variables.ts";

/** The first condition of tags that does not hold; undefined: all hold. */
export function unmetTag(conditions: readonly Condition[], tags: readonly string[]): Condition | undefined {
  return conditions.find((condition) => condition.type === "tag" && tags.includes(condition.tag) !== condition.is_present);
}

/** The first condition of variables that does not hold; undefined: all hold. */
export function unmetVariable(conditions: readonly Condition[], variables: Variables): Condition | undefined {
  return conditions.find((condition) => condition.type === "variable" && !holdsFor(condition, variables[condition.name]));
}

/** True if a condition holds for this value of its variable. */
export function holdsFor({ op, value: operand }: Condition & { type: "variable" }, value: Variables[string] | undefined): boolean {
  switch (op) {
    case "equals":
      return value === operand;
    case "not_equals":
      return value !== operand;
    case "at_least":
      return typeof value === "number" && typeof operand === "number" && value >= operand;
    case "at_most":
      return typeof value === "number" && typeof operand === "number" && value <= operand;
  }
}

/** Says, for people, that a condition keeps a schedule or an item out. */
export function unmetReason(condition: Condition): string {
  return `its condition does not hold: ${describeCondition(condition)}`;
}

function describeCondition(condition: Condition): string {
  if (condition.type === "tag") return `the tag “${condition.tag}” must be ${condition.is_present ? "present" : "absent"}`;
  if (condition.type === "variable") {
    return `${condition.name} must be ${condition.op.replaceAll("_", " ")} ${JSON.stringify(condition.value)}`;
  }
  return condition.type;
}
