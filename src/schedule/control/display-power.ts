// Decides the power of a display, on or off: by its opening hours, by hand, or by an override that wakes it. Pure.
import type { Power } from "../../protocol/device/display-commands.ts";
import { nextInterventionChange, overridesAt, type Intervention } from "../interventions.ts";
import { hoursAt, type HoursOnClock } from "./display-hours.ts";

/** Power that somebody set by hand. `until` null: until the opening hours begin or end next, without them until the next command. */
export interface PowerByHand {
  value: Power;
  /** Corrected UTC ms, as all times here. */
  at: number;
  until: number | null;
}

export interface PowerInputs {
  /** Null: no opening hours, so that the display is always on. */
  hours: HoursOnClock | null;
  byHand: PowerByHand | null;
  interventions: readonly Intervention[];
}

/** The origin of the request. An override requests power only while opening hours or a command by hand might switch the display off. */
export type PowerReason = "hours" | "command" | "override" | "emergency";

export interface AskedPower {
  /** Null: nothing is asked, and the display stays as it is. */
  asked: Power | null;
  reason: PowerReason | null;
  /** When that changes next, as far as is foreseen; null: not foreseen. Always in the future. */
  until: number | null;
}

// Of overrides that follow each other without a gap, at most as many are looked through.
const maxEdges = 200;

/** The power that the display should have at `instant`, and until when. */
export function askedPowerAt(inputs: PowerInputs, instant: number): AskedPower {
  const { asked, reason } = decide(inputs, instant);
  let at = instant;
  for (let edges = 0; edges < maxEdges; edges += 1) {
    const next = nextEdge(inputs, at);
    if (next === null) return { asked, reason, until: null };
    at = next;
    const then = decide(inputs, at);
    if (then.asked !== asked || then.reason !== reason) break;
  }
  return { asked, reason, until: at };
}

/** When power by hand ends: at its own end, else when the opening hours begin or end next; null: with the next command. */
export function byHandEndsAt({ at, until }: PowerByHand, hours: HoursOnClock | null): number | null {
  return until ?? (hours === null ? null : hoursAt(hours, at).until);
}

/** True while power by hand counts. */
export function isInForce(byHand: PowerByHand, hours: HoursOnClock | null, instant: number): boolean {
  const endsAt = byHandEndsAt(byHand, hours);
  return endsAt === null || instant < endsAt;
}

/** The inputs that count at an instant. */
function inForceAt({ hours, byHand, interventions }: PowerInputs, instant: number) {
  return {
    hand: byHand !== null && isInForce(byHand, hours, instant) ? byHand : null,
    override: overridesAt(interventions, instant)[0] ?? null,
  };
}

function decide(inputs: PowerInputs, instant: number): Pick<AskedPower, "asked" | "reason"> {
  const { hours } = inputs;
  const { hand, override } = inForceAt(inputs, instant);
  if (hours === null && hand === null) return { asked: null, reason: null };
  if (override?.level === "emergency") return { asked: "on", reason: "emergency" };
  if (hand !== null) return { asked: hand.value, reason: "command" };
  if (override !== null) return { asked: "on", reason: "override" };
  return { asked: hoursAt(hours!, instant).isOpen ? "on" : "off", reason: "hours" };
}

/** The next instant after `instant` at which the decision may change; null: none is foreseen. */
function nextEdge(inputs: PowerInputs, instant: number): number | null {
  const { hours, byHand, interventions } = inputs;
  const { hand, override } = inForceAt(inputs, instant);
  const overrides = interventions.filter(({ is }) => is === "override");
  const edges = [
    // The hours change nothing while power by hand or an override outranks them.
    hours === null || hand !== null || override !== null ? null : hoursAt(hours, instant).until,
    hand === null ? null : byHandEndsAt(byHand!, hours),
    nextInterventionChange(overrides, instant),
  ].filter((edge): edge is number => edge !== null && edge > instant && Number.isFinite(edge));
  return edges.length === 0 ? null : Math.min(...edges);
}
