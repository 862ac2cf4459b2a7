// A webhook's receiver for tests: a real server that answers as it is told and keeps what it was sent.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A message as it came. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
  at: number;
}

type Behaviour = (request: IncomingMessage, response: ServerResponse, count: number) => void;

const ok: Behaviour = (_request, response) => response.writeHead(204).end();

export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  behavior: Behaviour;
  readonly #server;

  private constructor(behave: Behaviour) {
    this.behavior = behave;
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      this.received.push({ path: request.url ?? "", headers, body: Buffer.concat(parts).toString(), at: performance.now() });
      this.behavior(request, response, this.received.length);
    });
  }

  static async start(behave: Behaviour = ok): Promise<Receiver> {
    const receiver = new Receiver(behave);
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** The event ids that came, in order, repeats included. */
  get ids(): string[] {
    return this.received.map(({ headers }) => headers["webhook-id"]!);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
