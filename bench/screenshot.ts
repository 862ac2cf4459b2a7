// What pictures of the screen cost: the time beside a bare DevTools capture, the lost frames of a video, and the memory.
// Usage: node bench/screenshot.ts [pictures to time] [seconds of video] [pictures for the memory]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { createSystemClock } from "../src/base/clock.ts";
import { findChromium } from "../src/host/chromium/find-chromium.ts";
import { DevToolsPipe, type DevToolsSession } from "../src/host/chromium/pipe.ts";
import { Camera } from "../src/player/pictures/camera.ts";
import type { PictureRequest } from "../src/player/pictures/finish-picture.ts";
import { kioskChromium } from "../test/host/hosts-under-test.ts";
import { frameOnScreen, numberedVideo } from "../test/support/media/media.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { percentiles, printFigure, slopePpm } from "./lib.ts";

const count = Number(process.argv[2] ?? 50);
const seconds = Number(process.argv[3] ?? 20);
const manyPictures = Number(process.argv[4] ?? 1_000);
const fps = 30;
const never = new AbortController().signal;
const clock = createSystemClock();

const video = (await numberedVideo(5, fps)).toString("base64");
const play = `(async () => {
  document.body.style.margin = 0;
  document.body.innerHTML = '<video muted loop style="position:fixed;inset:0;width:100vw;height:100vh;object-fit:fill"></video>';
  const element = document.querySelector("video");
  element.src = URL.createObjectURL(await (await fetch("data:video/mp4;base64,${video}")).blob());
  await element.play();
})()`;

await using fixture = await kioskChromium.start();
const { host, framebuffer } = fixture;
await host.open(fixture.server.page, never);
await fixture.server.run(play);
const displayPower = async () => "on" as const;
const redact = [{ left: 75, top: 0, width: 25, height: 25 }];
const camera = (isRedacted: boolean): Camera =>
  new Camera({
    capture: (signal, options) => host.capture(signal, options),
    displayPower,
    fault: () => null,
    rules: () => ({ rotation: 0, redact: isRedacted ? redact : [] }),
    clock,
  });
const full: PictureRequest = { format: "jpeg", quality: 85 };
const small: PictureRequest = { format: "jpeg", quality: 70, maxWidth: 960 };

await using bare = await startBare();
await bare.page.send("Runtime.evaluate", { expression: play, awaitPromise: true });
const ways: Record<string, () => Promise<unknown>> = {
  bare: () => bare.page.send("Page.captureScreenshot", { format: "jpeg", quality: 85, optimizeForSpeed: true }),
  command: () => camera(false).take(full, never),
  "960 px": () => camera(false).take(small, never),
  "redacted, 960 px": () => camera(true).take(small, never),
};
const times: Record<string, number[]> = {};
for (let round = 0; round < count; round += 1) {
  for (const [name, way] of Object.entries(ways)) {
    const from = performance.now();
    await way();
    (times[name] ??= []).push(performance.now() - from);
  }
}
for (const [name, all] of Object.entries(times)) printFigure(`picture: ${name}, ms`, percentiles(all));
const median = (name: string): number => percentiles(times[name]!).p50;
printFigure("picture: command against bare DevTools", { ratio: Math.round((100 * median("command")) / median("bare")) / 100 });
await bare[Symbol.asyncDispose]();

const without = await framesOnScreen(null);
const atInterval = await framesOnScreen(small);
printFigure("video: frames on the screen without pictures", without);
printFigure("video: frames on the screen with a picture each second", atInterval);
const lost = atInterval.missed / atInterval.pictures - without.missed / (seconds || 1);
printFigure("video: more frames lost for a picture", { frames: Math.round(100 * lost) / 100 });

const memory: number[] = [];
const taken: number[] = [];
for (let picture = 0; picture < manyPictures; picture += 1) {
  await camera(true).take(small, never);
  if (picture % 10 !== 0) continue;
  memory.push(process.memoryUsage.rss());
  taken.push(picture);
}
const half = Math.floor(memory.length / 2);
const [early, late] = [memory.slice(10, half), memory.slice(half)].map((part) => percentiles(part.map((bytes) => bytes / 2 ** 20)).p50);
printFigure("memory of the player's process", {
  pictures: manyPictures,
  first_half_mb: early ?? 0,
  second_half_mb: late ?? 0,
  bytes_per_picture: slopePpm(taken.slice(half), memory.slice(half)) / 1e6,
});

/** Counts the frames of the video that the screen showed and those that it left out. @param request a picture each second; null: none. */
async function framesOnScreen(request: PictureRequest | null): Promise<{ shown: number; missed: number; pictures: number }> {
  const until = performance.now() + seconds * 1_000;
  let [last, shown, missed, pictures] = [-1, 0, 0, 0];
  let nextAt = performance.now();
  let isTaking = false;
  while (performance.now() < until) {
    if (request !== null && !isTaking && performance.now() >= nextAt) {
      nextAt += 1_000;
      pictures += 1;
      isTaking = true;
      void camera(false)
        .take(request, never)
        .finally(() => (isTaking = false));
    }
    const frame = frameOnScreen(framebuffer!);
    if (frame !== null && frame !== last) {
      if (last !== -1) missed += (frame - last - 1 + 5 * fps) % (5 * fps);
      shown += 1;
      last = frame;
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return { shown, missed, pictures };
}

/** A plain Chromium on a display of its own, over its DevTools pipe. */
async function startBare(): Promise<{ page: DevToolsSession } & AsyncDisposable> {
  await using owned = new AsyncDisposableStack();
  const xvfb = owned.use(await startXvfb({ width: 1920, height: 1080 }));
  const profile = await mkdtemp("/tmp/signage-bench-");
  owned.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
  const asRoot = process.getuid?.() === 0;
  const nobody = 65_534;
  await chmod(profile, 0o755);
  if (asRoot) await chown(profile, nobody, nobody);
  const flags = ["--kiosk", "--no-first-run", "--disable-gpu", "--window-size=1920,1080", "--remote-debugging-pipe"];
  const more = ["--autoplay-policy=no-user-gesture-required", `--user-data-dir=${profile}`, "about:blank"];
  const chromium = spawn(await findChromium(), [...flags, ...more], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, DISPLAY: xvfb.display, HOME: profile },
    ...(asRoot ? { uid: nobody, gid: nobody } : {}),
  });
  const ended = once(chromium, "exit");
  owned.defer(async () => {
    process.kill(-chromium.pid!, "SIGTERM");
    await ended;
  });
  const pipe = new DevToolsPipe(chromium.stdio[3] as Writable, chromium.stdio[4] as unknown as Readable, clock, () => undefined);
  const { targetInfos } = await pipe.browser.send("Target.getTargets", {}, { deadlineMs: 30_000 });
  const { targetId } = targetInfos.find(({ type }) => type === "page")!;
  const { sessionId } = await pipe.browser.send("Target.attachToTarget", { targetId, flatten: true });
  const all = owned.move();
  return { page: pipe.session(sessionId), [Symbol.asyncDispose]: () => all.disposeAsync() };
}
