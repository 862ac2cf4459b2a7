// A clip: its first frame is presented unseen and paused, then shown and played in one frame; it loops within its slot.
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { make, setSeen } from "../dom.ts";
import { failureOf, type Item, ItemFailure, prepareLimitMs, prime, reveal, type Surroundings, within } from "./item.ts";

// Later than this, a play is joined at its present position instead of its start.
const lateMs = 250;
// What a seek takes: who joins late aims that far ahead.
const seekLeadMs = 120;
// Chromium plays HEVC without error and without a picture; a clip that loaded has this long to present a frame.
const firstFrameLimitMs = 3_000;
const stallLimitMs = 3_000;
const stallCheckMs = 1_000;
// A clip that waits for its bytes is not wedged: it is given longer.
const bufferingLimitMs = 20_000;
// A clip as long as its slot must not wrap to its first frame just before it is replaced.
const wrapMarginMs = 400;
// A clip of one frame presents no second one; by then the frame shown counts.
const playingProofMs = 1_500;

/** A video item. */
export function createVideo(item: Extract<SceneItem, { type: "video" }>, around: Surroundings): Item {
  const { clock, frames } = around;
  const element = make("video", "item");
  element.style.objectFit = item.fit;
  element.muted = item.muted;
  element.preload = "auto";
  element.disablePictureInPicture = true;
  element.disableRemotePlayback = true;
  const disposal = new AbortController();
  const { signal: disposed } = disposal;
  let endsAt = Number.POSITIVE_INFINITY;

  function durationMs(): number | null {
    if (item.media_duration_ms !== null) return item.media_duration_ms;
    return Number.isFinite(element.duration) && element.duration > 0 ? element.duration * 1_000 : null;
  }

  /** Where in the clip the play is when it will be shown, in seconds. */
  function joinAt(): number {
    const elapsed = clock.now() - around.startsAt;
    const position = around.offsetMs + (elapsed < lateMs ? 0 : elapsed + seekLeadMs);
    const length = durationMs();
    return length === null ? 0 : (position % length) / 1_000;
  }

  /** Loops while the slot has room for another round, else stops on the last frame. */
  function steerLoop(): void {
    const restMs = (element.duration - element.currentTime) * 1_000;
    element.loop = clock.now() + restMs + wrapMarginMs < endsAt;
    if (element.loop && element.ended) play();
  }

  function play(): void {
    element.play().catch((error: unknown) => {
      if (disposed.aborted) return;
      if (!element.muted && error instanceof DOMException && error.name === "NotAllowedError") {
        // A browser that forbids sound without a gesture still lets the picture play.
        element.muted = true;
        play();
        return;
      }
      around.onFailure(new ItemFailure("decode", String(error)));
    });
  }

  /** Judges by position: a wedged decoder fires neither `error` nor `ended`. */
  function watchForStall(): void {
    let position = element.currentTime;
    let movedAt = performance.now();
    const timer = setInterval(() => {
      if (element.currentTime !== position || (element.ended && !element.loop)) {
        position = element.currentTime;
        movedAt = performance.now();
        return;
      }
      const isBuffering = element.networkState === element.NETWORK_LOADING && element.readyState < element.HAVE_FUTURE_DATA;
      const limitMs = isBuffering ? bufferingLimitMs : stallLimitMs;
      if (performance.now() - movedAt >= limitMs) {
        clearInterval(timer);
        around.onFailure(new ItemFailure("stalled", `no progress for ${limitMs} ms at ${position.toFixed(2)} s`));
      }
    }, stallCheckMs);
    disposed.addEventListener("abort", () => {
      clearInterval(timer);
    });
  }

  function failLater(): void {
    void failureOf(item.src, "decode", errorOf(element)).then((failure) => {
      if (!disposed.aborted) around.onFailure(failure);
    });
  }

  return {
    element,
    async prepare(signal) {
      const late = (): ItemFailure => new ItemFailure("timeout", `not loaded within ${prepareLimitMs} ms`);
      await within(load(element, item.src, joinAt), prepareLimitMs, signal, late);
      setSeen(element, "priming");
      const blank = (): ItemFailure => new ItemFailure("unsupported", "loads, but presents no picture");
      await within(pictureAt(element, disposed), firstFrameLimitMs, signal, blank);
      await prime(element, frames, signal);
      setSeen(element, "no");
    },
    async show() {
      play();
      element.addEventListener("timeupdate", steerLoop, { signal: disposed });
      element.addEventListener("ended", steerLoop, { signal: disposed });
      element.addEventListener("error", failLater, { signal: disposed });
      watchForStall();
      const moving = nextPicture(element, disposed);
      const at = await reveal(element, around);
      await Promise.race([moving, delay(playingProofMs)]);
      return at;
    },
    playUntil(instant) {
      endsAt = instant;
      if (!element.paused || element.ended) steerLoop();
    },
    hide: () => {
      setSeen(element, "no");
    },
    dispose: () => {
      disposal.abort();
      // A video that is only dropped keeps its decoder and its buffers.
      element.pause();
      element.removeAttribute("src");
      element.load();
      element.remove();
    },
  };
}

/** Loads until the clip can be played from its place. */
async function load(element: HTMLVideoElement, src: string, joinAt: () => number): Promise<void> {
  const events = new AbortController();
  const { signal } = events;
  try {
    await new Promise<void>((resolve, reject) => {
      element.addEventListener("error", () => reject(new Error(errorOf(element))), { signal });
      const check = (): void => {
        if (!element.seeking && element.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA) resolve();
      };
      element.addEventListener(
        "loadedmetadata",
        () => {
          const position = joinAt();
          if (position > 0) element.currentTime = position;
        },
        { signal },
      );
      for (const type of ["canplay", "canplaythrough", "seeked"]) element.addEventListener(type, check, { signal });
      element.src = src;
    });
  } catch (error) {
    // SRC_NOT_SUPPORTED also stands for an answer that is no media at all.
    const code = element.error?.code === MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED ? "unsupported" : "decode";
    throw await failureOf(src, code, error instanceof Error ? error.message : String(error));
  } finally {
    events.abort();
  }
}

/** Resolves when a picture from the clip's present position has been presented. */
async function pictureAt(element: HTMLVideoElement, signal: AbortSignal): Promise<void> {
  // The compositor may have presented the frame before anyone asked; decoded frames are counted from the start.
  if (element.videoWidth > 0 && element.getVideoPlaybackQuality().totalVideoFrames > 0) return;
  await nextPicture(element, signal);
}

function nextPicture(element: HTMLVideoElement, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const handle = element.requestVideoFrameCallback(() => resolve());
    signal.addEventListener("abort", () => {
      element.cancelVideoFrameCallback(handle);
      resolve();
    });
  });
}

function errorOf(element: HTMLVideoElement): string {
  return element.error === null ? "unknown error" : `code ${element.error.code}: ${element.error.message}`;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
