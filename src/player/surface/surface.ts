// The loopback server of the player's page: serves the page, verified media and streams, and accepts the page's WebSocket.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Watchable } from "../../base/async/observable.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, reasonOf, hasErrorCode } from "../../base/fault.ts";
import { createLoopbackServer } from "../../base/http/loopback-server.ts";
import type { OutboundHttp } from "../../base/http/outbound-http.ts";
import { repeatedHeader } from "../../base/http/repeated-header.ts";
import type { Log } from "../../base/log.ts";
import type { Scene } from "../../protocol/scene.ts";
import type { FromPage } from "../../protocol/page-messages.ts";
import type { HostPage, IframeFault } from "../host.ts";
import type { StreamSource } from "../../playback/scene-item.ts";
import { sendStream } from "../web-items/stream-proxy.ts";
import { listenOnLoopback } from "./loopback-listener.ts";
import { PageAccess } from "./page-access.ts";
import { PageConnection } from "./page-connection.ts";
import { sendMedia, sendPageFile, type MediaFile } from "./page-files.ts";
import { type PageState, reportPage } from "./page-state.ts";

export interface SurfaceOptions {
  /** Identifies the player. The page gets the same loopback host at each start, so framed sites find their stored data. */
  owner: string;
  /** Folder of the built page. */
  rendererFolder: string;
  /** The port to listen on if it is free; null for any. */
  port: number | null;
  /** The verified file with this SHA-256; null if there is none. */
  media(sha256: string): MediaFile | null;
  /** The stream with this key; null if no current item shows it. */
  stream(key: string): StreamSource | null;
  /** Fetches streams. */
  outboundHttp: OutboundHttp;
  clock: Clock;
  log: Log;
}

/** Serves one page to one browser. {@link PageAccess} rejects all other clients. */
export class Surface implements AsyncDisposable {
  readonly #options: SurfaceOptions;
  readonly #server: Server;
  readonly #access = new PageAccess();
  readonly #connection: PageConnection;
  #origin = "";

  private constructor(options: SurfaceOptions) {
    this.#options = options;
    this.#connection = new PageConnection(options.clock, options.log);
    this.#server = createLoopbackServer((request, response) => void this.#handle(request, response));
    this.#server.on("upgrade", (request, socket, head) => {
      socket.on("error", (error) => options.log.debug({ reason: reasonOf(error) }, "a socket of the page failed"));
      const isAllowed =
        this.#access.isAllowed(request, this.#origin) &&
        request.headers.origin === this.#origin &&
        repeatedHeader(request.rawHeaders) === null;
      if (isAllowed && request.url === "/scene") return this.#connection.accept(request, socket, head);
      // Destroyed once the response has been sent: the client might keep its side open for ever.
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n", () => socket.destroy());
    });
  }

  static async open(options: SurfaceOptions): Promise<Surface> {
    const surface = new Surface(options);
    surface.#origin = await listenOnLoopback(surface.#server, options.owner, options.port);
    return surface;
  }

  /** The page that a host opens. */
  get hostPage(): HostPage {
    return { url: `${this.#origin}/player/`, cookie: this.#access.cookie };
  }

  get page(): Watchable<PageState> {
    return this.#connection.state;
  }

  /** The heartbeat's share of the page. */
  report(): ReturnType<typeof reportPage> {
    return reportPage(this.page.value, this.#options.clock);
  }

  /** Shows `scene`. An equal scene is not sent again. A page that connects later gets the newest scene. */
  show(scene: Scene): void {
    this.#connection.show(scene);
  }

  /** Reports to the page that an iframe has painted (`null`) or failed. */
  sendIframeResult(frame: string, failure: { code: IframeFault; detail: string; crash_id?: string } | null): void {
    this.#connection.send({ type: "frame", frame, failure });
  }

  /** Asks the page for the report `measured` with this id. */
  measure(id: string): void {
    this.#connection.send({ type: "measure", id });
  }

  /** Calls `listener` with each report of the page until `signal` aborts. */
  onMessage(listener: (message: FromPage) => void, signal: AbortSignal): void {
    this.#connection.onMessage(listener, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const options = this.#options;
    try {
      if (!this.#access.isAllowed(request, this.#origin)) return reject(response, 403);
      if (request.method !== "GET" && request.method !== "HEAD") return reject(response, 405);
      const path = new URL(request.url ?? "/", this.#origin).pathname;
      const [, folder, key] = /^\/(media|stream)\/(.+)$/.exec(path) ?? [];
      if (folder === "media") {
        const file = /^[0-9a-f]{64}$/.test(key!) ? options.media(key!) : null;
        return file === null ? reject(response, 404) : await sendMedia(request, response, file);
      }
      if (folder === "stream") {
        const source = options.stream(key!);
        return source === null ? reject(response, 404) : await sendStream(request, response, source, options.outboundHttp);
      }
      return path.startsWith("/player/") ? await sendPageFile(request, response, path, options.rendererFolder) : reject(response, 404);
    } catch (error) {
      // A browser may close a connection at any time, such as when it seeks in a video.
      if (!isAbort(error) && !isDisconnect(error)) options.log.warn({ reason: reasonOf(error) }, "a request of the page failed");
      response.destroy();
    }
  }
}

function reject(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "text/plain", "x-content-type-options": "nosniff" }).end();
}

function isDisconnect(error: unknown): boolean {
  return hasErrorCode(error, "ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE");
}
