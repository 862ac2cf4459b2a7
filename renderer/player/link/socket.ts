// The page's link to the player: connects again for ever, parses what arrives, keeps what was not yet sent.
import { z } from "zod";
import { ToPage, type FromPage } from "../../../src/protocol/page-messages.ts";

const firstBackoffMs = 100;
const longestBackoffMs = 2_000;
// Reports that wait for the link. More than this is days of a dead player; the oldest go first.
const keptMessages = 500;

// zod compiles its parsers with `new Function`, which the page's content security policy forbids.
z.config({ jitless: true });

/** What the socket tells its owner. */
export interface SocketEvents {
  onOpen(): void;
  onMessage(message: ToPage): void;
  /** Something arrived that no version of this page understands. */
  onInvalidMessage(detail: string): void;
}

/** A socket to `url` that is there again soon after each loss. */
export class SceneSocket {
  readonly #url: string;
  readonly #events: SocketEvents;
  #socket: WebSocket | null = null;
  #waiting: FromPage[] = [];
  #backoffMs = firstBackoffMs;

  constructor(url: string, events: SocketEvents) {
    this.#url = url;
    this.#events = events;
    this.#connect();
  }

  /** Sends a message now or, unless it is only worth something now, when the link is back. */
  send(message: FromPage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) {
      this.#socket.send(JSON.stringify(message));
    } else if (isRecord(message)) {
      this.#waiting = [...this.#waiting.slice(1 - keptMessages), message];
    }
  }

  #connect(): void {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#backoffMs = firstBackoffMs;
      this.#events.onOpen();
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const message of waiting) this.send(message);
    });
    socket.addEventListener("message", ({ data }) => {
      this.#receive(data);
    });
    // A failed attempt closes too, so `close` is the one place that tries again.
    socket.addEventListener("close", () => {
      setTimeout(() => {
        this.#connect();
      }, this.#backoffMs);
      this.#backoffMs = Math.min(this.#backoffMs * 2, longestBackoffMs);
    });
  }

  #receive(data: unknown): void {
    const parsed = ToPage.safeParse(parseJson(data));
    if (parsed.success) this.#events.onMessage(parsed.data);
    else this.#events.onInvalidMessage(z.prettifyError(parsed.error));
  }
}

/** Whether a message still counts after the moment it was meant for. */
function isRecord(message: FromPage): boolean {
  return message.type !== "hello" && message.type !== "clock" && message.type !== "beat";
}

function parseJson(data: unknown): unknown {
  if (typeof data !== "string") return undefined;
  try {
    return JSON.parse(data);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
