// The recovery ladder: which step to take for which fault of the browser, from the mildest to the strongest. Pure.
import type { HostFault } from "../host.ts";

/** `no-frames`: the page's script runs, but the browser presents no frame. */
export type DisplayFault = HostFault | { is: "no-frames"; detail: string };

/** `withhold` relaunches the browser and shows no content for a while. */
export type RecoveryAction = "reload" | "relaunch" | "relaunch-without-gpu" | "withhold";

/** A step that was taken, in monotonic ms. */
export interface RecoveryAttempt {
  action: RecoveryAction;
  at: number;
}

/** A step, and how often it is tried within `failureMemoryMs`. */
interface Step {
  action: RecoveryAction;
  tries: number;
}

// Attempts and failures older than this no longer count.
export const failureMemoryMs = 300_000;

const reload = { action: "reload", tries: 3 } as const;
const relaunch = { action: "relaunch", tries: 4 } as const;

// The page itself skips an item that fails. After the last step, content is withheld.
const ladder: Readonly<Record<DisplayFault["is"], readonly Step[]>> = {
  "page-crashed": [reload, relaunch],
  "page-hung": [reload, relaunch],
  // A process that has exited has no page to reload.
  "browser-exited": [relaunch],
  // The page works, so a reload cannot help: a hung GPU process or driver stays.
  "no-frames": [
    { action: "relaunch", tries: 2 },
    { action: "relaunch-without-gpu", tries: 1 },
  ],
};

/** The step to take for a fault at `now`: the one after the strongest step that has used up its tries. */
export function nextAction(fault: DisplayFault["is"], attempts: readonly RecoveryAttempt[], now: number): RecoveryAction {
  const taken = recent(attempts, now).map(({ action }) => action);
  const steps = ladder[fault];
  const usedUp = steps.findLastIndex(({ action, tries }) => taken.filter((each) => each === action).length >= tries);
  return steps[usedUp + 1]?.action ?? "withhold";
}

/** The recent `attempts` and a new one. A new browser has a new page, and a browser without content starts from the beginning. */
export function addAttempt(attempts: readonly RecoveryAttempt[], action: RecoveryAction, now: number): RecoveryAttempt[] {
  if (action === "withhold") return [];
  const counted = recent(attempts, now).filter((attempt) => action === "reload" || attempt.action !== "reload");
  return [...counted, { action, at: now }];
}

function recent(attempts: readonly RecoveryAttempt[], now: number): readonly RecoveryAttempt[] {
  return attempts.filter(({ at }) => now - at < failureMemoryMs);
}
