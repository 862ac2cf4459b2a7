// The loopback server behind the glass: the page, the proven media, and the socket that carries scenes down and frames up.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import send from "@fastify/send";
import { isDeepStrictEqual } from "node:util";
import { WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../../base/clock.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import { messageText } from "../../base/websocket-text.ts";
import { FromPage, type Scene, type ToPage } from "../../protocol/scene.ts";
import type { IframeFault, HostPage } from "../host.ts";
import type { OutboundHttp } from "../web-items/outbound-http.ts";
import type { StreamSource } from "../playback/scene-item.ts";
import { sendStream } from "../web-items/stream-proxy.ts";

/** The page's side of the socket, as the watchdog sees it. Times on the monotonic clock, ms. */
export type PageState =
  | { is: "away"; since: number }
  | {
      is: "here";
      since: number;
      viewport: { width: number; height: number };
      lastFrameAt: number | null;
    };

export interface SurfaceOptions {
  /** Who this player is, in any words: its page has the same loopback host at each start, and framed sites find again what they stored below it. */
  owner: string;
  /** Folder of the built page. */
  rendererFolder: string;
  /** The port to listen on where it is free; null for any. */
  port: number | null;
  /** The file and type behind a SHA-256, null when it is not (or no longer) proven. */
  media(sha256: string): { folder: string; name: string; mimeType: string } | null;
  /** The stream behind a key; null when no item at hand shows it. */
  stream(key: string): StreamSource | null;
  /** What streams are fetched through. */
  outboundHttp: OutboundHttp;
  clock: Clock;
  log: Log;
}

const cookieName = "signage";
const longestMessageBytes = 65_536;

// Nothing is loaded from anywhere else and nobody frames the page. It frames what items show; the host admits only those. Streams come by way of the
// player (`/stream/`), so that no origin of theirs has to be admitted here; `blob:` is what the page itself puts together.
// WebAssembly, from code of the page only, decodes the pictures of scanned PDFs.
const pagePolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; " +
  "font-src 'self'; connect-src 'self'; frame-src http: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves one page to one browser on a loopback port. Whoever lacks the cookie's secret, names another host, or
 * comes from another origin is turned away, so that neither a web item nor another program on the box gets in.
 */
export class Surface implements AsyncDisposable {
  readonly #options: SurfaceOptions;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: longestMessageBytes,
    perMessageDeflate: false,
  });
  readonly #secret = randomBytes(32).toString("base64url");
  readonly #page: Observable<PageState>;
  readonly #listeners = new Set<(message: FromPage) => void>();
  #scene: Scene = { screen: { is: "starting" }, identify: null };
  #socket: WebSocket | null = null;
  #origin = "";

  private constructor(options: SurfaceOptions) {
    this.#options = options;
    this.#page = new Observable<PageState>({ is: "away", since: options.clock.monotonic() });
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on("upgrade", (request, socket, head) => {
      socket.on("error", (error) => this.#options.log.debug({ reason: reasonOf(error) }, "a page's socket broke"));
      if (!this.#isOurs(request) || request.url !== "/scene" || request.headers.origin !== this.#origin) {
        socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (page) => this.#welcome(page));
    });
  }

  /** Listens on a loopback host of its own, at `port` or a free one. */
  static async open(options: SurfaceOptions): Promise<Surface> {
    const surface = new Surface(options);
    // Cookies and processes go by host, not by port: on a host of its own the page shares neither with what else runs here.
    const host = hostOf(options.owner);
    // macOS knows 127.0.0.1 alone; what else is served there cannot be framed then.
    const places = [...(options.port === null ? [] : [{ host, port: options.port }]), { host, port: 0 }, { host: "127.0.0.1", port: 0 }];
    await listenAtFirst(surface.#server, places);
    const { address, port } = surface.#server.address() as AddressInfo;
    surface.#origin = `http://${address}:${port}`;
    return surface;
  }

  /** What a host opens. */
  get hostPage(): HostPage {
    return { url: `${this.#origin}/player/`, cookie: { name: cookieName, value: this.#secret } };
  }

  get page(): Watchable<PageState> {
    return this.#page;
  }

  /** Shows `scene`. An equal one is not sent again; a page that comes later gets the newest. */
  show(scene: Scene): void {
    if (isDeepStrictEqual(scene, this.#scene)) return;
    this.#scene = scene;
    this.#send({ type: "scene", scene });
  }

  /** Tells the page that a frame has painted (`null`) or failed. */
  sendIframeResult(frame: string, failure: { code: IframeFault; detail: string; death?: string } | null): void {
    this.#send({ type: "frame", frame, failure });
  }

  /** Hears what the page reports until `signal` aborts. */
  onMessage(listener: (message: FromPage) => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket?.terminate();
    this.#sockets.close();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (!this.#isOurs(request)) return refuse(response, 403);
      if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405);
      const path = new URL(request.url ?? "/", this.#origin).pathname;
      const sha256 = /^\/media\/([0-9a-f]{64})$/.exec(path)?.[1];
      if (sha256 !== undefined) await this.#sendMedia(request, response, sha256);
      else if (path.startsWith("/stream/")) await this.#sendStream(request, response, path.slice("/stream/".length));
      else if (path.startsWith("/player/")) await this.#sendPage(request, response, path);
      else refuse(response, 404);
    } catch (error) {
      // A browser that seeks or goes away cuts the stream: that is its right.
      if (!isAbort(error) && !isCutOff(error)) this.#options.log.warn({ reason: reasonOf(error) }, "the page was not served");
      response.destroy();
    }
  }

  async #sendMedia(request: IncomingMessage, response: ServerResponse, sha256: string): Promise<void> {
    const media = this.#options.media(sha256);
    if (media === null) return refuse(response, 404);
    const file = await send(request, media.name, {
      root: media.folder,
      contentType: false,
      cacheControl: false,
      lastModified: false,
      etag: false,
    });
    response.writeHead(file.statusCode, {
      ...file.headers,
      "content-type": media.mimeType,
      // The name is the hash of the bytes; the browser's own disk cache would only wear the card.
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      // An SVG that is led to by itself is a document: it may run and load nothing.
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    });
    await pipeline(file.stream, response);
  }

  async #sendStream(request: IncomingMessage, response: ServerResponse, key: string): Promise<void> {
    const source = this.#options.stream(key);
    if (source === null) return refuse(response, 404);
    await sendStream(request, response, source, this.#options.outboundHttp);
  }

  async #sendPage(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const file = await send(request, path, {
      root: this.#options.rendererFolder,
      dotfiles: "deny",
      cacheControl: false,
    });
    response.writeHead(file.statusCode, {
      ...file.headers,
      "content-security-policy": pagePolicy,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
    });
    await pipeline(file.stream, response);
  }

  #isOurs(request: IncomingMessage): boolean {
    const site = request.headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin" && site !== "none") return false;
    return `http://${request.headers.host}` === this.#origin && this.#hasSecret(request.headers.cookie ?? "");
  }

  #hasSecret(header: string): boolean {
    const secret = Buffer.from(this.#secret);
    return header.split(/;\s*/).some((cookie) => {
      if (!cookie.startsWith(`${cookieName}=`)) return false;
      const given = Buffer.from(cookie.slice(cookieName.length + 1));
      return given.length === secret.length && timingSafeEqual(given, secret);
    });
  }

  #welcome(page: WebSocket): void {
    const { clock, log } = this.#options;
    this.#socket?.terminate();
    this.#socket = page;
    page.on("message", (raw) => {
      const arrived = clock.now();
      const message = parsePage(messageText(raw));
      if (message === null) return log.warn("ignored a message of the page that is not understood");
      if (message.type === "clock") return this.#send({ type: "clock", t0: message.t0, now: arrived });
      this.#note(message);
      for (const listener of this.#listeners) listener(message);
    });
    page.on("error", (error) => log.warn({ reason: reasonOf(error) }, "the page's socket failed"));
    page.on("close", () => {
      if (this.#socket !== page) return;
      this.#socket = null;
      this.#page.set({ is: "away", since: clock.monotonic() });
    });
  }

  #note(message: FromPage): void {
    const now = this.#options.clock.monotonic();
    if (message.type === "hello") {
      this.#page.set({ is: "here", since: now, viewport: message.viewport, lastFrameAt: null });
      this.#send({ type: "scene", scene: this.#scene });
    } else if (provesFrame(message) && this.#page.value.is === "here") {
      this.#page.set({ ...this.#page.value, lastFrameAt: now });
    }
  }

  #send(message: ToPage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

/** An address of 127.0.0.0/8 that nobody else on this machine is likely to serve. */
function hostOf(owner: string): string {
  const digest = createHash("sha256").update(`surface of ${owner}`).digest();
  return `127.${[...digest.subarray(0, 3)].map((byte) => 1 + (byte % 254)).join(".")}`;
}

/** Listens at the first of these places that this machine has and that is free. */
async function listenAtFirst(server: Server, [place, ...others]: readonly { host: string; port: number }[]): Promise<void> {
  try {
    server.listen(place);
    await once(server, "listening");
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && (error.code === "EADDRNOTAVAIL" || error.code === "EADDRINUSE");
    if (!isTaken || others.length === 0) throw error;
    await listenAtFirst(server, others);
  }
}

/** Whether a report says that a frame was really presented just now. */
function provesFrame(message: FromPage): boolean {
  if (message.type === "beat") return message.frames > 0;
  return message.type === "presented" || message.type === "stage" || message.type === "screen";
}

function parsePage(text: string): FromPage | null {
  try {
    return FromPage.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // not JSON: told apart from nothing, and logged by the caller
  }
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "text/plain", "x-content-type-options": "nosniff" }).end();
}

function isCutOff(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    (error.code === "ERR_STREAM_PREMATURE_CLOSE" || error.code === "ECONNRESET" || error.code === "EPIPE")
  );
}
