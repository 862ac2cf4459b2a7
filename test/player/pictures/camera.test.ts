// Pictures of the screen: their form, what they must not show, one at a time, and the reason when there is none.
import sharp from "sharp";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { Fault, type FaultCode } from "../../../src/base/fault.ts";
import type { CaptureOptions } from "../../../src/player/host.ts";
import { imageSize } from "../../../src/player/pictures/image-size.ts";
import { rulesOf } from "../../../src/player/pictures/pictures.ts";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { FakeClock } from "../../support/clock.ts";
import { desiredOf } from "../../support/states.ts";
import { brightest, cameraOf, captureOf, never } from "./cameras.ts";

const clock = createSystemClock();

test("[PIC1] a picture has the format, the quality and at most the width that were asked for; the browser encodes it if it needs no change", async () => {
  const asked: (CaptureOptions | undefined)[] = [];
  const jpeg = await captureOf(320, 180);
  const camera = cameraOf(clock, {
    capture: async (_signal, options) => {
      asked.push(options);
      return options?.format === "png" ? captureOf(320, 180, "png") : jpeg;
    },
  });
  const direct = await camera.take({ format: "jpeg", quality: 42, maxWidth: 320 }, never);
  expect(asked).toEqual([{ format: "jpeg", quality: 42 }]);
  expect(direct).toMatchObject({ mimeType: "image/jpeg", width: 320, height: 180 });
  expect(direct.bytes).toBe(jpeg.bytes);
  const png = await camera.take({ format: "png", quality: 1 }, never);
  expect(asked[1]).toMatchObject({ format: "png" });
  expect(await sharp(png.bytes).metadata()).toMatchObject({ format: "png", width: 320, height: 180 });
  const small = await camera.take({ format: "webp", quality: 70, maxWidth: 64 }, never);
  expect(small).toMatchObject({ mimeType: "image/webp", width: 64, height: 36 });
  expect(await sharp(small.bytes).metadata()).toMatchObject({ format: "webp", width: 64, height: 36 });
});

test("[PIC1] the size of a picture is read from its header", async () => {
  expect(imageSize((await captureOf(321, 99, "png")).bytes)).toEqual({ width: 321, height: 99 });
  expect(imageSize((await captureOf(321, 99, "jpeg")).bytes)).toEqual({ width: 321, height: 99 });
  expect(
    imageSize(
      await sharp((await captureOf(33, 44)).bytes)
        .jpeg({ progressive: true })
        .toBuffer(),
    ),
  ).toEqual({ width: 33, height: 44 });
  for (const broken of [Buffer.alloc(0), Buffer.from("hello, this is no picture"), Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])]) {
    expect(imageSize(broken)).toBeNull();
  }
});

test("[PIC2] pictures are taken one at a time; others wait for their turn, also after one that failed", async () => {
  let running = 0;
  let most = 0;
  let count = 0;
  const camera = cameraOf(clock, {
    capture: async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (++count === 2) throw new Fault("page-dead", "gone");
      return captureOf(32, 18);
    },
  });
  const request = { format: "jpeg", quality: 80 } as const;
  const taken = await Promise.allSettled(Array.from({ length: 5 }, () => camera.take(request, never)));
  expect(taken.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled"]);
  expect([most, count]).toEqual([1, 5]);
});

test("[PIC3] without a picture within five seconds there is the reason: no attempt hangs, and none holds up the next for ever", async () => {
  const fake = new FakeClock();
  const camera = cameraOf(fake, { capture: () => new Promise(() => undefined) });
  const request = { format: "jpeg", quality: 80 } as const;
  const first = camera.take(request, never).catch((error: unknown) => error);
  const second = camera.take(request, never).catch((error: unknown) => error);
  fake.advance(5_000);
  expect(await first).toMatchObject({ code: "timeout" });
  expect(await second).toMatchObject({ code: "timeout" });
  const third = camera.take(request, never).catch((error: unknown) => error);
  fake.advance(5_000);
  expect(await third).toMatchObject({ code: "timeout" });
});

test.each<[fault: string | null, thrown: FaultCode, code: FaultCode, remedy: string]>([
  ["page-crashed", "page-dead", "page-crashed", "half a minute"],
  ["page-hung", "timeout", "page-hung", "half a minute"],
  ["browser-exited", "page-dead", "browser-gone", "half a minute"],
  [null, "page-hung", "page-hung", "does not respond"],
  [null, "page-dead", "browser-gone", "no browser|has ended"],
  [null, "timeout", "timeout", "Try again"],
])("[PIC3] a capture fails with %s and %s: the reason is %s, with what to do", async (fault, thrown, code, remedy) => {
  const camera = cameraOf(clock, { capture: () => Promise.reject(new Fault(thrown, "as the host says")), fault: () => fault });
  await expect(camera.take({ format: "jpeg", quality: 80 }, never)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(remedy),
  });
});

test("[PIC3] a display that is off has no picture: the browser is not even asked", async () => {
  let asked = 0;
  const camera = cameraOf(clock, {
    displayPower: async () => "off",
    capture: async () => {
      asked += 1;
      return captureOf(32, 18);
    },
  });
  await expect(camera.take({ format: "jpeg", quality: 80 }, never)).rejects.toMatchObject({
    code: "display-off",
    message: expect.stringContaining("display.power"),
  });
  expect(asked).toBe(0);
});

const corner = { left: 50, top: 0, width: 25, height: 40 };

test.each(["jpeg", "png", "webp"] as const)("[PIC4] a %s is black under a redaction, and unchanged beside it", async (format) => {
  for (const maxWidth of [undefined, 100]) {
    const camera = cameraOf(clock, {
      capture: (_signal, options) => captureOf(640, 360, options?.format),
      rules: () => ({ rotation: 0, redact: [corner] }),
    });
    const { bytes, width } = await camera.take({ format, quality: 90, maxWidth }, never);
    expect(width).toBe(maxWidth ?? 640);
    expect(await brightest(bytes, corner)).toBeLessThan(12);
    expect(await brightest(bytes, { left: 0, top: 0, width: 45, height: 100 })).toBeGreaterThan(240);
    expect(await brightest(bytes, { left: 50, top: 50, width: 50, height: 50 })).toBeGreaterThan(240);
  }
});

test.each([90, 180, 270] as const)(
  "[PIC4] on a display turned by %s° the picture is upright, and the redaction is where people see it",
  async (rotation) => {
    // What the page draws: a white picture with a black bar at its top, turned clockwise.
    const upright = (await captureOf(180, 320, "png", [0.1, 0])).bytes;
    const bytes = await sharp(upright).rotate(rotation).png().toBuffer();
    const redact = [{ left: 0, top: 80, width: 50, height: 20 }];
    const camera = cameraOf(clock, { capture: async () => ({ bytes, mimeType: "image/png" }), rules: () => ({ rotation, redact }) });
    const picture = await camera.take({ format: "png", quality: 90 }, never);
    expect([picture.width, picture.height]).toEqual([180, 320]);
    expect(await brightest(picture.bytes, { left: 0, top: 0, width: 100, height: 8 })).toBe(0);
    expect(await brightest(picture.bytes, redact[0]!)).toBe(0);
    expect(await brightest(picture.bytes, { left: 52, top: 80, width: 48, height: 20 })).toBe(255);
  },
);

test("[PIC4] if a picture cannot be blackened, there is none", async () => {
  const { bytes } = await captureOf(640, 360);
  const broken = { bytes: bytes.subarray(0, bytes.length - 200), mimeType: "image/jpeg" } as const;
  const camera = cameraOf(clock, { capture: async () => broken, rules: () => ({ rotation: 0, redact: [corner] }) });
  await expect(camera.take({ format: "jpeg", quality: 90 }, never)).rejects.toMatchObject({ code: "not-redacted" });
});

test("[PIC4] while another state is being prepared, both what it hides and what the present one hides is black", () => {
  const state = (redact: (typeof corner)[]): DesiredState => {
    const desired = desiredOf([], []);
    return DesiredState.parse({ ...desired, player: { ...desired.player, orientation: "portrait", screenshots: { redact } } });
  };
  const other = { ...corner, left: 0 };
  expect(rulesOf(state([corner]), state([other]))).toEqual({ rotation: 90, redact: [corner, other] });
  expect(rulesOf(null, null)).toEqual({ rotation: 0, redact: [] });
});

test("[PIC5] settings for pictures that a player cannot read make neither its state invalid nor its pictures visible", () => {
  const desired = desiredOf([], []);
  const parsed = (screenshots: object) => DesiredState.parse({ ...desired, player: { ...desired.player, screenshots } }).player.screenshots;
  const everything = [{ left: 0, top: 0, width: 100, height: 100 }];
  expect(parsed({ redact: [{ left: 0, top: 0, width: 10, radius: 10 }] })).toMatchObject({ every_s: null, redact: everything });
  expect(parsed({ redact: "everything" })).toMatchObject({ redact: everything });
  expect(parsed({ every_s: 60, redact: [corner], of_a_later_version: true })).toMatchObject({ every_s: 60, redact: [corner] });
});
