// Plays the role of the player: serves the built page and a folder of media on loopback, and sends scenes over the socket.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { rendererFolder as builtRenderer } from "../../../src/main/folders.ts";
import type { Scene } from "../../../src/protocol/scene.ts";
import { FromPage, type ToPage } from "../../../src/protocol/page-messages.ts";
import { waitUntil } from "../polling.ts";

/** The strictest content security policy that the page has to work with. */
const pagePolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".mp3": "audio/mpeg",
  ".pdf": "application/pdf",
  ".ttf": "font/ttf",
  ".woff2": "font/woff2",
  ".mjs": "text/javascript; charset=utf-8",
};

const clockResponses = 4;
const clockResponseGapMs = 15;
const speedUpStepMs = 50;

/** An offset in a file; nothing after it is sent until the gate is opened. */
export interface MediaGate {
  afterBytes: number;
  whenOpened: Promise<void>;
}

/** The server of a page under test. */
export interface PageServer extends AsyncDisposable {
  /** The page's URL. */
  readonly url: string;
  /** Everything the page sent, oldest first. */
  readonly messages: FromPage[];
  /** Added to this machine's time to get the corrected time. */
  clockOffsetMs: number;
  /** How long each response below /media is delayed. */
  mediaDelayMs: number;
  /** Holds back the rest of every media file after an offset. */
  mediaGate: MediaGate | null;
  /** The corrected wall time. */
  now(): number;
  /** Moves the corrected time, forward or back, and sends it to every page at once. */
  moveClock(byMs: number): Promise<void>;
  /** Moves the corrected time forward to `instant`; does nothing when that has passed. */
  advanceTo(instant: number): Promise<void>;
  /** Lets the corrected time run `factor` times as fast until `work` settles. */
  speedUp<T>(factor: number, work: Promise<T>): Promise<T>;
  /** Sends a scene to every page, and to each page that connects later. */
  draw(scene: Scene): void;
  /** Asks every page for the report `measured`. */
  measure(id: string): void;
  /** Resolves with the first message from index `from` on that passes; rejects when none arrives in time. */
  waitForMessage<T extends FromPage["type"]>(
    type: T,
    passes?: (message: Extract<FromPage, { type: T }>) => boolean,
    options?: { from?: number; timeoutMs?: number },
  ): Promise<Extract<FromPage, { type: T }>>;
  /** Closes every socket; the page reconnects. */
  dropConnections(): void;
  /** How many pages are connected. */
  connectionCount(): number;
}

/** Starts the server on a free port of 127.0.0.1. */
export async function startPageServer(mediaFolder: string, rendererFolder = builtRenderer): Promise<PageServer> {
  const messages: FromPage[] = [];
  const sockets = new Set<WebSocket>();
  /** How far each page's own clock is ahead of this process's, less the time that its quickest request took to arrive. */
  const pageClockLeads = new Map<WebSocket, number>();
  let scene: Scene = { screen: { is: "starting" }, identify: null };

  const http = createServer((request, response) => {
    void answer(request, response, { mediaFolder, rendererFolder, mediaDelayMs: server.mediaDelayMs, mediaGate: server.mediaGate });
  });
  const ws = new WebSocketServer({ server: http, path: "/scene" });
  ws.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      pageClockLeads.delete(socket);
    });
    socket.on("message", (data: Buffer) => {
      const message = FromPage.parse(JSON.parse(data.toString("utf8")));
      messages.push(message);
      if (message.type === "hello") send(socket, { type: "scene", scene });
      if (message.type !== "clock") return;
      send(socket, { type: "clock", t0: message.t0, now: server.now() });
      const lead = message.t0 - performance.now();
      pageClockLeads.set(socket, Math.max(lead, pageClockLeads.get(socket) ?? lead));
    });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const { port } = http.address() as AddressInfo;

  /** Sends the time to every page, as if each had just requested it. */
  const sendTime = (): void => {
    for (const [socket, lead] of pageClockLeads) send(socket, { type: "clock", t0: performance.now() + lead, now: server.now() });
  };
  const server: PageServer = {
    url: `http://127.0.0.1:${port}/player/`,
    messages,
    clockOffsetMs: 0,
    mediaDelayMs: 0,
    mediaGate: null,
    now: () => performance.timeOrigin + performance.now() + server.clockOffsetMs,
    async moveClock(byMs) {
      await waitUntil("a page has asked for the time", () => pageClockLeads.size > 0);
      server.clockOffsetMs += byMs;
      // The page uses the quickest of several responses.
      for (let response = 0; response < clockResponses; response += 1) {
        sendTime();
        await wait(clockResponseGapMs);
      }
    },
    async advanceTo(instant) {
      if (instant > server.now()) await server.moveClock(instant - server.now());
    },
    async speedUp(factor, work) {
      const timer = setInterval(() => {
        server.clockOffsetMs += (factor - 1) * speedUpStepMs;
        sendTime();
      }, speedUpStepMs);
      return work.finally(() => clearInterval(timer));
    },
    draw(next) {
      scene = next;
      for (const socket of sockets) send(socket, { type: "scene", scene });
    },
    measure(id) {
      for (const socket of sockets) send(socket, { type: "measure", id });
    },
    async waitForMessage(type, passes = () => true, { from = 0, timeoutMs = 20_000 } = {}) {
      const until = performance.now() + timeoutMs;
      type Wanted = Extract<FromPage, { type: typeof type }>;
      const wanted = (message: FromPage): message is Wanted => message.type === type && passes(message as Wanted);
      for (;;) {
        const found = messages.slice(from).find(wanted);
        if (found !== undefined) return found;
        if (performance.now() > until) {
          const seen = messages.slice(from).filter((message) => message.type !== "beat" && message.type !== "clock");
          throw new Error(`No such "${type}" within ${timeoutMs} ms; received ${JSON.stringify(seen.slice(-8))}`);
        }
        await wait(5);
      }
    },
    dropConnections() {
      for (const socket of sockets) socket.terminate();
    },
    connectionCount: () => sockets.size,
    async [Symbol.asyncDispose]() {
      server.dropConnections();
      ws.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => {
        http.close(() => resolve());
      });
    },
  };
  return server;
}

function send(socket: WebSocket, message: ToPage): void {
  socket.send(JSON.stringify(message));
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  {
    mediaFolder,
    rendererFolder,
    mediaDelayMs,
    mediaGate,
  }: { mediaFolder: string; rendererFolder: string; mediaDelayMs: number; mediaGate: MediaGate | null },
): Promise<void> {
  const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
  const isMedia = path.startsWith("/media/");
  if (isMedia) await wait(mediaDelayMs);
  const file = isMedia
    ? join(mediaFolder, path.slice("/media/".length))
    : join(rendererFolder, path === "/player/" ? "player/index.html" : path);
  const size = await sizeOf(file);
  if (size === null) {
    response.writeHead(404).end();
    return;
  }
  const headers = {
    "content-type": types[extname(file)] ?? "application/octet-stream",
    "content-security-policy": pagePolicy,
    "accept-ranges": "bytes",
  };
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const start = Number(range?.[1] ?? 0);
  const end = range?.[2] ? Math.min(Number(range[2]), size - 1) : size - 1;
  response.writeHead(range === null ? 200 : 206, {
    ...headers,
    "content-length": Math.max(0, end - start + 1),
    ...(range === null ? {} : { "content-range": `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === "HEAD" || size === 0) {
    response.end();
    return;
  }
  if (isMedia && mediaGate !== null && end >= mediaGate.afterBytes) {
    const before = Math.max(start, mediaGate.afterBytes);
    if (before > start) for await (const part of createReadStream(file, { start, end: before - 1 })) response.write(part);
    await mediaGate.whenOpened;
    createReadStream(file, { start: before, end }).on("error", () => response.destroy()).pipe(response); // prettier-ignore
    return;
  }
  createReadStream(file, { start, end })
    .on("error", () => response.destroy())
    .pipe(response);
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    const found = await stat(file);
    return found.isFile() ? found.size : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
