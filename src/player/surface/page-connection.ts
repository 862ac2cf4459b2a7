// The WebSocket to the player's page: sends scenes, receives reports, and tracks whether frames are presented.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { WebSocket, WebSocketServer } from "ws";
import { Listeners } from "../../base/async/listeners.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { messageText } from "../../base/websocket-text.ts";
import { parseMessage } from "../../protocol/device/messages.ts";
import type { Scene } from "../../protocol/scene.ts";
import { FromPage, type ToPage } from "../../protocol/page-messages.ts";
import type { PageState } from "./page-state.ts";

const maxMessageBytes = 65_536;

/** Talks to one page at a time. A new page replaces the one before. */
export class PageConnection {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });
  readonly #state: Observable<PageState>;
  readonly #listeners = new Listeners<FromPage>();
  #scene: Scene = { screen: { is: "starting" }, identify: null };
  #socket: WebSocket | null = null;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#state = new Observable<PageState>({ is: "away", since: clock.monotonic() });
  }

  get state(): Watchable<PageState> {
    return this.#state;
  }

  /** Completes the WebSocket handshake of the page. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (page) => this.#attach(page));
  }

  /** Sends `scene` unless the page already has an equal one. A page that connects later gets the newest scene. */
  show(scene: Scene): void {
    if (isDeepStrictEqual(scene, this.#scene)) return;
    this.#scene = scene;
    this.send({ type: "scene", scene });
  }

  send(message: ToPage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Calls `listener` with each report of the page until `signal` aborts. */
  onMessage(listener: (message: FromPage) => void, signal: AbortSignal): void {
    this.#listeners.add(listener, signal);
  }

  close(): void {
    this.#socket?.terminate();
    this.#server.close();
  }

  #attach(page: WebSocket): void {
    this.#socket?.terminate();
    this.#socket = page;
    page.on("message", (raw) => {
      const arrivedAt = this.#clock.now();
      const parsed = parseMessage(FromPage, messageText(raw));
      if (parsed.is === "unknown") {
        return this.#log.warn({ type: parsed.type, reason: parsed.reason }, "ignored an invalid message of the page");
      }
      const { message } = parsed;
      if (message.type === "clock") return this.send({ type: "clock", t0: message.t0, now: arrivedAt });
      this.#updateState(message);
      this.#listeners.notify(message);
    });
    page.on("error", (error) => this.#log.warn({ reason: reasonOf(error) }, "the page's socket failed"));
    page.on("close", () => {
      if (this.#socket !== page) return;
      this.#socket = null;
      this.#state.set({ is: "away", since: this.#clock.monotonic() });
    });
  }

  #updateState(message: FromPage): void {
    const now = this.#clock.monotonic();
    if (message.type === "hello") {
      this.#state.set({ is: "here", since: now, viewport: message.viewport, lastFrameAt: null, reportsWithoutFrame: 0 });
      this.send({ type: "scene", scene: this.#scene });
      return;
    }
    const before = this.#state.value;
    if (before.is === "away") return;
    if (provesFrame(message)) this.#state.set({ ...before, lastFrameAt: now, reportsWithoutFrame: 0 });
    else if (message.type === "beat") this.#state.set({ ...before, reportsWithoutFrame: before.reportsWithoutFrame + 1 });
  }
}

/** True if a report proves that the page has just presented a frame. */
function provesFrame(message: FromPage): boolean {
  if (message.type === "beat") return message.frames > 0;
  return message.type === "presented" || message.type === "stage" || message.type === "screen";
}
