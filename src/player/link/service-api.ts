// The service's HTTP doors as a device sees them: every answer parsed, every call with a deadline, every failure a Fault.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Agent, Dispatcher, request as Request } from "undici";
import type { z } from "zod";
import { Fault, isAbort } from "../../base/fault.ts";
import type { CommandUpdate } from "../../protocol/device/commands.ts";
import { DesiredState } from "../../protocol/device/desired-state.ts";
import { PlayEventReceipt, type PlayEvent } from "../../protocol/device/play-events.ts";
import { HeartbeatAnswer, type Heartbeat } from "../../protocol/device/heartbeat.ts";
import { Nonce, PairingGrant, TokenGrant, TokenRefusal, type PairingRequest, type TokenRequest } from "../../protocol/device/messages.ts";

const connectLimitMs = 10_000;
const answerLimitMs = 20_000;
// A desired state names every item and file of a screen; 16 MB holds 50,000 of them.
const longestAnswerBytes = 16 * 1024 * 1024;

/** What came of asking for a token. */
export type TokenResponse = { is: "granted"; grant: TokenGrant } | { is: "refused"; refusal: TokenRefusal };
/** What came of asking for the state. */
export type StateResponse = { is: "unchanged" } | { is: "changed"; desired: DesiredState };

/** The answer had a status that the call cannot use. `status` decides whether a later try can help. */
export class HttpFault extends Fault {
  readonly status: number;

  constructor(status: number, detail: string) {
    super("refused", detail);
    this.status = status;
  }

  /** 4xx other than 408, 425, 429 and 401 (the token is renewed): the same request will fail again. */
  get isPermanent(): boolean {
    return this.status >= 400 && this.status < 500 && ![401, 408, 425, 429].includes(this.status);
  }
}

type Call = {
  method: "GET" | "POST" | "PUT";
  path: string;
  token?: string;
  body?: unknown;
  bytes?: Buffer;
  headers?: Record<string, string>;
  limitMs?: number;
};

/** What requests go through. */
interface Client {
  request: typeof Request;
  agent: Agent;
}

/**
 * A client of one service. Methods reject with Fault `unreachable` (no answer), {@link HttpFault} (an answer that
 * refuses) or Fault `protocol` (an answer that is not what it should be, such as a captive portal's page).
 */
export class ServiceApi implements AsyncDisposable {
  readonly #addressOf: () => string;
  #client: Promise<Client> | null = null;

  /** @param addressOf the service's address, asked for with each call: an embedded service may come back on another port. */
  constructor(addressOf: () => string) {
    this.#addressOf = addressOf;
  }

  /** The service's address now. */
  get server(): URL {
    return new URL(this.#addressOf());
  }

  /** Where the device socket is. */
  get socketUrl(): string {
    const url = new URL("/api/v1/device/ws", this.server);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return url.href;
  }

  async requestPairing(body: PairingRequest, signal: AbortSignal): Promise<PairingGrant> {
    return this.#json({ method: "POST", path: "device/pairing-requests", body }, PairingGrant, signal);
  }

  async nonce(signal: AbortSignal): Promise<string> {
    return (await this.#json({ method: "POST", path: "device/nonce", body: {} }, Nonce, signal)).nonce;
  }

  /** Asks for a token; with `waitS` the service holds a pending answer back that long (RFC 7240). */
  async token(body: TokenRequest, waitS: number, signal: AbortSignal): Promise<TokenResponse> {
    const headers = waitS > 0 ? { prefer: `wait=${waitS}` } : {};
    const { status, json } = await this.#send(
      {
        method: "POST",
        path: "device/token",
        body,
        headers,
        limitMs: answerLimitMs + waitS * 1_000,
      },
      signal,
    );
    if (status === 200) return { is: "granted", grant: parse(TokenGrant, json) };
    const refusal = TokenRefusal.safeParse(json);
    if (status === 400 && refusal.success) return { is: "refused", refusal: refusal.data };
    throw refusalOf(status, json);
  }

  /** `held` is the ETag of the state at hand, null at first. */
  async state(token: string, held: string | null, signal: AbortSignal): Promise<StateResponse> {
    const headers: Record<string, string> = held === null ? {} : { "if-none-match": held };
    const answer = await this.#send({ method: "GET", path: "device/state", token, headers }, signal);
    if (answer.status === 304) return { is: "unchanged" };
    if (answer.status !== 200) throw refusalOf(answer.status, answer.json);
    return { is: "changed", desired: parse(DesiredState, answer.json) };
  }

  async heartbeat(token: string, body: Heartbeat, signal: AbortSignal): Promise<HeartbeatAnswer> {
    return this.#json({ method: "POST", path: "device/heartbeat", token, body }, HeartbeatAnswer, signal);
  }

  async commandStatus(token: string, commandId: string, body: CommandUpdate, signal: AbortSignal): Promise<void> {
    await this.#expect({ method: "POST", path: `device/commands/${commandId}/status`, token, body }, signal);
  }

  async playEvents(token: string, events: readonly PlayEvent[], signal: AbortSignal): Promise<PlayEventReceipt> {
    const bytes = await promisify(gzip)(JSON.stringify({ events }));
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    return this.#json({ method: "POST", path: "device/play-events", token, bytes, headers }, PlayEventReceipt, signal);
  }

  /** Uploads a picture; `headers` carry Content-Type, Content-Digest (RFC 9530), Captured-At and Command-Id. */
  async screenshot(token: string, id: string, bytes: Buffer, headers: Record<string, string>, signal: AbortSignal): Promise<void> {
    await this.#expect({ method: "PUT", path: `device/screenshots/${id}`, token, bytes, headers }, signal);
  }

  /**
   * Opens the bytes of a file from `offset` on. The stream begins at `offset` when `resumed`, else at 0.
   * The caller reads or destroys the body.
   */
  async file(
    token: string,
    path: string,
    offset: number,
    signal: AbortSignal,
  ): Promise<{ body: Dispatcher.ResponseData["body"]; resumed: boolean }> {
    const url = new URL(path, this.server);
    // The token goes to the paired service and nowhere else, whatever a document says.
    if (url.origin !== this.server.origin) throw new Fault("protocol", `a file's address leaves the service: ${url.origin}`);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(offset > 0 ? { range: `bytes=${offset}-` } : {}),
    };
    const { request, agent } = await this.#open();
    const answer = await reach(() => request(url, { headers, dispatcher: agent, signal }));
    if (answer.statusCode === 206 && offset > 0) return { body: answer.body, resumed: true };
    if (answer.statusCode === 200) return { body: answer.body, resumed: false };
    await answer.body.dump();
    throw new HttpFault(answer.statusCode, `the service answered ${answer.statusCode} for ${url.pathname}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#client !== null) await (await this.#client).agent.destroy();
  }

  /** Loaded at the first call: the picture comes before the network, and undici takes its time to load. */
  #open(): Promise<Client> {
    this.#client ??= import("undici").then(({ Agent, request }) => {
      // Whatever the environment says: that https is proof of the service's name is what `Reclaim` goes by.
      const limits = {
        connect: { timeout: connectLimitMs, rejectUnauthorized: true },
        headersTimeout: answerLimitMs,
        bodyTimeout: answerLimitMs,
      };
      return { request, agent: new Agent(limits) };
    });
    return this.#client;
  }

  async #json<T>(call: Call, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    return parse(schema, await this.#expect(call, signal));
  }

  async #expect(call: Call, signal: AbortSignal): Promise<unknown> {
    const { status, json } = await this.#send(call, signal);
    if (status < 200 || status > 299) throw refusalOf(status, json);
    return json;
  }

  async #send(call: Call, signal: AbortSignal): Promise<{ status: number; json: unknown }> {
    const headers: Record<string, string> = { accept: "application/json", ...call.headers };
    if (call.token !== undefined) headers["authorization"] = `Bearer ${call.token}`;
    if (call.body !== undefined) headers["content-type"] = "application/json";
    const deadline = AbortSignal.timeout(call.limitMs ?? answerLimitMs);
    const { request, agent } = await this.#open();
    return reach(async () => {
      const answer = await request(new URL(`/api/v1/${call.path}`, this.server), {
        method: call.method,
        headers,
        body: call.bytes ?? (call.body === undefined ? null : JSON.stringify(call.body)),
        dispatcher: agent,
        signal: AbortSignal.any([signal, deadline]),
        headersTimeout: call.limitMs ?? answerLimitMs,
      });
      return { status: answer.statusCode, json: await readJson(answer.body) };
    });
  }
}

async function readJson(body: Dispatcher.ResponseData["body"]): Promise<unknown> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > longestAnswerBytes) throw new Fault("protocol", `the service's answer is larger than ${longestAnswerBytes} bytes`);
    parts.push(part);
  }
  if (length === 0) return undefined;
  const text = Buffer.concat(parts).toString();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault("protocol", "what answers at this address is not a signage service (a captive portal or proxy?)", { cause });
  }
}

/** Runs a call; what keeps it from being answered becomes a Fault `unreachable`, an abort stays one. */
async function reach<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Fault || isAbort(error)) throw error;
    throw new Fault("unreachable", "the service cannot be reached", { cause: error });
  }
}

function parse<T>(schema: z.ZodType<T>, json: unknown): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  throw new Fault("protocol", `the service's answer is not understood: ${first?.path.join(".") ?? ""} ${first?.message ?? ""}`);
}

function refusalOf(status: number, json: unknown): HttpFault {
  const detail = typeof json === "object" && json !== null && "detail" in json ? String(json.detail) : "no reason given";
  return new HttpFault(status, `the service answered ${status}: ${detail}`);
}
