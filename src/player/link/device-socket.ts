// One WebSocket to the service, from its opening to its end: messages in order, silence noticed. Knows not what they mean.
import { WebSocket } from "ws";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import { messageText } from "../../base/websocket-text.ts";
import { closeCodes, deviceSubprotocol, longestMessageBytes } from "../../protocol/device/messages.ts";

const handshakeLimitMs = 10_000;
// The service pings every 15 s; after this silence the socket is half open (users.md 26).
const silenceLimitMs = 40_000;

/** An open socket. Its owner disposes it. */
export class DeviceSocket implements Disposable {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #inbox: string[] = [];
  readonly #news = new Signal();
  #isOpen = false;
  #end: Fault | null = null;
  #heardAt: number;

  private constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.#heardAt = clock.monotonic();
    socket.once("open", () => {
      this.#isOpen = true;
      this.#news.notify();
    });
    socket.on("ping", () => (this.#heardAt = clock.monotonic()));
    socket.on("message", (raw, isBinary) => {
      this.#heardAt = clock.monotonic();
      if (isBinary) return;
      this.#inbox.push(messageText(raw));
      this.#news.notify();
    });
    socket.on("error", (cause) => this.#finish(new Fault("unreachable", "the socket failed", { cause })));
    socket.on("close", (code) => {
      const isRefused = code === closeCodes.badToken;
      this.#finish(new Fault(isRefused ? "refused" : "unreachable", `the service closed the socket (${code})`));
    });
  }

  /** Resolves to an open socket. @throws Fault `unreachable`, `refused` for a token that is not taken; AbortError. */
  static async open(url: string, token: string, clock: Clock, signal: AbortSignal): Promise<DeviceSocket> {
    const socket = new WebSocket(url, deviceSubprotocol, {
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: handshakeLimitMs,
      maxPayload: longestMessageBytes,
      perMessageDeflate: false,
      followRedirects: false,
    });
    const opening = new DeviceSocket(socket, clock);
    try {
      // A service may greet and close in one breath: what it said is then still to be heard.
      while (!opening.#isOpen) {
        await opening.#news.wait(clock, Number.POSITIVE_INFINITY, signal);
        if (opening.#end !== null && !opening.#isOpen) throw opening.#end;
      }
    } catch (error) {
      opening[Symbol.dispose]();
      throw error;
    }
    return opening;
  }

  send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /**
   * Hands over each message, the next only when the one before has been dealt with, so that an acknowledgement never
   * runs ahead of a durable journal. @throws Fault with the socket's end; whatever `handle` throws; AbortError.
   */
  async receive(handle: (text: string) => Promise<void>, signal: AbortSignal): Promise<never> {
    for (;;) {
      const text = this.#inbox.shift();
      if (text !== undefined) await handle(text);
      else if (this.#end !== null) throw this.#end;
      else await this.#news.wait(this.#clock, Number.POSITIVE_INFINITY, signal);
    }
  }

  /** A half-open socket gives no error: only the missing pings tell. @throws Fault `timeout`; AbortError. */
  async watchForSilence(signal: AbortSignal): Promise<never> {
    for (;;) {
      const leftMs = this.#heardAt + silenceLimitMs - this.#clock.monotonic();
      if (leftMs <= 0) throw new Fault("timeout", "the service has fallen silent");
      await this.#clock.wait(leftMs, signal);
    }
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }

  #finish(end: Fault): void {
    this.#end ??= end;
    this.#news.notify();
  }
}
