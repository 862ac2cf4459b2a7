// The state of a screen in one word, as the wall of screens has it, by what matters most to the people in front of it.
import type { PlayerDetails } from "./data.ts";

export interface ScreenState {
  is: "new" | "offline" | "off" | "maintenance" | "wrong" | "late" | "empty" | "playing";
  kind: "good" | "warn" | "bad" | "off";
}

/** @param now ms since the epoch */
export function stateOf(player: PlayerDetails, now: number): ScreenState {
  const { status, telemetry, problems, layout_id: layoutId, applied_revision: applied, maintenance_until: maintenance } = player;
  if (maintenance !== null && now < Date.parse(maintenance)) return { is: "maintenance", kind: "off" };
  if (player.last_seen_at === null) return { is: "new", kind: "off" };
  if (status === "offline") return { is: "offline", kind: "bad" };
  // A display that is off on purpose shows nothing, so what is wrong with its picture can wait.
  const isOff = telemetry?.display?.asked === "off";
  const pressing = problems.filter(({ code }) => !(isOff && /^(?:item|zone|content|display|not-rendering)/.test(code)));
  if (pressing.some(({ code }) => code !== "out-of-sync")) return { is: "wrong", kind: "bad" };
  if (isOff) return { is: "off", kind: "off" };
  if (pressing.length > 0) return { is: "late", kind: "warn" };
  return layoutId === null && applied === null ? { is: "empty", kind: "warn" } : { is: "playing", kind: "good" };
}
