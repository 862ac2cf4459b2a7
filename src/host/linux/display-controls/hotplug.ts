// Notices that displays were connected or disconnected: by the compositor, or else the X server, or else the kernel.
import { once } from "node:events";
import { runAll } from "../../../base/async/run-all.ts";
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { startGroup } from "../../../base/processes/process-group.ts";
import { watchDisplays } from "../../chromium/display/x11.ts";
import { watchWaylandOutputs } from "../wayland-outputs.ts";

/** Calls `notify` after each change, until `signal` aborts (rejects with an AbortError then) or nobody tells of changes any more. */
type Source = (env: NodeJS.ProcessEnv, notify: () => void, signal: AbortSignal) => Promise<unknown>;

// One plug causes several events, and a display responds to DDC/CI and CEC only after a moment.
const settleMs = 500;
// Where nobody tells of changes.
const slowCheckMs = 60_000;

/** Calls `onChange` whenever displays may have changed, until `signal` aborts (rejects with an AbortError then). */
export async function followHotplug(
  env: NodeJS.ProcessEnv,
  clock: Clock,
  onChange: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<never> {
  const changeSignal = new Signal();
  const source = sourceOf(env);
  return runAll(
    [
      async (end) => {
        for (;;) {
          // How it failed does not matter: without it, the slow check finds changes, and tries it again.
          await source(env, () => changeSignal.notify(), end).catch(() => end.throwIfAborted());
          await clock.wait(slowCheckMs, end);
          changeSignal.notify();
        }
      },
      async (end) => {
        for (;;) {
          await changeSignal.wait(clock, Number.POSITIVE_INFINITY, end);
          await clock.wait(settleMs, end);
          await onChange(end);
        }
      },
    ],
    signal,
  );
}

/** False: a mode that is set, also by the player, is announced like a display that is connected. */
export function tellsOnlyPlugs(env: NodeJS.ProcessEnv): boolean {
  return sourceOf(env) !== watchDisplays;
}

function sourceOf(env: NodeJS.ProcessEnv): Source {
  if (env["WAYLAND_DISPLAY"] !== undefined) return watchWaylandOutputs;
  return env["DISPLAY"] === undefined ? watchKernel : watchDisplays;
}

/** By udevadm, because Node cannot read the kernel's socket itself. */
async function watchKernel(env: NodeJS.ProcessEnv, notify: () => void, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { leader, kill } = startGroup("udevadm", ["monitor", "--kernel", "--subsystem-match=drm"], { env: { ...env, LC_ALL: "C" } });
  signal.addEventListener("abort", kill, { once: true });
  try {
    leader.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("KERNEL[")) notify();
    });
    await once(leader, "exit");
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", kill);
  }
}
