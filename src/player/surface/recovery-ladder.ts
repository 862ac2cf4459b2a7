// The recovery ladder: which step to take for which fault of the display, from the mildest to the strongest. Pure.
import { dayMs, minuteMs } from "../../base/time.ts";
import type { HostFault } from "../host.ts";

/**
 * The page's script runs, but the browser presents no frame. `no-frames`: although the display is on. `no-frames-unexplained`: perhaps
 * because the display is off, since nothing says whether it is on.
 */
export type DisplayFault = HostFault | { is: "no-frames" | "no-frames-unexplained"; detail: string };

/** `player` starts the player's program again, `machine` the whole machine. */
export type RestartAction = "restart-player" | "restart-machine";

/**
 * `revert-content` and `withhold` relaunch the browser, with the content before the newest or for a while without any. `wait` does nothing
 * until a frame is presented or an hour has passed.
 */
export type RecoveryAction = "reload" | "relaunch" | "relaunch-without-gpu" | "revert-content" | RestartAction | "withhold" | "wait";

/** A step that was taken, in monotonic ms. Steps of an earlier run of the player may be before 0. */
export interface RecoveryAttempt {
  action: RecoveryAction;
  at: number;
}

/** The facts besides the fault that decide the step. Times in monotonic ms. */
export interface Circumstances {
  now: number;
  attempts: readonly RecoveryAttempt[];
  /** When a frame was last presented, or last known not to be needed. */
  lastFrameAt: number;
  /** Since when faults have followed each other within `failureMemoryMs`. */
  troubleSince: number;
  /** True if the newest content may be the cause and there is content before it to play. */
  canRevertContent: boolean;
  /** True if the browser draws with a GPU and could do without. */
  canDrawWithoutGpu: boolean;
  /** True if the player is able and allowed to restart its machine. */
  canRestartMachine: boolean;
}

/** A step, and how often it is tried: restarts within a day, the others within `failureMemoryMs` or while none brings a frame. */
interface Step {
  action: RecoveryAction;
  tries: number;
}

// Attempts older than this no longer count if a frame was presented after them. Failures older than this no longer count.
export const failureMemoryMs = 5 * minuteMs;
// A restart that has not helped is not repeated before this.
export const restartPauseMs = 15 * minuteMs;
// Restarts are limited by the day.
export const restartMemoryMs = dayMs;
export const restartsPerDay = 3;
// A restart of the machine takes a minute, and a display server that restarts is back before this.
const troubleBeforeMachineMs = 5 * minuteMs;

const reload = { action: "reload", tries: 3 } as const;
const relaunch = { action: "relaunch", tries: 4 } as const;
const revert = { action: "revert-content", tries: 1 } as const;
// A driver that crashes or hangs takes the page or the browser with it.
const relaunchWithoutGpu = { action: "relaunch-without-gpu", tries: 1 } as const;
const restarts = [
  { action: "restart-player", tries: restartsPerDay },
  { action: "restart-machine", tries: restartsPerDay },
  { action: "withhold", tries: Number.POSITIVE_INFINITY },
] as const;

// The page itself skips an item that fails.
const ladder: Readonly<Record<DisplayFault["is"], readonly Step[]>> = {
  "page-crashed": [reload, relaunch, revert, relaunchWithoutGpu, ...restarts],
  "page-hung": [reload, relaunch, revert, relaunchWithoutGpu, ...restarts],
  // A process that has exited has no page to reload.
  "browser-exited": [relaunch, revert, relaunchWithoutGpu, ...restarts],
  // The page works, so a reload cannot help: a hung GPU process or driver stays.
  "no-frames": [{ action: "relaunch", tries: 2 }, relaunchWithoutGpu, ...restarts],
  // Stronger steps, and drawing without the GPU, would do harm if the display is only switched off.
  "no-frames-unexplained": [
    { action: "relaunch", tries: 2 },
    { action: "wait", tries: Number.POSITIVE_INFINITY },
  ],
};

/** True if the action ends this run of the player. */
export function isRestart(action: RecoveryAction): action is RestartAction {
  return action === "restart-player" || action === "restart-machine";
}

/** The step to take for a fault: the next possible one after the strongest step that has just been tried in vain. */
export function nextAction(fault: DisplayFault["is"], circumstances: Circumstances): RecoveryAction {
  const { now, attempts, lastFrameAt, troubleSince, canRevertContent, canDrawWithoutGpu, canRestartMachine } = circumstances;
  const taken = (action: RecoveryAction, among: readonly RecoveryAttempt[]): number =>
    among.filter((each) => each.action === action).length;
  const steps = ladder[fault];
  const counted = current(attempts, now, lastFrameAt);
  const exhausted = steps.findLastIndex(({ action, tries }) =>
    isRestart(action) ? taken(action, recent(attempts, now, restartPauseMs)) > 0 : taken(action, counted) >= tries,
  );
  // A milder step cannot help either. A restart says nothing about that: it ended the run of the player.
  const vain = attempts.filter(({ at }) => at > lastFrameAt);
  const strongest = steps.findLastIndex(({ action }) => !isRestart(action) && taken(action, vain) > 0);
  const isPossible = ({ action, tries }: Step): boolean => {
    if (action === "revert-content") return canRevertContent;
    if (action === "relaunch-without-gpu") return canDrawWithoutGpu;
    if (!isRestart(action)) return true;
    if (taken(action, recent(attempts, now, restartMemoryMs)) >= tries) return false;
    return action === "restart-player" || (canRestartMachine && now - troubleSince >= troubleBeforeMachineMs);
  };
  return steps.slice(Math.max(exhausted + 1, strongest)).find(isPossible)!.action;
}

/**
 * The attempts that still count and a new one. A new browser has a new page, and one with other content or none starts from the
 * beginning.
 */
export function addAttempt(
  attempts: readonly RecoveryAttempt[],
  action: RecoveryAction,
  now: number,
  lastFrameAt: number,
): RecoveryAttempt[] {
  if (action === "withhold" || action === "revert-content") return [];
  const counted = current(attempts, now, lastFrameAt).filter((attempt) => action === "reload" || attempt.action !== "reload");
  return [...counted, { action, at: now }];
}

/** The attempts of the last `memoryMs`. */
export function recent<T extends RecoveryAttempt>(attempts: readonly T[], now: number, memoryMs: number): readonly T[] {
  return attempts.filter(({ at }) => now - at < memoryMs);
}

/** The attempts that are recent or after which no frame was presented. */
function current(attempts: readonly RecoveryAttempt[], now: number, lastFrameAt: number): readonly RecoveryAttempt[] {
  return attempts.filter(({ at }) => now - at < failureMemoryMs || at > lastFrameAt);
}
