// Answers the player's request to measure the browser: which codecs it decodes, and how many frames it presents in a second.
import type { FromPage } from "../../src/protocol/page-messages.ts";
import type { FrameCounter } from "./frame-counter.ts";

type Measured = Extract<FromPage, { type: "measured" }>;

const videos = [
  ["h264 1080p", 'video/mp4; codecs="avc1.640028"', 1920, 1080],
  ["h265 2160p", 'video/mp4; codecs="hvc1.1.6.L150.B0"', 3840, 2160],
  ["vp9 1080p", 'video/webm; codecs="vp09.00.40.08"', 1920, 1080],
  ["av1 1080p", 'video/mp4; codecs="av01.0.08M.08"', 1920, 1080],
] as const;
const frameRate = 30;
const bitsPerS = 8_000_000;
const measureMs = 1_000;

/** The measurement. Frames are requested for a second, so a still screen is measured too. */
export async function measure(id: string, frames: FrameCounter): Promise<Measured> {
  const [codecs, count] = await Promise.all([Promise.all(videos.map(codecOf)), countFrames(frames)]);
  return { type: "measured", id, codecs, ...count };
}

async function codecOf([name, contentType, width, height]: (typeof videos)[number]): Promise<Measured["codecs"][number]> {
  const video = { contentType, width, height, bitrate: bitsPerS, framerate: frameRate };
  const info = await navigator.mediaCapabilities.decodingInfo({ type: "file", video });
  return { name, is_supported: info.supported, is_smooth: info.smooth, is_efficient: info.powerEfficient };
}

/** A page that presents no frames ends this by its timer. */
function countFrames(frames: FrameCounter): Promise<{ frames: number; for_ms: number }> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let count = 0;
    let cancel = frames.request(next);
    function next(): void {
      count += 1;
      cancel = frames.request(next);
    }
    setTimeout(() => {
      cancel();
      resolve({ frames: count, for_ms: performance.now() - startedAt });
    }, measureMs);
  });
}
