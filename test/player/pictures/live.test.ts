// The command live: how its stream goes on and why it ends, and how it leaves the line and the device to others.
import sharp from "sharp";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { Fault } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import { HttpFault } from "../../../src/player/link/service-http.ts";
import type { CameraDependencies } from "../../../src/player/pictures/camera.ts";
import { CpuUsage } from "../../../src/player/pictures/cpu-usage.ts";
import { LivePace } from "../../../src/player/pictures/live-pace.ts";
import { Live, type SendLiveFrame } from "../../../src/player/pictures/live.ts";
import type { LiveAnswer } from "../../../src/protocol/device/live.ts";
import { LiveArgs } from "../../../src/protocol/device/machine-commands.ts";
import { FakeClock } from "../../support/clock.ts";
import { eventually } from "../../support/polling.ts";
import { newId } from "../../support/states.ts";
import { cameraOf, captureOf, never } from "./cameras.ts";

const goOn: LiveAnswer = { is: "continue", max_fps: 5, max_width: 160, quality: 60 };

/** Starts a stream whose frames go to `send`. */
function start(
  send: SendLiveFrame,
  { live, args, signal = never, ...camera }: Partial<CameraDependencies> & Partial<{ live: Live; args: object; signal: AbortSignal }> = {},
) {
  const clock = createSystemClock();
  const own = live ?? new Live({ camera: cameraOf(clock, camera), isBusy: () => false, clock, log: silentLog });
  own.connect(send);
  const command = {
    type: "live",
    id: newId("cmd"),
    madeAt: 0,
    ttl_s: 30,
    args: LiveArgs.parse({ stream_id: newId("liv"), max_fps: 5, max_width: 160, ...args }),
  } as const;
  return { live: own, ended: own.module.run(command, signal).then((outcome) => (outcome.is === "done" ? outcome.result : null)) };
}

test("[LIV1] a live view sends one JPEG after the other, in the size that is wanted now, until nobody watches", async () => {
  const frames: Buffer[] = [];
  const { ended } = start(async (_id, frame) => {
    frames.push(frame);
    return frames.length === 1 ? { ...goOn, max_width: 32 } : frames.length === 3 ? null : goOn;
  });
  expect(await ended).toEqual({ frames: 2, bytes: frames[0]!.length + frames[1]!.length, reason: "unwatched" });
  const sizes = await Promise.all(frames.map(async (frame) => (await sharp(frame).metadata()).width));
  expect(sizes).toEqual([160, 32, 160]);
});

test("[LIV1] a live view ends after its duration, and when another one begins: there is one at a time", async () => {
  expect(await start(async () => goOn, { args: { duration_ms: 1_000 } }).ended).toMatchObject({ reason: "duration" });
  let sent = 0;
  const first = start(async () => {
    sent += 1;
    return goOn;
  });
  await eventually(() => sent > 0);
  const second = start(async () => null, { live: first.live });
  expect(await first.ended).toMatchObject({ reason: "replaced" });
  expect(await second.ended).toMatchObject({ reason: "unwatched" });
});

test("[LIV1] a live view ends with the session, and with a revocation", async () => {
  const stop = new AbortController();
  let sent = 0;
  const { ended } = start(
    async () => {
      sent += 1;
      return goOn;
    },
    { signal: stop.signal },
  );
  await eventually(() => sent > 0);
  stop.abort();
  await expect(ended).rejects.toMatchObject({ name: "AbortError" });
  await expect(start(() => Promise.reject(new Fault("revoked", "removed"))).ended).rejects.toMatchObject({ code: "revoked" });
});

test("[LIV2] without a first picture the command fails with the reason; later the reason is in its result", async () => {
  await expect(start(async () => goOn, { displayPower: async () => "off" }).ended).rejects.toMatchObject({ code: "display-off" });
  let power: "on" | "off" = "on";
  const { ended } = start(
    async () => {
      power = "off";
      return goOn;
    },
    { displayPower: async () => power },
  );
  expect(await ended).toMatchObject({ frames: 1, reason: "no-picture", detail: expect.stringContaining("switched off") });
});

test("[LIV2] a live view outlasts a short interruption of the line, and ends after fifteen seconds without one", async () => {
  const clock = new FakeClock();
  const live = new Live({
    camera: cameraOf(createSystemClock(), { capture: () => captureOf(32, 18) }),
    isBusy: () => false,
    clock,
    log: silentLog,
  });
  let tries = 0;
  const { ended } = start(
    () => {
      tries += 1;
      return Promise.reject(new Fault("unreachable", "no line"));
    },
    { live },
  );
  for (let second = 1; second <= 16; second += 1) {
    await eventually(() => clock.pendingWaits === 1 && tries === second);
    clock.advance(1_000);
  }
  expect(await ended).toMatchObject({ frames: 0, reason: "disconnected", detail: "no line" });
  expect(await start(() => Promise.reject(new HttpFault(404, "an older service"))).ended).toMatchObject({ reason: "refused" });
});

test("[LIV3] over a slow line frames become smaller and worse, and better again; the next one waits until the last was answered", async () => {
  const pace = new LivePace({ max_fps: 2, max_width: 960, quality: 60 });
  expect([pace.picture, pace.intervalMs]).toEqual([{ format: "jpeg", quality: 60, maxWidth: 960 }, 500]);
  const wishes = { max_fps: 2, max_width: 960, quality: 60 };
  for (let frame = 0; frame < 20; frame += 1) pace.sent(wishes, 50, 3_000);
  expect(pace.picture).toEqual({ format: "jpeg", quality: 20, maxWidth: 480 });
  for (let frame = 0; frame < 20; frame += 1) pace.sent(wishes, 50, 100);
  expect(pace.picture).toEqual({ format: "jpeg", quality: 60, maxWidth: 960 });
  let open = 0;
  let most = 0;
  let count = 0;
  const { ended } = start(async () => {
    most = Math.max(most, ++open);
    // Another view that does not wait sends three frames meanwhile.
    let others = 0;
    await start(async () => (++others === 3 ? null : goOn)).ended;
    open -= 1;
    return ++count === 2 ? null : goOn;
  });
  await ended;
  expect(most).toBe(1);
});

test("[LIV4] a device that takes long for a picture takes fewer: at most a quarter of the time, and none while its processors are busy", () => {
  const wishes = { max_fps: 5, max_width: 960, quality: 60 };
  const pace = new LivePace(wishes);
  pace.sent(wishes, 250, 10);
  expect(pace.intervalMs).toBe(1_000);
  pace.sent(wishes, 20_000, 10);
  expect(pace.intervalMs).toBe(5_000);
  expect(Array.from({ length: 10 }, () => pace.skips(true))).toEqual([true, true, true, true, false, true, true, true, true, false]);
  expect(pace.skips(false)).toBe(false);
});

test("[LIV4] processors are busy if they were idle for less than a twentieth of the time since the last picture", () => {
  let [idle, user] = [1_000, 1_000];
  const usage = new CpuUsage(() => [{ times: { idle, user, sys: 0, nice: 0, irq: 0 } }]);
  expect(usage.isBusy()).toBe(false);
  [idle, user] = [idle + 10, user + 990];
  expect(usage.isBusy()).toBe(true);
  [idle, user] = [idle + 100, user + 900];
  expect(usage.isBusy()).toBe(false);
  expect(usage.isBusy()).toBe(false);
});

test("[LIV3] a frame that is too large for the service is not sent, and the next one is smaller", async () => {
  const noise = await sharp(
    Buffer.alloc(1_920 * 1_080 * 3).map(() => Math.random() * 255),
    { raw: { width: 1_920, height: 1_080, channels: 3 } },
  )
    .jpeg({ quality: 100 })
    .toBuffer();
  const sizes: number[] = [];
  const { ended } = start(
    async (_id, frame) => {
      sizes.push(frame.length);
      return null;
    },
    { capture: async () => ({ bytes: noise, mimeType: "image/jpeg" }), args: { max_width: 1_920, quality: 100 } },
  );
  expect(await ended).toMatchObject({ reason: "unwatched" });
  expect(sizes).toHaveLength(1);
  expect(sizes[0]).toBeLessThanOrEqual(512 * 1_024);
});
