// A clip: its first frame is presented unseen and paused, then shown and played in one frame.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement, setVisibility } from "../../dom.ts";
import { type Item, ItemFailure, prepareTimeoutMs, paintHidden, reveal, type ItemContext, withTimeout } from "../item.ts";
import { Track } from "./track.ts";

// Chromium plays HEVC without error and without a picture; a clip that loaded has this long to present a frame.
const firstFrameLimitMs = 3_000;
// A clip of one frame presents no second one; by then the frame shown counts.
const playingProofMs = 1_500;

/** A video item. */
export function createVideo(item: Extract<SceneItem, { type: "video" }>, around: ItemContext): Item {
  const element = createElement("video", "item");
  element.style.objectFit = item.fit;
  element.disablePictureInPicture = true;
  const track = new Track(element, item, around);
  return {
    element,
    async prepare(signal) {
      const late = (): ItemFailure => new ItemFailure("timeout", `not loaded within ${prepareTimeoutMs} ms`);
      await withTimeout(track.load(), prepareTimeoutMs, signal, late);
      setVisibility(element, "priming");
      const blank = (): ItemFailure => new ItemFailure("unsupported", "loads, but presents no picture");
      await withTimeout(pictureAt(element, track.disposed), firstFrameLimitMs, signal, blank);
      await paintHidden(element, around.frames, signal);
      setVisibility(element, "no");
    },
    async show() {
      track.play();
      const moving = nextVideoFrame(element, track.disposed);
      const at = await reveal(element, around);
      await Promise.race([moving, delay(playingProofMs)]);
      return at;
    },
    playUntil: (instant) => track.playUntil(instant),
    hide: () => {
      setVisibility(element, "no");
      // Unlike its picture, its sound is not covered by what comes next.
      element.pause();
    },
    dispose: () => track.dispose(),
  };
}

/** Resolves when a picture from the clip's present position has been presented. */
async function pictureAt(element: HTMLVideoElement, signal: AbortSignal): Promise<void> {
  // The compositor may have presented the frame before anyone asked; decoded frames are counted from the start.
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
