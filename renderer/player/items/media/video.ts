// A video item: its first frame is presented hidden and paused, then it is shown and played in one frame.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement, setVisibility } from "../../dom.ts";
import { type Item, ItemFailure, prepareTimeoutMs, paintHidden, reveal, type ItemContext, withTimeout } from "../item.ts";
import { Track } from "./track.ts";

// Chromium plays HEVC without an error but without a picture, so a loaded video has to present a frame within this time.
const firstFrameLimitMs = 3_000;
// A video of one frame never presents a second one; after this time its only frame counts.
const secondFrameTimeoutMs = 1_500;

/** Creates a video item. */
export function createVideo(item: Extract<SceneItem, { type: "video" }>, context: ItemContext): Item {
  const element = createElement("video", "item");
  element.style.objectFit = item.fit;
  element.disablePictureInPicture = true;
  const track = new Track(element, item, context);
  const { videos } = context.frames;
  videos.follow(element);
  return {
    element,
    async prepare(signal) {
      const createTimeout = (): ItemFailure => new ItemFailure("timeout", `not loaded within ${prepareTimeoutMs} ms`);
      await withTimeout(track.load(), prepareTimeoutMs, signal, createTimeout);
      setVisibility(element, "painted");
      const createNoPicture = (): ItemFailure => new ItemFailure("unsupported", "it loads but presents no picture");
      await withTimeout(firstVideoFrame(element, track.lifetime), firstFrameLimitMs, signal, createNoPicture);
      await paintHidden(element, context.frames, signal);
      setVisibility(element, "hidden");
    },
    async show() {
      track.play();
      const secondFrame = nextVideoFrame(element, track.lifetime);
      const at = await reveal(element, context);
      await Promise.race([secondFrame, delay(secondFrameTimeoutMs)]);
      return at;
    },
    playUntil: (instant) => track.playUntil(instant),
    hide: () => {
      setVisibility(element, "hidden");
      // Unlike its picture, its sound is not covered by the next item.
      element.pause();
    },
    dispose: () => {
      videos.forget(element);
      track.dispose();
    },
  };
}

/** Resolves when a frame of the video has been presented. */
async function firstVideoFrame(element: HTMLVideoElement, signal: AbortSignal): Promise<void> {
  // The frame may have been presented before this call; decoded frames are counted from the start.
  if (element.videoWidth > 0 && element.getVideoPlaybackQuality().totalVideoFrames > 0) return;
  await nextVideoFrame(element, signal);
}

/** Resolves with the next frame that the element presents, or when `signal` aborts. */
export function nextVideoFrame(element: HTMLVideoElement, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const handle = element.requestVideoFrameCallback(() => resolve());
    signal.addEventListener("abort", () => {
      element.cancelVideoFrameCallback(handle);
      resolve();
    });
  });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
