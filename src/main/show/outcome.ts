// Decides the outcome of a show on a screen from the screen's report. Pure: no clock, no network.
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";

/** The outcome of a show on one screen so far. Only a presented frame counts as shown. */
export type Outcome =
  | { is: "shown"; at: string }
  | { is: "failed"; why: string }
  | { is: "display-off" }
  | { is: "offline" }
  | { is: "waiting"; why: string };

/** The part of a screen's report that concerns a show. */
export type Report = Pick<Heartbeat, "now_playing" | "content"> & Partial<Pick<Heartbeat, "problems" | "telemetry" | "why">>;

/** A show's layout and its zones, and the revision of a screen's desired state that has them. */
export interface Shown {
  layoutId: string;
  zoneIds: ReadonlySet<string>;
  /** Null: not known yet. */
  revision: string | null;
}

/** Reads the outcome of a show from a report. */
export function outcomeOf({ layoutId, zoneIds, revision }: Shown, report: Report): Outcome {
  const { content, now_playing, problems = [], telemetry, why = [] } = report;
  const presented = now_playing.find(({ zone_id }) => zoneIds.has(zone_id));
  const display = telemetry?.display ?? null;
  const isDark = (display?.power ?? display?.asked) === "off";
  if (presented !== undefined) return isDark ? { is: "display-off" } : { is: "shown", at: presented.presented_at };
  const ofShow = problems.filter(({ zone_id }) => zone_id !== null && zoneIds.has(zone_id));
  // The problem of the item says why; that of its zone says only that it is empty.
  const problem = ofShow.find(({ item_id }) => item_id !== null) ?? ofShow[0];
  if (problem !== undefined) return { is: "failed", why: problem.detail };
  if (content.is === "failed" && revision !== null && content.revision === revision) {
    return { is: "failed", why: content.detail ?? "its content failed" };
  }
  if (isDark) return { is: "display-off" };
  if (content.is === "downloading") return { is: "waiting", why: progressOf(content) };
  const due = why.find(({ verdict }) => verdict === "shows");
  if (due === undefined || due.layout_id === layoutId) return { is: "waiting", why: "it has presented no frame of it" };
  return { is: "waiting", why: `“${due.name ?? due.layer}” is due there instead` };
}

/** True if waiting longer is not expected to change the outcome. */
export function isSettled({ is }: Outcome): boolean {
  return is === "shown" || is === "failed" || is === "display-off";
}

function progressOf({ ready_bytes, total_bytes, detail }: Report["content"]): string {
  const share = total_bytes === 0 ? "" : ` (${Math.floor((100 * ready_bytes) / total_bytes)} %)`;
  return `it is downloading${share}${detail === null ? "" : `: ${detail}`}`;
}
