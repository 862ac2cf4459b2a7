// The page's WebSocket to the player: reconnects forever, validates messages and keeps unsent reports.
import { z } from "zod";
import { ToPage, type FromPage } from "../../../src/protocol/page-messages.ts";

const firstBackoffMs = 100;
const maxBackoffMs = 2_000;
// Reports kept while disconnected; beyond this the oldest are dropped.
const maxKeptMessages = 500;

// zod compiles its parsers with `new Function`, which the page's content security policy forbids.
z.config({ jitless: true });

/** Events of the socket. */
export interface SocketEvents {
  onOpen(): void;
  onMessage(message: ToPage): void;
  /** A message arrived that does not match the schema. */
  onInvalidMessage(detail: string): void;
}

/** A socket to `url` that reconnects after each loss. */
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

  /** Sends a message now. While disconnected, a report is kept and sent after the next connect; other messages are dropped. */
  send(message: FromPage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) {
      this.#socket.send(JSON.stringify(message));
    } else if (isReport(message)) {
      this.#waiting = [...this.#waiting.slice(1 - maxKeptMessages), message];
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
    // A failed attempt also fires `close`, so this is the only place that reconnects.
    socket.addEventListener("close", () => {
      setTimeout(() => {
        this.#connect();
      }, this.#backoffMs);
      this.#backoffMs = Math.min(this.#backoffMs * 2, maxBackoffMs);
    });
  }

  #receive(data: unknown): void {
    const message = ToPage.safeParse(parseJson(data));
    if (message.success) this.#events.onMessage(message.data);
    else this.#events.onInvalidMessage(z.prettifyError(message.error));
  }
}

/** True if a message is still useful when it is sent later. */
function isReport(message: FromPage): boolean {
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
