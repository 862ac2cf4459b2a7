// The time that a player remembers over restarts, in real files.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Plugin } from "vite";
import { expect, test, vi } from "vitest";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { firstReleaseMs, readKnownTime, storeKnownTime } from "../../../src/player/link/known-time.ts";
import { rootFolder } from "../../../src/main/folders.ts";
import config from "../../../config/vite.page.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";

const minute = 60_000;
const hour = 60 * minute;
const real = Date.UTC(2026, 10, 21);

/** A player that starts in 1970. It learns times of a service that is `ahead` of the machine's clock. */
async function startPlayer(folder: string) {
  const base = new FakeClock(0);
  const clock = new CorrectedClock(base, await readKnownTime(folder, folder, silentLog));
  const stop = new AbortController();
  const running = storeKnownTime(folder, clock, silentLog, stop.signal);
  const learn = (time: number, isAuthenticated: boolean): void => {
    const t = clock.raw();
    clock.learn({ t0: t, t1: time, t2: time, t3: t, isAuthenticated });
  };
  /** Lets time pass, until the player waits for its next store again. */
  const pass = async (ms: number): Promise<void> => {
    await eventually(() => base.pendingWaits === 1);
    base.advance(ms);
    await eventually(() => base.pendingWaits === 1);
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
  };
  return { clock, learn, pass, [Symbol.asyncDispose]: end };
}

/** The time at which a player starts, in a machine that starts in 1970. */
async function startTime(folder: string): Promise<number> {
  await using player = await startPlayer(folder);
  return player.clock.now();
}

test("[NTP7] after a restart the clock continues at the last authenticated time that was stored, also at an earlier one", async () => {
  await using folder = await temporaryFolder();
  expect(await startTime(folder.path)).toBe(firstReleaseMs);
  {
    await using player = await startPlayer(folder.path);
    player.learn(real, true);
    expect(await startTime(folder.path)).toBe(firstReleaseMs);
    await player.pass(minute);
    expect(await startTime(folder.path)).toBe(real + minute);
    // Without a new authenticated time nothing is stored.
    player.learn(real + 9 * hour, false);
    await player.pass(hour);
    expect(await startTime(folder.path)).toBe(real + minute);
    player.learn(real + 2 * hour, true);
    await player.pass(hour);
    expect(await startTime(folder.path)).toBe(real + 3 * hour);
  }
  {
    await using player = await startPlayer(folder.path);
    player.learn(real, true);
    await player.pass(minute);
  }
  expect(await startTime(folder.path)).toBe(real + minute);
});

test("[NTP7] a damaged or impossible stored time is ignored", async () => {
  await using folder = await temporaryFolder();
  for (const text of ["", "nonsense", JSON.stringify({ time_ms: real })]) {
    await writeFile(join(folder.path, "known-time.json"), text);
    expect(await startTime(folder.path)).toBe(firstReleaseMs);
  }
});

test("[NTP9] before the first authenticated time the clock starts at the time of the build", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "player"));
  const stamp = (text: string): Promise<void> => writeFile(join(folder.path, "player/build.json"), text);
  await stamp(JSON.stringify({ time_ms: real }));
  expect(await startTime(folder.path)).toBe(real);
  for (const text of ["", "nonsense", "{}", JSON.stringify({ time_ms: 1e300 }), JSON.stringify({ time_ms: 5 })]) {
    await stamp(text);
    expect(await startTime(folder.path)).toBe(firstReleaseMs);
  }
});

test("[NTP9] equal sources give an equal build time: that of SOURCE_DATE_EPOCH, else of the newest commit", async () => {
  const stamp = config.plugins!.flat().find((plugin) => (plugin as Plugin).name === "build-stamp") as Plugin;
  /** What the plugin of the page's build writes to build.json. */
  const written = (): unknown => {
    const files: { fileName: string; source: string }[] = [];
    const context = {
      emitFile: (file: (typeof files)[number]) => files.push(file),
      warn: (text: string) => files.push({ fileName: "", source: text }),
    };
    (stamp.generateBundle as () => void).call(context);
    expect(files.map(({ fileName }) => fileName)).toEqual(["build.json"]);
    return JSON.parse(files[0]!.source);
  };
  vi.stubEnv("SOURCE_DATE_EPOCH", "1790000000");
  try {
    expect(written()).toEqual({ time_ms: 1_790_000_000_000 });
    vi.stubEnv("SOURCE_DATE_EPOCH", undefined);
    const commit = await promisify(execFile)("git", ["log", "-1", "--format=%ct"], { cwd: rootFolder }).catch(() => null);
    if (commit !== null) expect(written()).toEqual({ time_ms: Number(commit.stdout) * 1_000 });
  } finally {
    vi.unstubAllEnvs();
  }
});
