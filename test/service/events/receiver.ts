// A webhook receiver for tests: a real server with a configurable response that records all requests.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A recorded request. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
  at: number;
}

type Behavior = (request: IncomingMessage, response: ServerResponse, count: number) => void;

const ok: Behavior = (_request, response) => response.writeHead(204).end();

export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  behavior: Behavior;
  readonly #server;

  private constructor(behave: Behavior) {
    this.behavior = behave;
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      this.received.push({ path: request.url ?? "", headers, body: Buffer.concat(chunks).toString(), at: performance.now() });
      this.behavior(request, response, this.received.length);
    });
  }

  /** @param address that it listens on. */
  static async start(behave: Behavior = ok, address = "127.0.0.1"): Promise<Receiver> {
    const receiver = new Receiver(behave);
    receiver.#server.listen(0, address);
    await once(receiver.#server, "listening");
    return receiver;
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address}:${port}/hook`;
  }

  /** The event ids of all requests, in order, including repeats. */
  get ids(): string[] {
    return this.received.map(({ headers }) => headers["webhook-id"]!);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
