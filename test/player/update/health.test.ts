// health.json, by which the launcher judges a version.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Observable } from "../../../src/base/async/observable.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { PageState } from "../../../src/player/surface/page-state.ts";
import { type HealthDependencies, reportHealth } from "../../../src/player/update/health.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { Health } from "../../../src/protocol/device/updates.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually, waitUntil } from "../../support/polling.ts";

/** A player whose readings the test sets. */
async function startReporting() {
  const cleanup = new AsyncDisposableStack();
  const { path: folder } = cleanup.use(await temporaryFolder());
  const clock = new FakeClock();
  const file = join(folder, "health.json");
  const viewport = { width: 1, height: 1 };
  const readings = {
    page: { is: "here", since: clock.monotonic(), viewport, lastFrameAt: clock.monotonic(), reportsWithoutFrame: 0 } as PageState,
    isOffOnPurpose: false,
    power: "on" as "on" | "off" | null,
    answeredAt: undefined as number | null | undefined,
    browserBytes: 100e6,
  };
  let report: (message: FromPage) => void = () => undefined;
  const dependencies: HealthDependencies = {
    file,
    program: { version: "1.3.0", instanceId: "run-1" },
    // Far above what the process of the tests takes.
    memoryBudgetBytes: 20e9,
    machine: { run: { id: "boot-1", ageMs: () => clock.elapsed() }, displayPower: async () => readings.power },
    browser: {
      host: { memoryBytes: async () => readings.browserBytes },
      surface: { page: new Observable(readings.page), onMessage: (listener) => (report = listener) },
      recovery: { engine: { name: "chromium", version: "156.0.8078.79", headless: false } },
    },
    session: () => {
      const { answeredAt, isOffOnPurpose } = readings;
      if (answeredAt === undefined && !isOffOnPurpose) return null;
      return { displayPower: { isOffOnPurpose }, connection: { answeredAt: answeredAt ?? null } };
    },
    clock,
    log: silentLog,
  };
  const stop = new AbortController();
  const ended = reportHealth(dependencies, stop.signal).catch((error: unknown) => error);
  cleanup.defer(async () => {
    stop.abort();
    await ended;
  });
  const read = async () => Health.parse(JSON.parse(await readFile(file, "utf8")));
  const readIfThere = () => read().catch(() => null);
  await eventually(readIfThere);
  return {
    clock,
    readings,
    report: (message: FromPage) => report(message),
    read,
    /** Lets time pass and reads what is written then. */
    async after(ms: number): Promise<Health> {
      const before = (await read()).uptime_ms;
      await waitUntil("the report waits", () => clock.pendingWaits > 0);
      clock.advance(ms);
      return eventually(async () => {
        const health = await readIfThere();
        return health !== null && health.uptime_ms > before ? health : null;
      });
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

test("[UPD25] every five seconds health.json has the version, the machine's run and time, the frames, the browser and the memory", async () => {
  await using player = await startReporting();
  player.report({ type: "beat", at: 0, frames: 7 });
  player.report({ type: "beat", at: 0, frames: 5 });
  const health = await player.after(5_000);
  expect(health).toMatchObject({
    version: "1.3.0",
    boot_id: "boot-1",
    instance_id: "run-1",
    monotonic_ms: 6_000,
    uptime_ms: 5_000,
    frames_presented: 12,
    browser: "chromium 156.0.8078.79",
    memory_budget_bytes: 20e9,
    checks: { frames: true, checked_in: null, memory: true },
  });
  expect(health.memory_bytes).toBeGreaterThan(100e6);
});

test("[UPD26] the checks fail 30 s after the last frame, two minutes after the last answer, and above the memory's budget", async () => {
  await using player = await startReporting();
  player.readings.answeredAt = player.clock.monotonic();
  player.readings.browserBytes = 40e9;
  expect((await player.after(25_000)).checks).toEqual({ frames: true, checked_in: true, memory: true });
  expect((await player.after(5_000)).checks).toEqual({ frames: false, checked_in: true, memory: false });
  expect((await player.after(90_000)).checks).toEqual({ frames: false, checked_in: false, memory: false });
});

test("[UPD27] a display that is off needs no frames, an unpaired player no answers; a player that never got one has not checked in", async () => {
  await using player = await startReporting();
  player.readings.power = "off";
  expect((await player.after(40_000)).checks).toMatchObject({ frames: null, checked_in: null });
  player.readings.answeredAt = null;
  expect((await player.after(5_000)).checks).toMatchObject({ frames: null, checked_in: false });
  // A display that does not tell whether it is on is no excuse.
  player.readings.power = null;
  expect((await player.after(5_000)).checks).toMatchObject({ frames: false });
});

test("[DHR33] a version is not blamed for missing frames while the display is off on purpose, even if the display does not tell that", async () => {
  await using player = await startReporting();
  player.readings.power = null;
  player.readings.isOffOnPurpose = true;
  expect((await player.after(5_000)).checks).toMatchObject({ frames: true });
  expect((await player.after(40_000)).checks).toMatchObject({ frames: null });
  player.readings.isOffOnPurpose = false;
  expect((await player.after(5_000)).checks).toMatchObject({ frames: false });
});
