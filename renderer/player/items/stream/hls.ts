// HTTP Live Streaming by hls.js: every playlist, key and segment is fetched by way of the player.
import Hls, { type HlsConfig, type Loader, type LoaderCallbacks, type LoaderConfiguration, type LoaderContext } from "hls.js";
import workerPath from "hls.js/dist/hls.worker.js?url";
import { createElement } from "../../dom.ts";
import { ItemFailure } from "../item.ts";
import { type Connection, type StreamItem, proxiedUrl } from "./stream.ts";
import { nextVideoFrame } from "../media/video.ts";

const stallLimitMs = 6_000;
const stallCheckMs = 500;
// Of a screen that runs for months, nothing that was played is looked at again.
const keptBehindS = 10;
const keptAheadS = 30;
const keptAheadBytes = 24 * 1024 * 1024;

/** Connects. */
export function connectHls(item: StreamItem): Connection {
  const video = createElement("video", "media");
  video.style.objectFit = item.fit;
  video.muted = item.muted;
  video.volume = item.volume;
  video.disablePictureInPicture = true;
  const ended = new AbortController();
  const first = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<ItemFailure>();
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
    // It goes on showing its last picture until it is ended.
    ended.abort();
    hls.stopLoad();
    first.reject(failure);
    lost.resolve(failure);
  }

  hls.on(Hls.Events.ERROR, (_event, { fatal, type, details, error, response }) => {
    if (!fatal) return;
    const code = type === Hls.ErrorTypes.NETWORK_ERROR ? "load" : "decode";
    fail(new ItemFailure(code, `${details}: ${response?.code ? `HTTP ${response.code}` : error.message}`));
  });
  // A file behind a playlist that ends is begun again.
  video.addEventListener("ended", () => {
    video.currentTime = 0;
    start();
  });

  function start(): void {
    video.play().catch((error: unknown) => {
      if (ended.signal.aborted) return;
      if (!video.muted && error instanceof DOMException && error.name === "NotAllowedError") {
        // A browser that forbids sound without a gesture still lets the picture play.
        video.muted = true;
        start();
      }
    });
  }

  /** Judges by position: a stream that dries up is no error to anybody. */
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
    ended.signal.addEventListener("abort", () => {
      clearInterval(timer);
    });
  }

  hls.loadSource(item.url);
  hls.attachMedia(video);
  void nextVideoFrame(video, ended.signal).then(() => first.resolve());
  return {
    element: video,
    firstPicture: first.promise,
    lost: lost.promise,
    play() {
      start();
      watchForStall();
    },
    end() {
      ended.abort();
      hls.destroy();
      video.remove();
    },
  };
}

/** hls.js's own loader, led through the player, which tells the address that answered in the end. */
function loaderFor(item: StreamItem): HlsConfig["loader"] {
  const Own = Hls.DefaultConfig.loader;
  return class extends Own {
    override load(context: LoaderContext, config: LoaderConfiguration, callbacks: LoaderCallbacks<LoaderContext>): void {
      const led = { ...context, url: proxiedUrl(item, context.url) };
      super.load(led, config, {
        ...callbacks,
        onSuccess: (response, stats, _led, details) => {
          const final = details instanceof XMLHttpRequest ? details.getResponseHeader("x-final-url") : null;
          callbacks.onSuccess({ ...response, url: final ?? context.url }, stats, context, details);
        },
        onError: (error, _led, details, stats) => callbacks.onError(error, context, details, stats),
        onTimeout: (stats, _led, details) => callbacks.onTimeout(stats, context, details),
      });
    }
  } as unknown as new (config: HlsConfig) => Loader<LoaderContext>;
}
