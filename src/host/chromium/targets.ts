// Finds the browser's first page, and closes every other page (popups, DevTools) as soon as it opens.
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import type { DevToolsPipe } from "./pipe.ts";

export interface TargetOptions {
  pipe: DevToolsPipe;
  clock: Clock;
  limitMs: number;
  /** Cancels the wait for the first page. */
  signal: AbortSignal;
  /** Aborts when the browser has exited. */
  lifetime: AbortSignal;
  /** Called for the log when another page is closed. */
  onBlocked: (what: string, url: string) => void;
}

/**
 * The id of the first page that Chromium opens. Other pages are closed until `lifetime` aborts.
 * @throws Fault `browser-failed` when no page opens within `limitMs`.
 */
export async function keepOnlyFirstPage(options: TargetOptions): Promise<string> {
  const { pipe, clock, limitMs, signal, lifetime, onBlocked } = options;
  const first = Promise.withResolvers<string>();
  let firstId: string | undefined;
  const onCreated = (targetId: string, url: string): void => {
    if (firstId === undefined) {
      firstId = targetId;
      first.resolve(targetId);
    } else if (targetId !== firstId) {
      onBlocked("a second window", url);
      pipe.browser.send("Target.closeTarget", { targetId }).catch(() => onBlocked("a second window was gone before it was closed", url));
    }
  };
  pipe.browser.on(
    "Target.targetCreated",
    ({ targetInfo: { targetId, type, url } }) => {
      if (type === "page" || url.startsWith("devtools://")) onCreated(targetId, url);
    },
    lifetime,
  );
  await pipe.browser.send("Target.setDiscoverTargets", { discover: true }, { deadlineMs: limitMs, signal });
  const cleanup = new AbortController();
  const deadline = clock.wait(limitMs, AbortSignal.any([signal, cleanup.signal])).then(() => {
    throw new Fault("browser-failed", `the browser opened no window within ${limitMs} ms`);
  });
  try {
    return await Promise.race([first.promise, deadline]);
  } finally {
    cleanup.abort();
  }
}
