// Stores variables that a command or a trigger sets on the player.
import { Fault } from "../../base/fault.ts";
import { iso } from "../../base/time.ts";
import type { VariablesSetArgs } from "../../protocol/device/play-commands.ts";
import { setVariablesAt, type Intervention, type SetVariable } from "../../schedule/interventions.ts";
import type { InterventionStore } from "./intervention-store.ts";

// The same limit as for the variables that operators set.
const maxVariables = 100;

/** Resolves once the variables are durable. @throws Fault `unsupported` if there would be more than the player keeps. */
export async function setVariables(
  store: InterventionStore,
  id: string,
  { variables, duration_ms }: VariablesSetArgs,
  now: number,
): Promise<{ until: string | null }> {
  const until = duration_ms === undefined ? null : now + duration_ms;
  const result = { until: iso(until) };
  const isSetNow = (name: string): boolean => Object.hasOwn(variables, name);
  const current = setVariablesAt(store.interventions.value, now);
  // A sensor may send the same value again and again. A permanent value that does not change is not written again.
  const isUnchanged = ([name, value]: [string, unknown]): boolean =>
    current.find((each) => each.name === name && each.until === null)?.value === value;
  const temporary = current.filter(({ name, until: end }) => end !== null && isSetNow(name));
  if (until === null && temporary.length === 0 && Object.entries(variables).every(isUnchanged)) return result;
  const names = new Set([...current.map(({ name }) => name), ...Object.keys(variables)]);
  if (names.size > maxVariables) throw new Fault("unsupported", `at most ${maxVariables} variables can be set on a screen`);
  const added = Object.entries(variables).map(([name, value]): SetVariable => ({ id, at: now, is: "variable", until, name, value }));
  // A temporary value hides a permanent one and leaves it stored: it applies again afterwards. A permanent value replaces both.
  const isReplaced = (intervention: Intervention): boolean =>
    intervention.is === "variable" && isSetNow(intervention.name) && (until === null || intervention.until !== null);
  await store.replace(isReplaced, added, now);
  return result;
}
