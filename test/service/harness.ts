// A real service with its own port and data folder for a test, and clients for it: an operator and a device.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { WebSocket, type ClientOptions } from "ws";
import { createSystemClock, type Clock } from "../../src/base/clock.ts";
import { createKeyPair, signJws, type KeyPair } from "../../src/base/jws.ts";
import { silentLog, type Log } from "../../src/base/log.ts";
import type { Heartbeat } from "../../src/protocol/device/heartbeat.ts";
import {
  deviceSubprotocol,
  tokenProofJwsType,
  type PairingGrant,
  type ServiceMessage,
  type TokenGrant,
} from "../../src/protocol/device/messages.ts";
import { copyMigratedDatabases } from "./migrated-databases.ts";
import { databaseOf } from "./test-database.ts";
import { startSharedMediaProcess } from "./shared-media-process.ts";
import { messageOrClose } from "../support/network/message-or-close.ts";
import { FakeClock } from "../support/clock.ts";
import { differencesFromDescription } from "./openapi/contract.ts";
import type { ServiceConfig } from "../../src/service/config.ts";
import { startService, type Service } from "../../src/service/server.ts";

export interface ApiResponse {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests check the parsed JSON field by field
  body: any;
}

export class TestService implements AsyncDisposable {
  readonly service: Service;
  readonly folder: string;
  readonly token: string;

  private constructor(service: Service, folder: string, token: string) {
    this.service = service;
    this.folder = folder;
    this.token = token;
  }

  static async start(folder: string, more: Partial<ServiceConfig> & { clock?: Clock; log?: Log } = {}): Promise<TestService> {
    const { clock = createSystemClock(), log = silentLog, ...config } = more;
    // Tests send more requests per minute than the default limits allow. The limits have their own tests.
    const limits = { token: 1_000_000, player: 1_000_000, address: 1_000_000 };
    const base = {
      limits,
      port: 0,
      host: "127.0.0.1",
      data: folder,
      publicUrl: null,
      tls: null,
      consoleFolder: null,
      version: "test",
      startMediaProcess: startSharedMediaProcess,
    };
    // A test that sets the time sets it for all nodes; PostgreSQL's is the real one.
    const sharedClock = clock instanceof FakeClock ? clock : undefined;
    const database = await databaseOf(folder);
    if (database === null) await copyMigratedDatabases(folder);
    const service = await startService({ ...base, database, ...config }, { log, clock, sharedClock });
    return new TestService(service, folder, (await readFile(join(folder, "admin-token"), "utf8")).trim());
  }

  /** Creates a team, whose owner is the same user, and a token for it. */
  async addTeam(): Promise<{ id: string; token: string }> {
    const { status, body } = await this.call("POST", "teams", { name: "Team" });
    if (status !== 201) throw new Error(`a new team: ${status} ${JSON.stringify(body)}`);
    return { id: body.id, token: body.token.secret };
  }

  /** The same service as whoever has this token sees it. */
  withToken(token: string): TestService {
    return new TestService(this.service, this.folder, token);
  }

  /** The same service with the token of a new team, whose owner is the same user. */
  async newTeam(): Promise<TestService> {
    return this.withToken((await this.addTeam()).token);
  }

  /** Calls the API, by default with the admin token. */
  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return call(this.service.url, method, path, body, { authorization: `Bearer ${this.token}`, ...headers });
  }

  upload(bytes: Buffer, type = "application/octet-stream", name = "file"): Promise<ApiResponse> {
    return this.call("POST", `assets?name=${encodeURIComponent(name)}`, bytes, { "content-type": type });
  }

  /** A new device that has requested a pairing code. */
  async newDevice(): Promise<Device> {
    const device = new Device(this.service.url);
    await device.askForCode();
    return device;
  }

  /** A new device that is paired and has a token. */
  async pairDevice(name = "Screen"): Promise<Device> {
    const device = await this.newDevice();
    const answer = await this.call("POST", "players/pair", { code: device.grant.user_code, name });
    if (answer.status !== 201) throw new Error(`pairing: ${answer.status} ${JSON.stringify(answer.body)}`);
    await device.firstToken();
    return device;
  }

  /** Creates a layout whose only zone loops `items`. @returns it and its playlist */
  async createLayout(items: readonly object[] = []): Promise<{ playlist: ApiResponse["body"]; layout: ApiResponse["body"] }> {
    const playlist = (await this.call("POST", "playlists", { name: "P", items })).body;
    const zones = [{ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: playlist.id }];
    const layout = (await this.call("POST", "layouts", { name: "L", width: 100, height: 100, zones })).body;
    return { playlist, layout };
  }

  /** Makes a player show one picture. @returns the created resources */
  async showPicture({ playerId }: { playerId: string }) {
    const asset = (await this.upload(await picture())).body;
    const items = [{ type: "image", asset_id: asset.id, duration_ms: 5_000 }];
    const { playlist, layout } = await this.createLayout(items);
    await this.call("PATCH", `players/${playerId}`, { layout_id: layout.id });
    return { asset, playlist, layout, items };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
  }
}

/**
 * Sends a request and checks the response against the API description.
 * @throws when the response does not match the description.
 */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const isRaw = body instanceof Uint8Array || typeof body === "string";
  // An absolute link is requested from the service at `url`, since its port may have changed after a restart.
  const place = path.replace(/^https?:\/\/[^/]+/, "");
  const whole = place.startsWith("/") ? place : `/api/v1/${place}`;
  const response = await fetch(`${url}${whole}`, {
    method,
    headers: { ...(body === undefined || isRaw ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: isRaw ? (body as NonNullable<RequestInit["body"]>) : JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  const answer = {
    status: response.status,
    headers: response.headers,
    body: isJson && bytes.length > 0 ? (JSON.parse(bytes.toString()) as unknown) : bytes,
  };
  const faults = differencesFromDescription({ method, path: whole, ...answer });
  if (faults.length > 0)
    throw new Error(`${method} ${whole} responded with ${answer.status}, which does not match the description: ${faults.join("; ")}`);
  return answer;
}

/** A device that speaks the protocol, without a player. */
export class Device {
  readonly url: string;
  readonly keys: KeyPair = createKeyPair();
  grant!: PairingGrant;
  access!: TokenGrant;

  constructor(url: string) {
    this.url = url;
  }

  get playerId(): string {
    return this.access.player_id;
  }

  /** @param headers further ones, such as the address that a trusted proxy forwards. */
  async askForCode(headers: Record<string, string> = {}): Promise<PairingGrant> {
    const about = { player_version: "1.2.3", hardware: "Test box", timezone: "Europe/London", resolution: { width: 1920, height: 1080 } };
    const answer = await call(this.url, "POST", "device/pairing-requests", { public_key: this.keys.publicKey, ...about }, headers);
    if (answer.status !== 201) throw new Error(`no code: ${answer.status} ${JSON.stringify(answer.body)}`);
    return (this.grant = answer.body);
  }

  async proof(aud: string, keys = this.keys): Promise<string> {
    const { nonce } = (await call(this.url, "POST", "device/nonce", {})).body;
    return signJws(tokenProofJwsType, { nonce, aud }, keys);
  }

  async askForToken(headers: Record<string, string> = {}): Promise<ApiResponse> {
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    const proof = await this.proof(this.grant.device_code);
    return call(this.url, "POST", "device/token", { grant_type, device_code: this.grant.device_code, proof }, headers);
  }

  async renew(keys = this.keys): Promise<ApiResponse> {
    const proof = await this.proof(this.playerId, keys);
    return call(this.url, "POST", "device/token", { grant_type: "urn:signage:device-key", player_id: this.playerId, proof });
  }

  async firstToken(): Promise<TokenGrant> {
    const answer = await this.askForToken();
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${JSON.stringify(answer.body)}`);
    return (this.access = answer.body);
  }

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return call(this.url, method, `device/${path}`, body, { authorization: `Bearer ${this.access.access_token}`, ...headers });
  }

  putScreenshot(id: string, bytes: Buffer, more: Record<string, string> = {}): Promise<ApiResponse> {
    const digest = createHash("sha256").update(bytes).digest("base64");
    return this.call("PUT", `screenshots/${id}`, bytes, {
      "content-type": "image/png",
      "content-digest": `sha-256=:${digest}:`,
      "captured-at": "2026-11-21T12:00:00.000Z",
      ...more,
    });
  }

  putLog(id: string, bytes: Buffer, more: Record<string, string> = {}): Promise<ApiResponse> {
    const digest = createHash("sha256").update(bytes).digest("base64");
    return this.call("PUT", `logs/${id}`, bytes, {
      "content-type": "application/gzip",
      "content-digest": `sha-256=:${digest}:`,
      "captured-at": "2026-11-21T12:00:00.000Z",
      ...more,
    });
  }

  socket(token = this.access.access_token, instance?: string): DeviceSocket {
    return new DeviceSocket(this.url, token, instance);
  }

  /** Connects the WebSocket and waits for `welcome`. */
  async connect(epoch: string | null = null, lastSeq = 0): Promise<DeviceSocket> {
    const link = this.socket();
    link.hello(epoch, lastSeq);
    await link.next("welcome");
    return link;
  }
}

/** A device's WebSocket that keeps received messages until a test reads them. */
export class DeviceSocket {
  readonly socket: WebSocket;
  readonly #received: ServiceMessage[] = [];
  readonly closed: Promise<number>;

  constructor(url: string, token: string, instance?: string, options: ClientOptions = {}) {
    const address = `${url.replace("http", "ws")}/api/v1/device/ws${instance === undefined ? "" : `?instance=${instance}`}`;
    this.socket = new WebSocket(address, deviceSubprotocol, { ...options, headers: { authorization: `Bearer ${token}` } });
    this.socket.on("message", (raw: Buffer) => {
      this.#received.push(JSON.parse(raw.toString()) as ServiceMessage);
    });
    this.closed = once(this.socket, "close").then(([code]) => code as number);
  }

  send(message: object | string): void {
    const text = typeof message === "string" ? message : JSON.stringify({ id: "1", ts: Date.now(), ...message });
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
    else this.socket.once("open", () => this.socket.send(text));
  }

  /** @param features what the device understands beyond the first protocol */
  hello(epoch: string | null = null, last_seq = 0, more: Partial<Heartbeat> = {}, features: readonly string[] = []): void {
    this.send({ type: "hello", data: { epoch, last_seq, revision: null, heartbeat: heartbeat(more), features } });
  }

  /** The next message of `type`; other messages are skipped. Rejects when the socket closes before. */
  next<T extends ServiceMessage["type"]>(type: T): Promise<Extract<ServiceMessage, { type: T }>> {
    return this.nextOf([type]);
  }

  /** The next message of one of `types`; other messages are skipped. Rejects when the socket closes before. */
  async nextOf<T extends ServiceMessage["type"]>(types: readonly T[]): Promise<Extract<ServiceMessage, { type: T }>> {
    for (;;) {
      const index = this.#received.findIndex((message) => types.some((type) => type === message.type));
      if (index !== -1) return this.#received.splice(0, index + 1).at(-1) as Extract<ServiceMessage, { type: T }>;
      await this.#change();
    }
  }

  /** Resolves when a message has arrived or the socket has closed. */
  async #change(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED)
      throw new Error(`the socket closed; unread: ${this.#received.map((message) => message.type).join(", ")}`);
    await messageOrClose(this.socket);
  }

  /** Whether no message of `type` arrives. Sends a heartbeat and waits for its reply, which arrives after all earlier messages. */
  async receivesNo(type: ServiceMessage["type"]): Promise<boolean> {
    this.send({ type: "heartbeat", data: heartbeat() });
    const before = this.#received.length;
    for (;;) {
      if (this.#received.slice(before).some((message) => message.type === "heartbeat.answer")) break;
      await this.#change();
    }
    return !this.#received.some((message) => message.type === type);
  }
}

export function heartbeat(more: Partial<Heartbeat> = {}): Heartbeat {
  return {
    boot_id: "b1",
    sent_at_ms: 1_000,
    uptime_ms: 1,
    player_version: "1.2.4",
    engine: "chromium 156",
    hardware: "Test box",
    timezone: "Europe/London",
    resolution: { width: 1280, height: 720 },
    content: { is: "empty", revision: null, applied_revision: null, ready_bytes: 0, total_bytes: 0, detail: null },
    now_playing: [],
    rendering: true,
    last_frame_at: null,
    memory_bytes: 1,
    cpu_load: 0,
    temperature_c: null,
    disk_free_bytes: null,
    clock_offset_ms: 0,
    clock_error_ms: null,
    ...more,
  };
}

/** A noisy image, so that its file is not tiny. */
export async function picture(format: "png" | "jpeg" | "webp" | "avif" | "gif" = "png", size = 64): Promise<Buffer> {
  const pixels = Buffer.alloc(size * size * 3, 0).map((_, place) => (place * 7_919) % 251);
  return sharp(pixels, { raw: { width: size, height: size, channels: 3 } })
    .toFormat(format)
    .toBuffer();
}

/** The error pointers of a problem. */
export function errorPointers(answer: ApiResponse): string[] {
  return (answer.body.errors ?? []).map((error: { pointer: string }) => error.pointer);
}

/** The names of all files in the blob store of a data folder. */
export async function blobsIn(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, "blobs"), { recursive: true });
  return names.map((name) => name.split("/").at(-1)!).filter((name) => /^[0-9a-f]{64}$/.test(name));
}
