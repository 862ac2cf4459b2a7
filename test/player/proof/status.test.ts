// The heartbeat, put together from a fake host, a fake machine and values that a test sets.
import fc from "fast-check";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { reportContent } from "../../../src/player/content/content-report.ts";
import { noProgress } from "../../../src/player/content/download-progress.ts";
import { noGenerations } from "../../../src/player/content/generations.ts";
import type { ReadyState } from "../../../src/player/content/ready-content.ts";
import { readableHeartbeat } from "../../../src/player/proof/status.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import type { PageState } from "../../../src/player/surface/page-state.ts";
import type { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { Heartbeat } from "../../../src/protocol/device/heartbeat.ts";
import { PairingRequest } from "../../../src/protocol/device/messages.ts";
import { FakeClock } from "../../support/clock.ts";
import { assetOf, desiredOf, imageItem, newId, readyOf } from "../../support/states.ts";
import { createStatus } from "../../support/status.ts";

const noUpdate = {
  is: "current" as const,
  wanted_version: null,
  slot: "package" as const,
  reason: "the program of the package",
  previous_version: null,
  launcher_version: "1.0.0",
  ready_bytes: 0,
  total_bytes: null,
  detail: null,
  last_attempt: null,
};
const shown = { zone_id: newId("zon"), item_id: newId("itm"), asset_id: null, presented_at: "2026-11-21T12:00:00.000Z" };

test("[WIR16] a heartbeat reports program, machine, page and clock", async () => {
  const clock = new FakeClock();
  const page: PageState = {
    is: "here",
    since: 0,
    viewport: { width: 1_280.4, height: 719.6 },
    lastFrameAt: clock.monotonic(),
    reportsWithoutFrame: 0,
  };
  const { status, machine, send } = createStatus(clock, {
    engine: { name: "chromium", version: "156", headless: true },
    page,
    report: { now_playing: [shown], variables: { door: "open" } },
  });
  send({ type: "beat", at: clock.now(), frames: 1, drift: { worst_ms: 12, mean_ms: -3, measures: 1 } });
  clock.advance(2_000);
  const heartbeat = await status.heartbeat();
  expect(Heartbeat.parse(heartbeat)).toEqual(heartbeat);
  expect(heartbeat).toMatchObject({
    boot_id: machine.bootId,
    uptime_ms: 2_000,
    sent_at_ms: clock.now(),
    player_version: "1.2.3",
    engine: "chromium 156 headless",
    hardware: "Fake machine",
    timezone: "UTC",
    resolution: { width: 1_280, height: 720 },
    now_playing: [shown],
    variables: { door: "open" },
    rendering: true,
    last_frame_at: new Date(clock.now() - 2_000).toISOString(),
    cpu_load: 0.5,
    temperature_c: 40,
    disk_free_bytes: 1e12,
    clock_offset_ms: 0,
    clock_error_ms: null,
    drift_ms: 12,
    drift_mean_ms: -3,
  });
  expect(heartbeat.memory_bytes).toBeGreaterThan(1_000);
});

test("[WIR17] without a page a heartbeat reports no picture and nothing as playing", async () => {
  const clock = new FakeClock();
  const { status } = createStatus(clock, { report: { now_playing: [shown] } });
  expect(await status.heartbeat()).toMatchObject({
    engine: "none",
    resolution: null,
    now_playing: [],
    rendering: false,
    last_frame_at: null,
  });
  const request = { ...(await status.describeDevice()), public_key: "A".repeat(43) };
  expect(PairingRequest.parse(request)).toEqual({
    public_key: request.public_key,
    player_version: "1.2.3",
    hardware: "Fake machine",
    timezone: "UTC",
    resolution: null,
  });
});

const picture = assetOf(Buffer.from("a"));
const newest = desiredOf([imageItem(picture, 5_000)], [picture], "r2");
const unassigned = { ...newest, layout: null };
const before = readyOf({ ...newest, revision: "r1" });

test.each([
  ["never received", {}, { is: "empty", revision: null, detail: expect.any(String) }],
  ["empty", { desired: unassigned, applied: readyOf(unassigned) }, { is: "empty", revision: "r2", detail: null }],
  ["downloading", { desired: newest, applied: before }, { is: "downloading", revision: "r2", detail: null }],
  ["failed", { desired: newest, applied: before, failure: "x".repeat(3_000) }, { is: "failed", revision: "r2", detail: "x".repeat(2_000) }],
  ["applied", { desired: newest, applied: readyOf(newest) }, { is: "applied", revision: "r2", detail: null }],
  [
    "downloading while files of it are lost",
    { desired: newest, applied: { ...readyOf(newest), files: new Map<string, string>() } },
    { is: "downloading", revision: "r2", detail: null },
  ],
])("[WIR18] a heartbeat reports the newest state as %s", async (_name, given, expected) => {
  const { desired = null, applied = null, failure = null } = given as { desired?: DesiredState; applied?: ReadyState; failure?: string };
  const counts = { readyBytes: 3, totalBytes: 7, readyFiles: 1, totalFiles: 2 };
  const is = failure === null ? "downloading" : "failed";
  const progress = { ...noProgress, ...counts, is, revision: "r2", detail: failure } as const;
  const report = reportContent({ desired, applied, progress, generations: noGenerations });
  const { content } = await createStatus(new FakeClock(), { report }).status.heartbeat();
  const reported = { ready_bytes: 3, total_bytes: 7, ready_files: 1, total_files: 2, files: [] };
  expect(content).toEqual({ ...expected, applied_revision: applied?.desired.revision ?? null, ...reported });
});

test("[RCO4] a heartbeat with a part that its own schema refuses is sent without it, which is reported as a fault of the program", async () => {
  const disk = new DiskHealth(silentLog);
  const clock = new FakeClock();
  const whole = await createStatus(clock).status.heartbeat();
  expect(readableHeartbeat(whole, disk)).toBe(whole);
  const wrong = { ...noUpdate, ready_bytes: -1 };
  const { update: _update, ...rest } = await createStatus(clock, { update: wrong }).status.heartbeat();
  const sent = readableHeartbeat({ ...rest, update: wrong }, disk);
  expect(sent).toEqual(rest);
  expect(Heartbeat.safeParse(sent).success).toBe(true);
  expect(disk.condition.refused).toEqual([{ what: "heartbeat", reason: expect.stringContaining("update.ready_bytes") }]);
});

test("[RCO5] whatever the clocks do, a heartbeat is one that its own schema accepts", async () => {
  const walls = fc.constantFrom(Date.UTC(1901, 0), -0.5, 0, Date.UTC(2262, 0), Date.UTC(9000, 0));
  const property = fc.asyncProperty(
    walls,
    fc.constantFrom(0, 0.1, 1e12),
    fc.constantFrom(0, 0.5, 4e9),
    async (wall, monotonic, passing) => {
      const clock = new FakeClock(wall, monotonic);
      const page: PageState = {
        is: "here",
        since: monotonic,
        lastFrameAt: monotonic,
        viewport: { width: 1, height: 1 },
        reportsWithoutFrame: 0,
      };
      const { status } = createStatus(clock, { page });
      clock.advance(passing);
      clock.step(-3_600_000.5);
      const sent: unknown = JSON.parse(JSON.stringify(await status.heartbeat()));
      expect(Heartbeat.safeParse(sent).error?.issues ?? []).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: 40 });
});
