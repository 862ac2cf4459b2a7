// The frames that the page reports: late ones while it is busy, and those that its videos drop.
import { expect, test } from "vitest";
import { FrameTime } from "../../../renderer/player/frame-time.ts";
import { consecutiveSlots, image, item, slot, stage, zone } from "../scenes.ts";
import type { DrivenPage } from "../test-browser.ts";
import { poll, useTestBrowser } from "../setup.ts";

const browser = useTestBrowser();
const long = 600_000;

/** The sums of all reports so far. */
function sums({ server }: DrivenPage): { frames: number; late: number; video_frames: number; dropped: number } {
  const sum = { frames: 0, late: 0, video_frames: 0, dropped: 0 };
  for (const message of server.messages) {
    if (message.type !== "beat") continue;
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += message[name] ?? 0;
  }
  return sum;
}

/** Waits for a report of what happens until now. */
async function nextReport({ server, time }: DrivenPage): Promise<void> {
  const count = (): number => server.messages.filter(({ type }) => type === "beat").length;
  const before = count();
  await poll(time, count).toBeGreaterThan(before);
}

test("[TEL11] a frame that a busy page draws late is reported as late", async () => {
  await using opened = await browser.openDriven();
  const { server, time } = opened;
  const slots = consecutiveSlots(server.now() - 4_000, [
    [image("red.png"), 5_000],
    [image("green.png"), long],
  ]);
  // A transition requests each frame of its ten seconds.
  slots[1]!.transition = { type: "crossfade", duration_ms: 10_000, easing: "linear", direction: "left" };
  server.draw(stage([zone(slots)]));
  await server.waitForMessage("presented", ({ key }) => key === slots[1]!.key);
  await nextReport(opened);
  const before = sums(opened).late;
  const blocks = 4;
  for (let count = 0; count < blocks; count += 1) {
    time.frameMs = 300;
    await time.pass();
    time.frameMs = 1_000 / 30;
    await time.pass();
  }
  await nextReport(opened);
  const { late, frames } = sums(opened);
  expect(late - before).toBeGreaterThanOrEqual(blocks);
  expect(frames).toBeGreaterThanOrEqual(late);
});

test("[TEL11] the frame time is learnt from the display, and a page that is always late is no slow display", () => {
  const learnt = (...intervals: number[]): number => {
    const time = new FrameTime();
    for (let round = 0; round < 15; round += 1) for (const interval of intervals) time.add(interval);
    return time.value;
  };
  expect(new FrameTime().value).toBeCloseTo(16.67, 1);
  expect(learnt(33.3)).toBeCloseTo(33.3);
  expect(learnt(16.7, 16.6, 16.7, 50)).toBeCloseTo(16.7);
  expect(learnt(120)).toBeCloseTo(41.67, 1);
  expect(learnt(8.3, 3)).toBeLessThanOrEqual(8.3);
});

test("[TEL12] the frames that videos present and drop are reported, also of a video that has left the page", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const film = item({ type: "video", src: "/media/steps.mp4", media_duration_ms: 6_000, fit: "cover", muted: true });
  const play = slot(film, server.now() + 300, long);
  server.draw(stage([zone([play])]));
  await server.waitForMessage("presented", ({ key }) => key === play.key);
  // At sixteen times its speed it has more frames than the display shows.
  await page.evaluate(`{
    const video = document.querySelector("video");
    video.playbackRate = 16;
    Object.defineProperty(video, "playbackRate", { set() {}, get: () => 16 });
  }`);
  const inBrowser = () => page.evaluate<number>("document.querySelector('video').getVideoPlaybackQuality().droppedVideoFrames");
  await poll(time, inBrowser).toBeGreaterThan(5);
  await nextReport(opened);
  const { dropped, video_frames: shown } = sums(opened);
  expect(dropped).toBeGreaterThan(5);
  expect(shown).toBeGreaterThan(5);
  // Between two reports the video drops more frames and leaves the page.
  const atLeast = await inBrowser();
  server.draw(stage([zone([slot(image("red.png"), server.now(), long)])]));
  await poll(time, () => page.evaluate("document.querySelectorAll('video').length")).toBe(0);
  await nextReport(opened);
  expect(sums(opened).dropped).toBeGreaterThanOrEqual(atLeast);
  // Frames of the picture that came meanwhile may be late, but are none of the video's.
  const ofVideos = () => {
    const { dropped, video_frames } = sums(opened);
    return { dropped, video_frames };
  };
  const after = ofVideos();
  await nextReport(opened);
  expect(ofVideos()).toEqual(after);
});
