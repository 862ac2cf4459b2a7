// One WebSocket to the service: receives messages in order and detects silence. Does not interpret the messages.
import { isIP, type Socket } from "node:net";
import { connect, type ConnectionOptions } from "node:tls";
import { WebSocket } from "ws";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import { type Network, proxyFor } from "../../base/http/network.ts";
import { openTunnel } from "../../base/http/tunnel.ts";
import { hostOf, hostPort, portOf } from "../../base/http/url-host.ts";
import { messageText } from "../../base/websocket-text.ts";
import { closeCodes, deviceSubprotocol, longestMessageBytes } from "../../protocol/device/messages.ts";

// The service pings every 15 s. After this much silence the socket is half open (users.md 26).
const silenceLimitMs = 40_000;

/** An open socket. The owner disposes it. */
export class DeviceSocket implements Disposable {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #inbox: string[] = [];
  readonly #changed = new Signal();
  #isOpen = false;
  #end: Fault | null = null;
  /** When the last message or ping came, monotonic ms. */
  #lastReceivedAt: number;

  private constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.#lastReceivedAt = clock.monotonic();
    socket.once("open", () => {
      this.#isOpen = true;
      this.#changed.notify();
    });
    socket.on("ping", () => (this.#lastReceivedAt = clock.monotonic()));
    socket.on("message", (raw) => {
      this.#lastReceivedAt = clock.monotonic();
      this.#inbox.push(messageText(raw));
      this.#changed.notify();
    });
    socket.on("error", (cause) => this.#finish(new Fault("unreachable", "the socket failed", { cause })));
    socket.on("close", (code) => {
      const isRefused = code === closeCodes.badToken;
      const reason = code === closeCodes.identityShared ? ": another device uses this screen's identity" : "";
      this.#finish(new Fault(isRefused ? "refused" : "unreachable", `the service closed the socket (${code})${reason}`));
    });
  }

  /** Opens a socket. @throws Fault `unreachable`, or `refused` if the service rejects the token; AbortError. */
  static async open(
    address: string,
    token: string,
    network: Network,
    clock: Clock,
    signal: AbortSignal,
    handshakeLimitMs = 10_000,
  ): Promise<DeviceSocket> {
    const url = new URL(address);
    const proxy = await proxyFor(network, url);
    const tunnel = proxy === null ? null : await openTunnel(proxy, hostPort(hostOf(url), portOf(url)), handshakeLimitMs, signal);
    const secured = url.protocol === "wss:" ? { rejectUnauthorized: true, secureContext: network.certificates() } : null;
    const socket = new WebSocket(url, deviceSubprotocol, {
      ...secured,
      ...(tunnel !== null && { createConnection: () => (secured === null ? tunnel : secure(tunnel, url, secured)) }),
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: handshakeLimitMs,
      maxPayload: longestMessageBytes,
      perMessageDeflate: false,
      followRedirects: false,
    });
    const opening = new DeviceSocket(socket, clock);
    try {
      // The service may send messages and close at once after the handshake: the socket still counts as opened.
      while (!opening.#isOpen) {
        await opening.#changed.wait(clock, Number.POSITIVE_INFINITY, signal);
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
   * Calls `handle` with each message, one after the other, so that no acknowledgement is sent before the message is stored.
   * @throws the Fault that ended the socket; any error of `handle`; AbortError.
   */
  async receive(handle: (text: string) => Promise<void>, signal: AbortSignal): Promise<never> {
    for (;;) {
      const text = this.#inbox.shift();
      if (text !== undefined) await handle(text);
      else if (this.#end !== null) throw this.#end;
      else await this.#changed.wait(this.#clock, Number.POSITIVE_INFINITY, signal);
    }
  }

  /** Detects a half-open socket by missing pings, since it reports no error. @throws Fault `timeout`; AbortError. */
  async watchForSilence(signal: AbortSignal): Promise<never> {
    for (;;) {
      const leftMs = this.#lastReceivedAt + silenceLimitMs - this.#clock.monotonic();
      if (leftMs <= 0) throw new Fault("timeout", "the service has sent nothing for 40 seconds");
      await this.#clock.wait(leftMs, signal);
    }
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }

  #finish(end: Fault): void {
    this.#end ??= end;
    this.#changed.notify();
  }
}

/** TLS to the host of `url` over an open connection. */
function secure(socket: Socket, url: URL, options: ConnectionOptions): Socket {
  const host = hostOf(url);
  // A server name in TLS is never an IP address (RFC 6066, section 3).
  return connect({ ...options, socket, host, ...(isIP(host) === 0 && { servername: host }) });
}
