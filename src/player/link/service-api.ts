// The service's HTTP API for devices: one method per endpoint, with parsed responses.
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { z } from "zod";
import { Fault } from "../../base/fault.ts";
import { directNetwork, type Network } from "../../base/http/network.ts";
import type { CommandUpdate } from "../../protocol/device/commands.ts";
import { DesiredState, type DesiredAsset } from "../../protocol/device/desired-state.ts";
import { LiveAnswer } from "../../protocol/device/live.ts";
import type { ProblemRecord } from "../../protocol/device/problem-records.ts";
import { PlayEventReceipt, type PlayEvent } from "../../protocol/device/play-events.ts";
import { HeartbeatAnswer, type Heartbeat } from "../../protocol/device/heartbeat.ts";
import { Nonce, PairingGrant, TokenGrant, TokenRefusal, type PairingRequest, type TokenRequest } from "../../protocol/device/messages.ts";
import type { EnrolmentRequest } from "../../protocol/device/enrolment.ts";
import { deviceText } from "../../protocol/text.ts";
import { mismatchOf } from "./file-response.ts";
import { followRedirect, type OpenedFile } from "./redirected-file.ts";
import { HttpFault, httpFault, parseResponse, readBytes, retryAfterMs, ServiceHttp } from "./service-http.ts";

/** The response to a token request. */
export type TokenResponse = { is: "granted"; grant: TokenGrant } | { is: "refused"; refusal: TokenRefusal };
/** The response to an enrolment. `type` is that of the problem, such as `/problems/enrolment-key-expired`. */
export type EnrolmentResponse = { is: "granted"; grant: TokenGrant } | { is: "refused"; type: string; detail: string };
/** The response to a request for the desired state. */
export type StateResponse = { is: "unchanged" } | { is: "changed"; desired: DesiredState };

const RefusingProblem = z.object({ type: z.string(), detail: deviceText(500) });

/** The address of a service that does not run at present. No program can listen on port 0; on any other port one might. */
export const notRunning = "http://127.0.0.1:0";

/** False for the address that stands for a service that does not run. */
export function mayRun(server: URL): boolean {
  return server.origin !== notRunning;
}

/** A client of one service. Methods reject as {@link ServiceHttp} documents. */
export class ServiceApi implements AsyncDisposable {
  /** Distinguishes this run of the player from other devices with the same identity. */
  readonly instanceId: string = randomUUID();
  /** How the service is reached, also by the device socket. */
  readonly network: Network;
  readonly #http: ServiceHttp;

  /** @param address called for each request: an embedded service may change its port, and is {@link notRunning} until it listens */
  constructor(address: () => string, network: Network = directNetwork()) {
    this.network = network;
    this.#http = new ServiceHttp(address, network);
  }

  /** The service's present address. */
  get server(): URL {
    return this.#http.server;
  }

  /** The origin to show to people; empty while the service does not run. */
  get shownOrigin(): string {
    return mayRun(this.server) ? this.server.origin : "";
  }

  /** The address of the device socket. */
  get socketUrl(): string {
    const url = new URL("/api/v1/device/ws", this.server);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("instance", this.instanceId);
    return url.href;
  }

  /** Opens a path of the service without a token. The caller reads or destroys the body. */
  open(path: string, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return this.#http.stream(new URL(path, this.server), {}, signal);
  }

  async requestPairing(body: PairingRequest, signal: AbortSignal): Promise<PairingGrant> {
    return this.#http.json({ method: "POST", path: "device/pairing-requests", body }, PairingGrant, signal);
  }

  /** Enrols the device. A refusal is a problem that names the remedy; any other failure rejects. */
  async enrol(body: EnrolmentRequest, signal: AbortSignal): Promise<EnrolmentResponse> {
    const { status, json } = await this.#http.send({ method: "POST", path: "device/enrolments", body }, signal);
    if (status === 200) return { is: "granted", grant: parseResponse(TokenGrant, json) };
    const fault = httpFault(status, json);
    const problem = RefusingProblem.safeParse(json);
    if (!fault.isPermanent || !problem.success) throw fault;
    const { type, detail } = problem.data;
    // A service of an earlier version does not know the path.
    const tooOld = "This service is too old to enrol devices: update it, or pair by code";
    return { is: "refused", type, detail: type.endsWith("/not-found") ? tooOld : detail };
  }

  async nonce(signal: AbortSignal): Promise<string> {
    return (await this.#http.json({ method: "POST", path: "device/nonce", body: {} }, Nonce, signal)).nonce;
  }

  /** Requests a token. The service may hold back a pending response for `waitS` seconds (RFC 7240). */
  async token(body: TokenRequest, waitS: number, signal: AbortSignal): Promise<TokenResponse> {
    const headers = waitS > 0 ? { prefer: `wait=${waitS}` } : {};
    const extraWaitMs = waitS * 1_000;
    const { status, json } = await this.#http.send({ method: "POST", path: "device/token", body, headers, extraWaitMs }, signal);
    if (status === 200) return { is: "granted", grant: parseResponse(TokenGrant, json) };
    const refusal = TokenRefusal.safeParse(json);
    if (status === 400 && refusal.success) return { is: "refused", refusal: refusal.data };
    throw httpFault(status, json);
  }

  /** @param etag that of the stored state; null: none is stored. */
  async state(token: string, etag: string | null, signal: AbortSignal): Promise<StateResponse> {
    const headers: Record<string, string> = etag === null ? {} : { "if-none-match": etag };
    const response = await this.#http.send({ method: "GET", path: "device/state", token, headers }, signal);
    if (response.status === 304) return { is: "unchanged" };
    if (response.status !== 200) throw httpFault(response.status, response.json);
    return { is: "changed", desired: parseResponse(DesiredState, response.json) };
  }

  async heartbeat(token: string, body: Heartbeat, signal: AbortSignal): Promise<HeartbeatAnswer> {
    return this.#http.json({ method: "POST", path: "device/heartbeat", token, body }, HeartbeatAnswer, signal);
  }

  async commandStatus(token: string, commandId: string, body: CommandUpdate, signal: AbortSignal): Promise<void> {
    await this.#http.expectSuccess({ method: "POST", path: `device/commands/${commandId}/status`, token, body }, signal);
  }

  async problemRecord(token: string, id: string, body: ProblemRecord, signal: AbortSignal): Promise<void> {
    await this.#http.expectSuccess({ method: "PUT", path: `device/problems/${id}`, token, body }, signal);
  }

  async playEvents(token: string, events: readonly PlayEvent[], signal: AbortSignal): Promise<PlayEventReceipt> {
    const bytes = await promisify(gzip)(JSON.stringify({ events }));
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    return this.#http.json({ method: "POST", path: "device/play-events", token, bytes, headers }, PlayEventReceipt, signal);
  }

  /** Uploads a screenshot. @param headers Content-Type, Content-Digest (RFC 9530), Captured-At and Command-Id. */
  async screenshot(token: string, id: string, bytes: Buffer, headers: Record<string, string>, signal: AbortSignal): Promise<void> {
    await this.#http.expectSuccess({ method: "PUT", path: `device/screenshots/${id}`, token, bytes, headers }, signal);
  }

  /** Sends a frame of a live view. Null: nobody watches any more. */
  async liveFrame(token: string, streamId: string, bytes: Buffer, signal: AbortSignal): Promise<LiveAnswer | null> {
    const headers = { "content-type": "image/jpeg" };
    const { status, json } = await this.#http.send({ method: "PUT", path: `device/live/${streamId}`, token, bytes, headers }, signal);
    if (status === 410) return null;
    if (status !== 200) throw httpFault(status, json);
    return parseResponse(LiveAnswer, json);
  }

  /** Uploads a log, compressed with gzip. @param headers as for {@link screenshot}. */
  async log(token: string, id: string, bytes: Buffer, headers: Record<string, string>, signal: AbortSignal): Promise<void> {
    await this.#http.expectSuccess({ method: "PUT", path: `device/logs/${id}`, token, bytes, headers }, signal);
  }

  /**
   * Opens a file from `offset` on. The stream starts at `offset` if `resumed`, else at 0. The caller reads or destroys the body.
   * Rejects with Fault `protocol` if the response is not the file.
   */
  async file(token: string, asset: DesiredAsset, offset: number, signal: AbortSignal): Promise<OpenedFile> {
    const url = new URL(asset.url, this.server);
    // Never send the token to another server, even if the desired state names its address.
    if (url.origin !== this.server.origin) throw new Fault("protocol", `a file's address is not on the service: ${url.origin}`);
    const range = offset > 0 ? { range: `bytes=${offset}-`, "if-range": `"${asset.sha256}"` } : {};
    const headers = { authorization: `Bearer ${token}`, ...range };
    const first = await this.#http.stream(url, { ...headers, prefer: "redirect" }, signal);
    const redirected = first.statusCode === 307 ? await followRedirect(this.#http, first, url, asset, offset, signal) : null;
    if (redirected !== null) return redirected;
    // The store cannot be reached from here, or does not have the file: the service sends it.
    const response = first.statusCode === 307 ? await this.#http.stream(url, headers, signal) : first;
    const { statusCode, body } = response;
    const isFile = statusCode === 200 || (statusCode === 206 && offset > 0);
    const mismatch = isFile ? mismatchOf(response, asset, offset) : null;
    if (isFile && mismatch === null) return { body, resumed: statusCode === 206 };
    await body.dump();
    if (mismatch !== null) throw new Fault("protocol", `the response is not the file (a captive portal or proxy?): ${mismatch}`);
    throw new HttpFault(statusCode, `the service responded with ${statusCode} for ${url.pathname}`, retryAfterMs(response.headers));
  }

  /**
   * A file of the mirror's release metadata; null if the service does not have it. Its content proves nothing before it is verified.
   * Rejects with Fault `protocol` if something else than the service responds, or with more than `maxBytes`.
   */
  async releaseMetadata(token: string, path: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | null> {
    const url = new URL(`/api/v1/device/releases/${path}`, this.server);
    const { statusCode, headers, body } = await this.#http.stream(url, { authorization: `Bearer ${token}` }, signal);
    const isPortal = statusCode === 200 && String(headers["content-type"]).startsWith("text/html");
    if (statusCode !== 200 || isPortal) {
      await body.dump();
      if (statusCode === 404) return null;
      if (isPortal) throw new Fault("protocol", "the response is not the release's metadata (a captive portal or proxy?)");
      throw new HttpFault(statusCode, `the service responded with ${statusCode} for ${url.pathname}`, retryAfterMs(headers));
    }
    return readBytes(body, maxBytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http[Symbol.asyncDispose]();
  }
}
