// A live stream: connected to without end. While it is away the last picture stays, and the zone is told, so that it may show something else.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement, setVisibility } from "../../dom.ts";
import { type Item, ItemFailure, prepareTimeoutMs, paintHidden, reveal, type ItemContext, withTimeout } from "../item.ts";

/** One connection to a stream. It ends once, by failing or by being ended. */
export interface Connection {
  readonly element: HTMLElement;
  /** Resolves with the first picture; rejects with an ItemFailure. */
  readonly firstPicture: Promise<void>;
  /** Resolves with the reason when the connection is lost after that. */
  readonly lost: Promise<ItemFailure>;
  /** Starts sound and motion. */
  play(): void;
  end(): void;
}

export type StreamItem = Extract<SceneItem, { type: "stream" }>;

// Back within ten seconds of the stream's own return, a try's own time included.
const firstBackoffMs = 500;
const longestBackoffMs = 5_000;
const tryLimitMs = 6_000;

/** A stream item. */
export function createStream(item: StreamItem, around: ItemContext): Item {
  const element = createElement("div", "item stream");
  const disposal = new AbortController();
  const { signal: disposed } = disposal;
  let current: Connection | null = null;

  /** Connects; the new picture takes the old one's place once it has been painted behind it. */
  async function connect(limitMs: number): Promise<Connection> {
    const connection = await open(item);
    const before = current;
    setVisibility(connection.element, before === null ? "yes" : "priming");
    element.append(connection.element);
    try {
      const late = (): ItemFailure => new ItemFailure("timeout", `no picture within ${limitMs} ms`);
      await withTimeout(connection.firstPicture, limitMs, disposed, late);
      if (before !== null) await paintHidden(connection.element, around.frames, disposed);
    } catch (error) {
      connection.end();
      throw error;
    }
    setVisibility(connection.element, "yes");
    current = connection;
    before?.end();
    return connection;
  }

  /** Waits for the connection on the glass to be lost, tells the zone, and connects again, for ever. */
  async function keep(): Promise<void> {
    for (;;) {
      around.onFailure(await current!.lost);
      for (let backoff = firstBackoffMs; ; backoff = Math.min(longestBackoffMs, backoff * 2)) {
        // Half of it by chance: the screens of a wall must not come back all at once.
        await wait(backoff * (0.5 + Math.random() / 2), disposed);
        try {
          (await connect(tryLimitMs)).play();
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
      // An element that is not painted presents no picture.
      setVisibility(element, "priming");
      await connect(prepareTimeoutMs);
      signal.removeEventListener("abort", abort);
      await paintHidden(element, around.frames, signal);
      setVisibility(element, "no");
    },
    show() {
      current?.play();
      keep().catch((error: unknown) => {
        if (!disposed.aborted) around.onFailure(new ItemFailure("stalled", String(error)));
      });
      return reveal(element, around);
    },
    playUntil() {},
    hide: () => {
      setVisibility(element, "no");
      // Unlike its picture, its sound is not covered by what comes next.
      element.querySelector("video")?.pause();
    },
    dispose() {
      disposal.abort();
      current?.end();
      element.remove();
    },
  };
}

/** The stream's way to the page leads through the player: it asks the declared origins and no others. */
export function proxiedUrl(item: StreamItem, address: string): string {
  return `${item.src}?url=${encodeURIComponent(address)}`;
}

async function open(item: StreamItem): Promise<Connection> {
  // Each is loaded when the first of its kind is due.
  if (item.protocol === "hls") return (await import("./hls.ts")).connectHls(item);
  return (await import("./mjpeg.ts")).connectMjpeg(item);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", aborted);
      resolve();
    }, ms);
    function aborted(): void {
      clearTimeout(timer);
      reject(new DOMException("Aborted", "AbortError"));
    }
    if (signal.aborted) return aborted();
    signal.addEventListener("abort", aborted, { once: true });
  });
}
