// The state of a screen in one word, by what matters most to the people in front of it.
import type { PlayerDetails } from "./data.ts";

export interface ScreenState {
  is: "offline" | "off" | "wrong" | "late" | "empty" | "playing";
  kind: "good" | "warn" | "bad" | "off";
}

/** Problems that do not change what people see. */
const mild = new Set([
  "display-off",
  "out-of-sync",
  "connection-impaired",
  "service-time-wrong",
  "clock-unsure",
  "update-failed",
  "update-blocked",
  "disk-low",
  "recurring-failed",
  "records-lost",
]);

export function stateOf({
  status,
  telemetry,
  problems,
  in_sync: inSync,
  layout_id: layoutId,
  applied_revision: applied,
}: PlayerDetails): ScreenState {
  if (status === "offline") return { is: "offline", kind: "bad" };
  const display = telemetry?.display;
  if (display?.asked === "off" && display.power !== "on") return { is: "off", kind: "off" };
  if (problems.some(({ code }) => !mild.has(code))) return { is: "wrong", kind: "bad" };
  if (inSync === false) return { is: "late", kind: "warn" };
  if (layoutId === null && applied === null) return { is: "empty", kind: "warn" };
  return { is: "playing", kind: problems.length > 0 ? "warn" : "good" };
}
