// Judges each kind of alert of a player now: bad, well, unclear or muted. Pure.
import { minuteMs } from "../../base/time.ts";
import { alertKinds, type AlertKind, type AlertRules } from "../../protocol/operator/alerts.ts";
import type { Finding, Reading } from "./reading.ts";
import type { Observation } from "./step.ts";

/** A player at an instant. Times in ms since the epoch. */
export interface PlayerView {
  /** Null: no heartbeat since the service started. */
  reading: Reading | null;
  isOnline: boolean;
  lastSeenAt: number | null;
  createdAt: number;
  maintenanceUntil: number | null;
}

/** One kind of alert of a player: its observation, and the finding that explains a bad one. */
export interface Observed {
  observation: Observation;
  /** Null unless the observation is bad. */
  finding: Finding | null;
}

const well: Observed = { observation: { is: "well" }, finding: null };
const unclear: Observed = { observation: { is: "unclear" }, finding: null };
const muted: Observed = { observation: { is: "off", reason: "muted" }, finding: null };
const disabled: Observed = { observation: { is: "off", reason: "disabled" }, finding: null };
const offlineRemedy = "Check the device's power and network. It keeps playing the stored content.";

/** The alerts of the player that are muted: all of them, those that need a display that is on, or none. */
export function mutingOf({ maintenanceUntil, reading }: PlayerView, now: number): "all" | "display" | null {
  if (maintenanceUntil !== null && now < maintenanceUntil) return "all";
  return reading?.isOff === true ? "display" : null;
}

/**
 * @param now ms since the epoch
 * @param isGrace whether players have had no time yet to connect since the service started
 */
export function observe(kind: AlertKind, view: PlayerView, rules: AlertRules, now: number, isGrace: boolean): Observed {
  return rules.kinds[kind].enabled ? observeKind(kind, view, rules, now, isGrace) : disabled;
}

/** All findings of a player that are not muted, most severe first, also of kinds that raise no alert; other problems last. */
export function findingsOf(
  view: PlayerView,
  rules: AlertRules,
  now: number,
  isGrace: boolean,
): { kind: AlertKind | null; finding: Finding }[] {
  const found = alertKinds.flatMap((kind) => {
    const { finding } = observeKind(kind, view, rules, now, isGrace);
    return finding === null ? [] : [{ kind, finding }];
  });
  const other = view.isOnline && mutingOf(view, now) !== "all" ? (view.reading?.other ?? null) : null;
  return other === null ? found : [...found, { kind: null, finding: other }];
}

function observeKind(kind: AlertKind, view: PlayerView, rules: AlertRules, now: number, isGrace: boolean): Observed {
  const muting = mutingOf(view, now);
  if (muting === "all" || (muting === "display" && (kind === "dark" || kind === "wrong"))) return muted;
  if (kind === "late") return lateness(view, rules, now, isGrace);
  // The last heartbeat of a player that is offline says nothing about now.
  if (view.reading === null || !view.isOnline) return unclear;
  return kind === "hot" ? heat(view.reading, rules) : judge(view.reading[kind]);
}

function lateness({ isOnline, lastSeenAt, createdAt, reading }: PlayerView, rules: AlertRules, now: number, isGrace: boolean): Observed {
  if (!isOnline) {
    if (isGrace) return unclear;
    const since = lastSeenAt ?? createdAt;
    const detail = lastSeenAt === null ? "The screen has sent no heartbeat yet" : "The screen is offline";
    return { observation: { is: "bad" }, finding: { since, detail, remedy: offlineRemedy } };
  }
  if (reading === null) return unclear;
  const { downloading } = reading;
  const isLate = downloading !== null && now - (downloading.since ?? now) >= rules.kinds.late.content_minutes * minuteMs;
  return judge(isLate ? downloading : null);
}

function heat({ celsius }: Reading, { kinds }: AlertRules): Observed {
  const { open_celsius, close_celsius } = kinds.hot;
  if (celsius === null || celsius < close_celsius) return well;
  if (celsius < open_celsius) return unclear;
  const detail = `The device is at ${Math.round(celsius)} °C, the limit is ${open_celsius} °C`;
  const remedy = "Give the device air and shade, clean its fan and vents, or let it show less.";
  return { observation: { is: "bad" }, finding: { since: null, detail, remedy } };
}

function judge(finding: Finding | null): Observed {
  return finding === null ? well : { observation: { is: "bad" }, finding };
}
