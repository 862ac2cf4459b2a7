// Which of the browser's pages is ours: the first. Whatever else opens (popups, DevTools) is closed as it appears.
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import type { DevToolsPipe } from "./pipe.ts";

/** What watching the targets needs. */
export interface TargetOptions {
  pipe: DevToolsPipe;
  clock: Clock;
  limitMs: number;
  /** Gives up the wait for the first page. */
  signal: AbortSignal;
  /** Ends with the browser. */
  life: AbortSignal;
  /** A page other than ours appeared and is being closed; for the log. */
  onBlocked: (what: string, url: string) => void;
}

/**
 * The id of the page Chromium opens at its start. From then on until `life` ends there is no other.
 * @throws Fault `browser-failed` when none opens within `limitMs`.
 */
export async function keepOnlyFirstPage(options: TargetOptions): Promise<string> {
  const { pipe, clock, limitMs, signal, life, onBlocked } = options;
  const first = Promise.withResolvers<string>();
  let ours: string | undefined;
  const onCreated = (targetId: string, url: string): void => {
    if (ours === undefined) {
      ours = targetId;
      first.resolve(targetId);
    } else if (targetId !== ours) {
      onBlocked("a second window", url);
      pipe.browser
        .send("Target.closeTarget", { targetId })
        .catch(() => onBlocked("a second window that was gone before it was closed", url));
    }
  };
  pipe.browser.on(
    "Target.targetCreated",
    ({ targetInfo: { targetId, type, url } }) => {
      if (type === "page" || url.startsWith("devtools://")) onCreated(targetId, url);
    },
    life,
  );
  await pipe.browser.send("Target.setDiscoverTargets", { discover: true }, { deadlineMs: limitMs, signal });
  const found = new AbortController();
  const late = clock.wait(limitMs, AbortSignal.any([signal, found.signal])).then(() => {
    throw new Fault("browser-failed", `the browser opened no window within ${limitMs} ms`);
  });
  try {
    return await Promise.race([first.promise, late]);
  } finally {
    found.abort();
  }
}
