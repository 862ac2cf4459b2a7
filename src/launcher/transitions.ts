// How the state changes when a version is tried, kept, or left again. Pure: no files, no clock.
import { dayMs, hourMs, iso, minuteMs } from "../base/time.ts";
import type { Health, SlotName, UpdateAttempt } from "../protocol/device/updates.ts";
import type { State, Trial } from "./state.ts";

/** How long a program or browser has to be healthy until it is kept. */
export const probationMs = 10 * minuteMs;
/** A program may be started this often during its probation. More starts mean that it crashes. */
const startsAllowed = 3;
/** A machine may boot this often during a probation. More boots mean that the program makes it fail. */
const bootsAllowed = 5;
// The pauses after the first failures; after the third and later ones it is a day. A version is never given up for good.
const retryPausesMs = [hourMs, 4 * hourMs];
/** After a test that the version before failed too: the version was not the reason, but trying again at once would not help. */
const unblamedPauseMs = hourMs;

const notStarted = { bootId: "", boots: 0, starts: 0, passedMs: 0 };

type Checks = Trial["baseline"];
const noChecks: Checks = { frames: null, checked_in: null, memory: null };

/** The checks that pass in the newest health of the version that runs. A check that did not pass before cannot fail after. */
export function baselineOf(health: Health | null): Checks {
  if (health === null) return noChecks;
  const { frames, checked_in, memory } = health.checks;
  return { frames: frames || null, checked_in: checked_in || null, memory: memory || null };
}

/** The program in `slot` runs from now on, and is watched. */
export function beginProgram(
  state: State,
  {
    slot,
    version,
    returnTo,
    reason,
    baseline,
    at,
  }: {
    slot: SlotName;
    version: string;
    returnTo: { slot: SlotName; version: string } | null;
    reason: string;
    baseline: Checks;
    at: number;
  },
): State {
  const trial: Trial = {
    is: "probation",
    what: "program",
    version,
    returnTo: returnTo?.slot ?? null,
    returnVersion: returnTo?.version ?? null,
    previousBefore: state.previous,
    baseline,
    ...notStarted,
  };
  // A newer version begins with no failures. The same one keeps its count.
  const failure = state.failed?.version === version ? state.failed : null;
  const attempt = attemptOf("program", version, at, "probation", null);
  return { ...state, slot, reason, previous: returnTo?.slot ?? null, trial, attempt, failed: failure };
}

/** Another browser runs, and is watched. */
export function beginBrowser(state: State, version: string, baseline: Checks, at: number): State {
  const trial: Trial = {
    is: "probation",
    what: "browser",
    version,
    returnTo: null,
    returnVersion: state.browser.good,
    previousBefore: state.previous,
    baseline,
    ...notStarted,
  };
  return { ...state, trial, attempt: attemptOf("browser", version, at, "probation", null) };
}

/** Counts a start of the player. `failure`: it was started too often. */
export function countStart(state: State, bootId: string): { state: State; failure: string | null } {
  const { trial } = state;
  if (trial === null) return { state, failure: null };
  const isSameBoot = trial.bootId === bootId;
  const [boots, starts] = isSameBoot ? [trial.boots, trial.starts + 1] : [trial.boots + 1, 1];
  const next = { ...state, trial: { ...trial, bootId, boots, starts } };
  if (starts > startsAllowed) return { state: next, failure: `it ended ${startsAllowed} times` };
  // Each boot takes a minute, so a machine that is switched off and on several times in a probation is not blamed on the program soon.
  if (boots > bootsAllowed) return { state: next, failure: `the machine was started ${bootsAllowed} times before it had passed` };
  return { state: next, failure: null };
}

/** The version under test failed. The one before runs from now on, with the same test. */
export function failTrial(state: State, detail: string, now: number): State {
  const { trial, attempt } = state;
  if (trial === null || attempt === null) return state;
  if (trial.is === "control") return endControl(state, "failed", now);
  if (trial.returnVersion === null) {
    const nowhere = `It failed its test (${detail}), and there is no version before to return to`;
    return settle({ ...state, trial: null, attempt: { ...attempt, outcome: "kept", detail: cut(nowhere) } }, trial);
  }
  const failedAttempt: UpdateAttempt = { ...attempt, outcome: "rolled-back", detail: cut(detail), control: "pending" };
  const control: Trial = { ...trial, is: "control", version: trial.returnVersion, returnTo: null, returnVersion: null, ...notStarted };
  if (trial.what === "browser") {
    const browser = { ...state.browser, refused: trial.version, restoring: true };
    return { ...state, attempt: failedAttempt, trial: control, browser };
  }
  const tries = (state.failed?.tries ?? 0) + 1;
  const retryAt = now + (retryPausesMs[tries - 1] ?? dayMs);
  return {
    ...state,
    slot: trial.returnTo ?? state.slot,
    reason: cut(`returned from ${trial.version}: ${detail}`),
    // The slot that failed is not one to return to; the one from before may have been overwritten by it.
    previous: trial.previousBefore === state.slot ? null : trial.previousBefore,
    trial: control,
    attempt: failedAttempt,
    failed: { version: trial.version, tries, retry_at: iso(retryAt) },
  };
}

/** The version under test was healthy for long enough. */
export function passTrial(state: State, now: number): State {
  const { trial, attempt } = state;
  if (trial === null || attempt === null) return state;
  if (trial.is === "control") return endControl(state, "passed", now);
  const reason = trial.what === "program" ? `${trial.version} passed its test` : state.reason;
  return settle(
    { ...state, trial: null, reason, failed: trial.what === "program" ? null : state.failed, attempt: { ...attempt, outcome: "kept" } },
    trial,
  );
}

/** A request was not carried out. @param detail null keeps the last attempt, which says more. */
export function refuse(state: State, version: string, requestId: string, detail: string | null, at: number): State {
  if (detail === null) return { ...state, answered: requestId };
  return { ...state, answered: requestId, attempt: attemptOf("program", version, at, "refused", cut(detail)) };
}

/** When a version that failed may be tried again, ms; null: at once. */
export function retryAt(state: State, version: string, now: number): number | null {
  const at = state.failed?.version === version && state.failed.retry_at !== null ? Date.parse(state.failed.retry_at) : 0;
  // No pause is longer than a day, so such a time was written while the clock was wrong.
  return at > now && at <= now + dayMs ? at : null;
}

function endControl(state: State, control: "passed" | "failed", now: number): State {
  const { trial, attempt, failed: failure } = state;
  const after = { ...state, trial: null, attempt: attempt && { ...attempt, control } };
  if (control === "passed" || trial?.what === "browser" || failure === null) return after;
  // The version before fails the same test, so the reason is elsewhere: the try does not count.
  const retry_at = iso(now + unblamedPauseMs);
  return { ...after, failed: { version: failure.version, tries: failure.tries - 1, retry_at } };
}

/** A browser that stays is the one to return to later. */
function settle(state: State, trial: Trial): State {
  return trial.what === "browser" ? { ...state, browser: { good: trial.version, refused: null, restoring: false } } : state;
}

function attemptOf(
  what: UpdateAttempt["what"],
  version: string,
  at: number,
  outcome: UpdateAttempt["outcome"],
  detail: string | null,
): UpdateAttempt {
  return { what, version, at: iso(at), outcome, detail, control: null };
}

function cut(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 499)}…`;
}
