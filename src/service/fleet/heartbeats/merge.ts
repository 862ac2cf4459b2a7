// Rebuilds a whole heartbeat from the one before it and a delta. Pure.
import { type HeartbeatDelta, listFields, nestedFields } from "../../../protocol/device/heartbeat-delta.ts";
import { Heartbeat } from "../../../protocol/device/heartbeat.ts";

type Fields = Record<string, unknown>;

/** The whole heartbeat; null if the result is not a valid one. @param before the heartbeat that the delta names as its base. */
export function mergeHeartbeat(before: Heartbeat, { set, unset }: HeartbeatDelta): Heartbeat | null {
  const merged: Fields = { ...before, ...set };
  for (const name of nestedFields) {
    if (set[name] !== undefined) merged[name] = { ...before[name], ...set[name] };
  }
  for (const name of listFields) {
    if (set[name] !== undefined) merged[name] = set[name].map((entry, at) => ({ ...before[name]?.[at], ...entry }));
  }
  for (const path of unset) {
    const [name = "", part, ...rest] = path.split(".");
    if (rest.length > 0) return null;
    if (part === undefined) delete merged[name];
    else if (!isNested(name) || typeof merged[name] !== "object" || merged[name] === null) return null;
    else merged[name] = without(merged[name] as Fields, part);
  }
  return Heartbeat.safeParse(merged).data ?? null;
}

function isNested(name: string): boolean {
  return nestedFields.some((each) => each === name);
}

/** A copy, because the heartbeat before it still belongs to others. */
function without(fields: Fields, name: string): Fields {
  const { [name]: _, ...rest } = fields;
  return rest;
}
