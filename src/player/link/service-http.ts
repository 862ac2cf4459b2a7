// HTTP requests to the service: a deadline for each, JSON responses of limited size, and every failure as a Fault.
import type { Dispatcher } from "undici";
import type { z } from "zod";
import { Fault, isAbort, hasErrorCode } from "../../base/fault.ts";
import type { Network } from "../../base/http/network.ts";
import { RoutedAgent } from "../../base/http/routed-agent.ts";
import { proxyRejected, proxyUnreachable } from "../../base/http/tunnel.ts";
import { describeRefusal } from "../../protocol/refusal.ts";

const responseLimitMs = 20_000;
// A desired state names every item and file of a screen. 16 MB holds 50,000 of them.
const maxResponseBytes = 16 * 1024 * 1024;

/** The service responded with a status that the caller cannot use. */
export class HttpFault extends Fault {
  readonly status: number;
  /** How long the service asks to wait before the next attempt; null: it does not say. */
  readonly retryAfterMs: number | null;

  constructor(status: number, detail: string, retryAfterMs: number | null = null) {
    super("refused", detail);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** True if the response is about this request, and not about a token, the service's load or a proxy in front of it. */
  get isAboutRequest(): boolean {
    return ![401, 408, 425, 429, 502, 503, 504].includes(this.status);
  }

  /** True if the same request will fail again: 4xx, except 401 (the token is renewed), 408, 425 and 429. */
  get isPermanent(): boolean {
    return this.status >= 400 && this.status < 500 && ![401, 408, 425, 429].includes(this.status);
  }
}

/** A request to `/api/v1/${path}`. */
export interface ServiceRequest {
  method: "GET" | "POST" | "PUT";
  path: string;
  token?: string;
  body?: unknown;
  bytes?: Buffer;
  headers?: Record<string, string>;
  /** Added to the usual deadline, for a response that the service may hold back. */
  extraWaitMs?: number;
}

type RequestOptions = Omit<Dispatcher.RequestOptions, "origin" | "path" | "method"> & {
  method?: Dispatcher.HttpMethod;
  headersTimeout?: number;
};

export interface ServiceResponse {
  status: number;
  json: unknown;
}

/**
 * Methods reject with Fault `unreachable` (no response), {@link HttpFault} (an error response) or Fault `protocol`
 * (a response of something other than the service, such as a captive portal).
 */
export class ServiceHttp implements AsyncDisposable {
  readonly #address: () => string;
  readonly #agent: RoutedAgent;

  /** @param address called for each request: an embedded service may change its port. */
  constructor(address: () => string, network: Network) {
    this.#address = address;
    this.#agent = new RoutedAgent({ network, silenceLimitMs: responseLimitMs });
  }

  get server(): URL {
    return new URL(this.#address());
  }

  /** Resolves to the parsed JSON of a successful response. */
  async json<T>(request: ServiceRequest, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    return parseResponse(schema, await this.expectSuccess(request, signal));
  }

  async expectSuccess(request: ServiceRequest, signal: AbortSignal): Promise<unknown> {
    const { status, json } = await this.send(request, signal);
    if (status < 200 || status > 299) throw httpFault(status, json);
    return json;
  }

  async send(call: ServiceRequest, signal: AbortSignal): Promise<ServiceResponse> {
    const headers: Record<string, string> = { accept: "application/json", ...call.headers };
    if (call.token !== undefined) headers["authorization"] = `Bearer ${call.token}`;
    if (call.body !== undefined) headers["content-type"] = "application/json";
    const limitMs = responseLimitMs + (call.extraWaitMs ?? 0);
    const deadline = AbortSignal.timeout(limitMs);
    const response = await this.#request(new URL(`/api/v1/${call.path}`, this.server), {
      method: call.method,
      headers,
      body: call.bytes ?? (call.body === undefined ? null : JSON.stringify(call.body)),
      signal: AbortSignal.any([signal, deadline]),
      headersTimeout: limitMs,
    });
    return asUnreachable(async () => ({ status: response.statusCode, json: await readJson(response.body) }));
  }

  /** Sends a GET whose response body the caller reads or destroys. */
  async stream(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return this.#request(url, { headers, signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent[Symbol.asyncDispose]();
  }

  #request(url: URL, options: RequestOptions): Promise<Dispatcher.ResponseData> {
    return asUnreachable(async () => {
      const { dispatcher, proxy } = await this.#agent.routeTo(url);
      // Load undici at the first request: it loads slowly and would delay the first picture.
      const { request } = await import("undici");
      const response = await request(url, { ...options, dispatcher }).catch((error: unknown) => {
        throw proxy !== null && url.protocol === "http:" && isConnectionLost(error) ? proxyUnreachable(proxy, error) : error;
      });
      if (proxy !== null && isResponseOfProxy(url, response)) {
        await response.body.dump();
        throw proxyRejected(proxy, response.statusCode);
      }
      return response;
    });
  }
}

/** True if the other end closed the connection without a response. For http addresses the other end is the proxy. */
function isConnectionLost(error: unknown): boolean {
  return hasErrorCode(error, "UND_ERR_SOCKET", "ECONNRESET");
}

/** True if a proxy responded itself. It can only for http, and the service's own errors are JSON. */
function isResponseOfProxy({ protocol }: URL, { statusCode, headers }: Dispatcher.ResponseData): boolean {
  return protocol === "http:" && statusCode >= 400 && !String(headers["content-type"]).includes("json");
}

export function parseResponse<T>(schema: z.ZodType<T>, json: unknown): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new Fault("protocol", `the service's response is not valid: ${describeRefusal(parsed.error)}`);
}

export function httpFault(status: number, json: unknown): HttpFault {
  const detail = typeof json === "object" && json !== null && "detail" in json ? String(json.detail) : "no reason given";
  return new HttpFault(status, `the service responded with ${status}: ${detail}`);
}

/** `Retry-After` in ms: seconds, or a date, counted from the response's own `Date` (RFC 9110, section 10.2.3). */
export function retryAfterMs({ "retry-after": retryAfter, date }: Dispatcher.ResponseData["headers"]): number | null {
  const text = String(retryAfter ?? "");
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.parse(String(date));
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** The whole body. @throws Fault `protocol` if it is larger than `maxBytes`, `unreachable` if the connection breaks. */
export function readBytes(body: Dispatcher.ResponseData["body"], maxBytes: number): Promise<Buffer> {
  return asUnreachable(async () => {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw new Fault("protocol", `the service's response is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  });
}

async function readJson(body: Dispatcher.ResponseData["body"]): Promise<unknown> {
  const bytes = await readBytes(body, maxResponseBytes);
  if (bytes.length === 0) return undefined;
  const text = bytes.toString();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault("protocol", "the server at this address is not a signage service (a captive portal or proxy?)", { cause });
  }
}

/** Runs a call. An error without a response becomes a Fault `unreachable`; an abort stays an AbortError. */
async function asUnreachable<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Fault || isAbort(error)) throw error;
    throw new Fault("unreachable", "the service cannot be reached", { cause: error });
  }
}
