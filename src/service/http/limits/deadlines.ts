// Ends connections that a client keeps open without having proved a right to call. Clients that have proved one may be slow, but not silent.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../../../base/clock.ts";
import { ignoreAbort } from "../../../base/fault.ts";

/** Time limits for clients, ms. All but {@link HttpDeadlines.idleMs} apply only to requests that have not proved a right to call. */
export interface HttpDeadlines {
  /** For the TLS handshake. */
  handshakeMs: number;
  /** For the head of a request, on a new connection from its beginning. */
  headersMs: number;
  /** For a whole request, with its body. */
  bodyMs: number;
  /** For taking the response, from the arrival of the request's head. */
  answerMs: number;
  /** For closing a connection, or a WebSocket, that the service has ended. */
  closeMs: number;
  /** The longest silence of any client while it sends a request or receives a response. */
  idleMs: number;
}

export const defaultDeadlines: HttpDeadlines = {
  handshakeMs: 15_000,
  headersMs: 15_000,
  bodyMs: 20_000,
  answerMs: 120_000,
  closeMs: 10_000,
  idleMs: 60_000,
};

/** Deadlines are missed by at most this share of the shortest one. */
const checksPerDeadline = 4;

interface Unproven {
  response: ServerResponse;
  since: number;
}

/** The requests whose senders have proved nothing yet. They are few: most requests prove a right as soon as their head has arrived. */
export class RequestDeadlines {
  readonly #clock: Clock;
  readonly #limits: HttpDeadlines;
  readonly #onLate: (socket: Duplex) => void;
  // In the order of their arrival.
  readonly #unproven = new Map<IncomingMessage, Unproven>();

  /** @param onLate answers a request that has not arrived in time */
  constructor(clock: Clock, limits: HttpDeadlines, onLate: (socket: Duplex) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onLate = onLate;
  }

  /** Counts the time of each request of `server`. */
  watch(server: Server): void {
    server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#unproven.set(request, { response, since: this.#clock.monotonic() });
      // A response does not end a request whose body still arrives: the connection stays open for the rest of it.
      response.once("close", () => request.complete && this.#unproven.delete(request));
    });
  }

  /** Gives the sender of a request as much time as an upload or a download takes. */
  trust(request: IncomingMessage): void {
    this.#unproven.delete(request);
  }

  /** Ends late connections until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    const { bodyMs, answerMs } = this.#limits;
    const intervalMs = Math.min(bodyMs, answerMs) / checksPerDeadline;
    for (;;) {
      await this.#clock.wait(intervalMs, signal);
      const now = this.#clock.monotonic();
      for (const [request, { response, since }] of this.#unproven) {
        if (now - since < Math.min(bodyMs, answerMs)) break;
        if (!request.complete && now - since >= bodyMs) this.#end(request, response);
        else if (request.complete && response.writableFinished) this.#unproven.delete(request);
        else if (now - since >= answerMs) request.socket.destroy();
      }
    }
  }

  #end(request: IncomingMessage, response: ServerResponse): void {
    this.#unproven.delete(request);
    if (response.headersSent) request.socket.destroy();
    else this.#onLate(request.socket);
  }
}

/** Keeps a silent connection open while the service works on its request. By default Node closes it after its idle time. */
export function keepWhileWorking(server: Server, idleMs: number): void {
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    response.on("timeout", (socket) => {
      if (request.complete && !response.headersSent) socket.setTimeout(idleMs);
      else socket.destroy();
    });
  });
}

/** Sends the last bytes over a connection, and ends it even if the client does not. */
export function endConnection(socket: Duplex, text: string, clock: Clock, limitMs: number): void {
  const closed = new AbortController();
  socket.once("close", () => closed.abort());
  socket.end(text);
  clock.wait(limitMs, closed.signal).then(() => socket.destroy(), ignoreAbort);
}
