// The commands content.refresh and content.clear_cache.
import type { Clock } from "../../../base/clock.ts";
import type { ContentCache } from "../../content/content-cache.ts";
import type { DesiredStateStore } from "../../content/desired-state-store.ts";
import type { DownloadProgress } from "../../content/download-progress.ts";
import { done, type CommandModule } from "../command-module.ts";

export interface ContentDependencies {
  desired: DesiredStateStore;
  cache: ContentCache;
  clock: Clock;
  /** The assets that the page presents now. */
  assetsOnScreen: () => readonly string[];
}

// A first download may take hours: the command then ends with the progress so far.
const longestWaitMs = 60_000;
const deadlineMs = 90_000;
const limit = { count: 10, perMs: 60_000 };

export function contentModules({ desired, cache, clock, assetsOnScreen }: ContentDependencies): readonly CommandModule[] {
  const refresh: CommandModule<"content.refresh"> = {
    type: "content.refresh",
    deadlineMs,
    limit,
    async run(_, signal) {
      await desired.fetchNow(signal);
      const revision = desired.current.value?.revision ?? null;
      if (revision === null) return done({ revision, is: "empty" });
      const settled = await settledProgress(cache, revision, clock, signal);
      return done(describe(revision, settled));
    },
  };
  const clearCache: CommandModule<"content.clear_cache"> = {
    type: "content.clear_cache",
    deadlineMs,
    limit,
    run: async () => done(await cache.clear(assetsOnScreen())),
  };
  return [refresh, clearCache];
}

/** The progress once the revision is complete, cannot go on by itself soon, or the wait is over. */
async function settledProgress(cache: ContentCache, revision: string, clock: Clock, signal: AbortSignal): Promise<DownloadProgress> {
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  const isSettled = (progress: DownloadProgress): boolean =>
    progress.revision === revision && (progress.is === "idle" || progress.is === "waiting" || progress.shortage !== null);
  try {
    // Until the files are checked again, the progress is that of the check before.
    const checked = new Promise<void>((resolve) => cache.onChecked(resolve, end));
    cache.prepareAgain();
    cache.retryNow();
    const settled = checked.then(
      () =>
        new Promise<void>((resolve) => {
          cache.progress.watch((progress) => (isSettled(progress) ? resolve() : undefined), end);
        }),
    );
    await Promise.race([settled, clock.wait(longestWaitMs, end)]);
  } finally {
    over.abort();
  }
  return cache.progress.value;
}

function describe(revision: string, progress: DownloadProgress): Record<string, unknown> {
  const { readyBytes, totalBytes, detail, shortage } = progress;
  if (progress.is === "idle" && progress.revision === revision) return { revision, is: "applied" };
  return {
    revision,
    is: shortage === null ? progress.is : "failed",
    ready_bytes: readyBytes,
    total_bytes: totalBytes,
    detail: shortage ?? detail ?? progress.files.find(({ failure }) => failure !== null)?.failure ?? null,
  };
}
