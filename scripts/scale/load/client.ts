// An operator's client under faults: tells whether a request was answered, never arrived, or may have been carried out.
import { Agent, request } from "undici";
import { hasErrorCode, reasonOf } from "../../../src/base/fault.ts";
import type { Outcome, Tally } from "./tally.ts";

/** One request. */
export interface Asked {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Below `/api/v1/`. */
  path: string;
  body?: object | Buffer;
  headers?: Record<string, string>;
}

const limitMs = 15_000;
const againMs = 100;

export class LoadClient implements AsyncDisposable {
  readonly #token: string;
  readonly #tally: Tally;
  readonly #agent = new Agent({ connections: 64, headersTimeout: 0, bodyTimeout: 0 });

  constructor(token: string, tally: Tally) {
    this.#token = token;
    this.#tally = tally;
  }

  /** Sends it once. @param url of a node or of the proxy. */
  async send(url: string, { method, path, body, headers = {} }: Asked, timeoutMs = limitMs): Promise<Outcome> {
    const from = performance.now();
    const outcome = await this.#outcome(`${url}/api/v1/${path}`, method, body, headers, timeoutMs);
    this.#tally.record(`${method} ${path}`, outcome, performance.now() - from);
    return outcome;
  }

  /**
   * Repeats a write with one Idempotency-Key, each time at another address, until it is answered with success.
   * @throws Error for an answer that says that it is wrong; the signal's reason.
   */
  async insist(
    chooseUrl: () => string,
    asked: Asked,
    key: string,
    signal: AbortSignal,
  ): Promise<{ status: number; body: Json; repeats: number }> {
    for (let repeats = 0; ; repeats += 1) {
      signal.throwIfAborted();
      const outcome = await this.send(chooseUrl(), { ...asked, headers: { ...asked.headers, "idempotency-key": key } });
      if (outcome.is === "answered") {
        const { status, body } = outcome;
        if (status < 300) return { status, body: body as Json, repeats };
        const isRunning = status === 409 && (body as Json)["type"]?.toString().endsWith("in-flight");
        if (status < 500 && !isRunning) throw new Error(`${asked.method} ${asked.path}: ${status} ${JSON.stringify(body)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }

  async #outcome(url: string, method: Asked["method"], body: Asked["body"], more: Asked["headers"], timeoutMs: number): Promise<Outcome> {
    const isRaw = Buffer.isBuffer(body);
    const type = body === undefined ? {} : { "content-type": isRaw ? "application/octet-stream" : "application/json" };
    const headers = { authorization: `Bearer ${this.#token}`, ...type, ...more };
    const payload = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) };
    try {
      const response = await request(url, { method, headers, ...payload, dispatcher: this.#agent, signal: AbortSignal.timeout(timeoutMs) });
      const bytes = Buffer.from(await response.body.arrayBuffer());
      const isJson = /json/.test(String(response.headers["content-type"]));
      return {
        is: "answered",
        status: response.statusCode,
        headers: response.headers,
        body: isJson && bytes.length > 0 ? (JSON.parse(bytes.toString()) as unknown) : bytes,
      };
    } catch (error) {
      return hasErrorCode(error, "ECONNREFUSED") ? { is: "refused" } : { is: "unknown", reason: reasonOf(error) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

export type Json = Record<string, unknown> & { id: string };
