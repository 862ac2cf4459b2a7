// A stream item: reconnects forever. While it is disconnected the last picture stays, and the failure lets the zone show another item.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement, setVisibility } from "../../dom.ts";
import type { VideoFrames } from "../../video-frames.ts";
import { type Item, ItemFailure, prepareTimeoutMs, paintHidden, reveal, type ItemContext, withTimeout } from "../item.ts";

/** One connection to a stream. It ends once, by a failure or by a call of `end`. */
export interface Connection {
  readonly element: HTMLElement;
  /** Resolves when the first picture is there; rejects with an ItemFailure. */
  readonly firstPicture: Promise<void>;
  /** Resolves with the reason when the connection is lost later. */
  readonly loss: Promise<ItemFailure>;
  /** Starts to play. */
  play(): void;
  end(): void;
}

export type StreamItem = Extract<SceneItem, { type: "stream" }>;

// Reconnects within ten seconds after the stream is back, including the time of an attempt.
const firstBackoffMs = 500;
const maxBackoffMs = 5_000;
const attemptTimeoutMs = 6_000;

/** Creates a stream item. */
export function createStream(item: StreamItem, context: ItemContext): Item {
  const element = createElement("div", "item stream");
  const disposal = new AbortController();
  const { signal: lifetime } = disposal;
  let current: Connection | null = null;

  /** Connects. The new picture replaces the old one once it has been painted behind it. */
  async function connect(timeoutMs: number): Promise<Connection> {
    const connection = await open(item, context.frames.videos);
    const before = current;
    setVisibility(connection.element, before === null ? "visible" : "painted");
    element.append(connection.element);
    try {
      const createTimeout = (): ItemFailure => new ItemFailure("timeout", `no picture within ${timeoutMs} ms`);
      await withTimeout(connection.firstPicture, timeoutMs, lifetime, createTimeout);
      if (before !== null) await paintHidden(connection.element, context.frames, lifetime);
    } catch (error) {
      connection.end();
      throw error;
    }
    setVisibility(connection.element, "visible");
    current = connection;
    before?.end();
    return connection;
  }

  /** Whenever the connection on screen is lost: reports it and reconnects. */
  async function reconnectForever(): Promise<void> {
    for (;;) {
      context.onFailure(await current!.loss);
      for (let backoff = firstBackoffMs; ; backoff = Math.min(maxBackoffMs, backoff * 2)) {
        // Random, so that the displays of a wall do not all reconnect at once.
        await wait(backoff * (0.5 + Math.random() / 2), lifetime);
        try {
          (await connect(attemptTimeoutMs)).play();
          break;
        } catch (error) {
          if (!(error instanceof ItemFailure)) throw error;
        }
      }
    }
  }

  return {
    element,
    async prepare(signal) {
      const abort = (): void => disposal.abort();
      signal.addEventListener("abort", abort, { once: true });
      // An element presents no picture unless it is painted.
      setVisibility(element, "painted");
      await connect(prepareTimeoutMs);
      signal.removeEventListener("abort", abort);
      await paintHidden(element, context.frames, signal);
      setVisibility(element, "hidden");
    },
    show() {
      current?.play();
      reconnectForever().catch((error: unknown) => {
        if (!lifetime.aborted) context.onFailure(new ItemFailure("stalled", String(error)));
      });
      return reveal(element, context);
    },
    playUntil() {},
    hide: () => {
      setVisibility(element, "hidden");
      // Unlike its picture, its sound is not covered by the next item.
      element.querySelector("video")?.pause();
    },
    dispose() {
      disposal.abort();
      current?.end();
      element.remove();
    },
  };
}

/** The URL that loads `address` through the player, which allows only the declared origins of the stream. */
export function proxiedUrl(item: StreamItem, address: string): string {
  return `${item.src}?url=${encodeURIComponent(address)}`;
}

async function open(item: StreamItem, videos: VideoFrames): Promise<Connection> {
  // Each module is loaded when the first stream of its protocol is due.
  if (item.protocol === "hls") return (await import("./hls.ts")).connectHls(item, videos);
  return (await import("./mjpeg.ts")).connectMjpeg(item);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    function onAbort(): void {
      clearTimeout(timer);
      reject(new DOMException("Aborted", "AbortError"));
    }
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
