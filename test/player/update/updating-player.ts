// The updating part of a player on real files, with a launcher whose status the test writes, and a service that serves a signed repository.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Observable } from "../../../src/base/async/observable.ts";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { DownloadLimits } from "../../../src/player/content/download-limits.ts";
import { noProgress } from "../../../src/player/content/download-progress.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { BrowserChange } from "../../../src/player/update/browser-change.ts";
import { type LauncherOptions, Updates } from "../../../src/player/update/updates.ts";
import type { BrowserEngine } from "../../../src/player/host.ts";
import type { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { type DesiredRelease, InstallRequest, type LauncherStatus, type UpdateState } from "../../../src/protocol/device/updates.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { SignedReleases } from "../../support/signed-releases.ts";
import { desiredOf } from "../../support/states.ts";
import { type ReleaseService, startReleaseService } from "./release-service.ts";

/** Noon on a Saturday. The default window opens 14 hours later. */
export const noon = Date.UTC(2026, 10, 21, 12);
export const hourMs = 3_600_000;

const running: LauncherStatus = {
  launcher_version: "1.0.0",
  slot: "package",
  version: "1.3.0",
  reason: "it came with the package",
  previous_version: null,
  probation: null,
  last_attempt: null,
  failed: null,
  answered: null,
};

/** A bundle's content, different for each version. */
export function bundleOf(version: string, bytes = 100_000): Buffer {
  return Buffer.alloc(bytes, version);
}

export interface Place extends AsyncDisposable {
  folder: string;
  clock: FakeClock;
  releases: SignedReleases;
  service: ReleaseService;
  options: LauncherOptions;
  /** Writes the launcher's status. */
  status(more: Partial<LauncherStatus>): Promise<void>;
  /** What the player asks the launcher for now; null: nothing. */
  request(): Promise<InstallRequest | null>;
  /** The names of the bundles on the disk. */
  bundles(): Promise<string[]>;
  /** Adds a release to the repository. */
  release(version: string, launcherNeeded?: string): Promise<string>;
}

/** A machine with a launcher that runs 1.3.0, and a service that has 1.4.0. */
export async function openPlace(): Promise<Place> {
  const cleanup = new AsyncDisposableStack();
  const { path: folder } = cleanup.use(await temporaryFolder());
  const clock = new FakeClock(noon);
  const releases = await SignedReleases.create(join(folder, "repository"), { now: noon });
  const service = cleanup.use(await startReleaseService(releases.folder));
  const [statusFile, updatesFolder, rootFile] = ["status.json", "updates", "root.json"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(rootFile, releases.anchor);
  const options: LauncherOptions = {
    statusFile,
    updatesFolder,
    rootFile,
    healthFile: null,
    architecture: "amd64",
    browserExecutable: null,
    memoryBudgetBytes: 1e9,
  };
  const place: Place = {
    folder,
    clock,
    releases,
    service,
    options,
    status: (more) => writeFile(statusFile, JSON.stringify({ ...running, ...more })),
    request: async () => {
      const text = await readFile(join(updatesFolder, "request.json"), "utf8").catch(() => null);
      return text === null ? null : InstallRequest.parse(JSON.parse(text));
    },
    bundles: () => readdir(join(updatesFolder, "targets")).catch(() => []),
    release: (version, needed = "1.0.0") => releases.add({ version, architecture: "amd64", launcher_needed: needed }, bundleOf(version)),
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
  await place.status({});
  await place.release("1.4.0");
  return place;
}

export interface UpdatingPlayer extends AsyncDisposable {
  updates: Updates;
  content: Observable<typeof noProgress>;
  limits: DownloadLimits;
  /** Sets the version that the player should run. */
  want(release: DesiredRelease | null): void;
  /** Lets time pass in steps of five seconds until the player's report fulfils this. */
  reaches(matches: (update: UpdateState) => boolean): Promise<UpdateState>;
  /** Lets time pass until something else holds. */
  until<T>(check: () => T | null | false | Promise<T | null | false>): Promise<T>;
  /** The codes and details of its problems. */
  problems(): string[];
}

/** Starts the player. @param more `isClockSure` false: it has not learned the time. */
export async function startUpdating(
  place: Place,
  more: { isClockSure?: boolean; engine?: () => BrowserEngine | null; launcher?: Partial<LauncherOptions> } = {},
): Promise<UpdatingPlayer> {
  const cleanup = new AsyncDisposableStack();
  const { clock: base, service } = place;
  const clock = new CorrectedClock(base);
  if (more.isClockSure !== false) clock.learn({ t0: base.now(), t1: base.now(), t2: base.now(), t3: base.now(), isAuthenticated: true });
  const launcher = { ...place.options, ...more.launcher };
  const { browserExecutable } = launcher;
  const browser = browserExecutable === null ? null : await BrowserChange.open(browserExecutable, more.engine ?? (() => null), clock);
  const log = silentLog;
  const updates = await Updates.open({ launcher, browser, deviceZone: "UTC", clock, log, disk: new DiskHealth(log) });
  const api = cleanup.use(new ServiceApi(() => service.url));
  const desired = new Observable<DesiredState | null>(null);
  const [limits, content] = [new DownloadLimits(clock), new Observable(noProgress)];
  const stop = new AbortController();
  const session = {
    desired,
    limits,
    content,
    openFile: (asset: Parameters<ServiceApi["file"]>[1], offset: number, signal: AbortSignal) => api.file("token", asset, offset, signal),
    readMetadata: (path: string, maxBytes: number, signal: AbortSignal = stop.signal) =>
      api.releaseMetadata("token", path, maxBytes, signal),
    onChange: () => undefined,
  };
  const ended = Promise.allSettled([updates.run(stop.signal), updates.follow(session, stop.signal)]);
  cleanup.defer(async () => {
    stop.abort();
    const failures = (await ended).filter((each) => each.status === "rejected" && (each.reason as Error).name !== "AbortError");
    if (failures.length > 0) throw new Error("the player failed", { cause: failures });
  });
  const until: UpdatingPlayer["until"] = (check) =>
    eventually(async () => {
      const seen = await check();
      if (seen === null || seen === false) base.advance(5_000);
      return seen;
    });
  return {
    updates,
    content,
    limits,
    want: (release) => {
      const state = desiredOf([], []);
      desired.set({ ...state, player: { ...state.player, timezone: null, ...(release !== null && { release }) } });
    },
    until,
    reaches: (matches) => until(() => (updates.update !== null && matches(updates.update) ? updates.update : null)),
    problems: () => updates.problems(base.now()).map(({ code, detail }) => `${code}: ${detail}`),
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}
