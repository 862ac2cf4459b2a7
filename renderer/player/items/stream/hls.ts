// HTTP Live Streaming by hls.js, which fetches every playlist, key and segment through the player.
import Hls, { type HlsConfig, type Loader, type LoaderCallbacks, type LoaderConfiguration, type LoaderContext } from "hls.js";
import workerPath from "hls.js/dist/hls.worker.js?url";
import { createElement } from "../../dom.ts";
import { ItemFailure } from "../item.ts";
import { type Connection, type StreamItem, proxiedUrl } from "./stream.ts";
import type { VideoFrames } from "../../video-frames.ts";
import { nextVideoFrame } from "../media/video.ts";

const stallLimitMs = 6_000;
const stallCheckMs = 500;
// Nothing is played twice, so keep little data in memory: a display runs for months.
const keptBehindS = 10;
const keptAheadS = 30;
const keptAheadBytes = 24 * 1024 * 1024;

/** Connects to an HLS stream. @param videos counts its frames */
export function connectHls(item: StreamItem, videos: VideoFrames): Connection {
  const video = createElement("video", "media");
  videos.follow(video);
  video.style.objectFit = item.fit;
  video.muted = item.muted;
  video.volume = item.volume;
  video.disablePictureInPicture = true;
  const lifetime = new AbortController();
  const first = Promise.withResolvers<void>();
  const loss = Promise.withResolvers<ItemFailure>();
  const hls = new Hls({
    loader: loaderFor(item),
    workerPath: new URL(workerPath, import.meta.url).href,
    backBufferLength: keptBehindS,
    maxBufferLength: keptAheadS,
    maxMaxBufferLength: keptAheadS,
    maxBufferSize: keptAheadBytes,
    capLevelToPlayerSize: true,
    enableWebVTT: false,
    enableCEA708Captions: false,
  });

  function fail(failure: ItemFailure): void {
    // The last picture stays until `end` is called.
    lifetime.abort();
    hls.stopLoad();
    first.reject(failure);
    loss.resolve(failure);
  }

  hls.on(Hls.Events.ERROR, (_event, { fatal, type, details, error, response }) => {
    if (!fatal) return;
    const code = type === Hls.ErrorTypes.NETWORK_ERROR ? "load" : "decode";
    fail(new ItemFailure(code, `${details}: ${response?.code ? `HTTP ${response.code}` : error.message}`));
  });
  // A playlist that ends is repeated.
  video.addEventListener("ended", () => {
    video.currentTime = 0;
    start();
  });

  function start(): void {
    video.play().catch((error: unknown) => {
      if (lifetime.signal.aborted) return;
      if (!video.muted && error instanceof DOMException && error.name === "NotAllowedError") {
        // A browser that forbids sound without a user gesture still plays the picture.
        video.muted = true;
        start();
      }
    });
  }

  /** Detects a stall by the position: hls.js reports no error when the segments stop. */
  function watchForStall(): void {
    let position = video.currentTime;
    let movedAt = performance.now();
    const timer = setInterval(() => {
      if (video.currentTime !== position) {
        position = video.currentTime;
        movedAt = performance.now();
      } else if (performance.now() - movedAt >= stallLimitMs) {
        fail(new ItemFailure("stalled", `no progress for ${stallLimitMs} ms`));
      }
    }, stallCheckMs);
    lifetime.signal.addEventListener("abort", () => {
      clearInterval(timer);
    });
  }

  hls.loadSource(item.url);
  hls.attachMedia(video);
  void nextVideoFrame(video, lifetime.signal).then(() => first.resolve());
  return {
    element: video,
    firstPicture: first.promise,
    loss: loss.promise,
    play() {
      start();
      watchForStall();
    },
    end() {
      lifetime.abort();
      videos.forget(video);
      hls.destroy();
      video.remove();
    },
  };
}

/** hls.js's loader, which loads through the player. The player returns the final URL after redirects in a header. */
function loaderFor(item: StreamItem): HlsConfig["loader"] {
  const DefaultLoader = Hls.DefaultConfig.loader;
  return class extends DefaultLoader {
    override load(context: LoaderContext, config: LoaderConfiguration, callbacks: LoaderCallbacks<LoaderContext>): void {
      const proxyContext = { ...context, url: proxiedUrl(item, context.url) };
      super.load(proxyContext, config, {
        ...callbacks,
        onSuccess: (response, stats, _proxied, details) => {
          const final = details instanceof XMLHttpRequest ? details.getResponseHeader("x-final-url") : null;
          callbacks.onSuccess({ ...response, url: final ?? context.url }, stats, context, details);
        },
        onError: (error, _proxied, details, stats) => callbacks.onError(error, context, details, stats),
        onTimeout: (stats, _proxied, details) => callbacks.onTimeout(stats, context, details),
      });
    }
  } as unknown as new (config: HlsConfig) => Loader<LoaderContext>;
}
