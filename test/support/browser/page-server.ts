// Plays the role of the player: serves the built page and a folder of media on loopback, and sends scenes over the socket.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { rendererFolder as builtRenderer } from "../../../src/main/folders.ts";
import type { Scene } from "../../../src/protocol/scene.ts";
import { FromPage, type ToPage } from "../../../src/protocol/page-messages.ts";

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
const pollMs = 5;

/** The time that passes for the server and its pages. Times in ms. */
export interface ServedTime {
  /** Wall time at which `elapsed` was 0. */
  readonly origin: number;
  /** How long a message of a page is waited for. */
  readonly limitMs: number;
  /** On a monotonic clock. */
  elapsed(): number;
  /** The page's performance.now() between two frames; null where the page's time runs by itself. */
  pageTime(): Promise<number | null>;
  /** Lets a short time pass, for a condition that is polled. */
  pass(): Promise<void>;
  /** Resolves `ms` later; where a test drives the time, it drives it by `ms`. */
  advance(ms: number): Promise<void>;
  /** Resolves `ms` later, while others let the time pass. */
  wait(ms: number): Promise<void>;
}

/** The time of this machine. */
const machineTime: ServedTime = {
  origin: performance.timeOrigin,
  // It only ends what hangs: the machine may be as slow as it likes.
  limitMs: 300_000,
  elapsed: () => performance.now(),
  pageTime: () => Promise.resolve(null),
  pass: () => delay(pollMs),
  advance: (ms) => delay(ms),
  wait: (ms) => delay(ms),
};

/** An offset in a file; nothing after it is sent until the gate is opened. */
export interface MediaGate {
  afterBytes: number;
  whenOpened: Promise<void>;
}

/** Counts, so that a test can wait until nothing is on its way. */
export interface Traffic {
  /** Responses that are being sent. */
  responses: number;
  /** Responses that a test holds back. */
  held: number;
  /** Messages to and from the page that connected last, since it did. */
  sent: number;
  received: number;
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
  /** Names of media files whose requests get no response. */
  readonly silentMedia: Set<string>;
  /** What is on its way to a page or from it. */
  readonly traffic: Traffic;
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
    options?: { from?: number },
  ): Promise<Extract<FromPage, { type: T }>>;
  /** Closes every socket; the page reconnects. */
  dropConnections(): void;
  /** How many pages are connected. */
  connectionCount(): number;
}

/** Starts the server on a free port of 127.0.0.1. */
export async function startPageServer(mediaFolder: string, rendererFolder = builtRenderer, time = machineTime): Promise<PageServer> {
  const messages: FromPage[] = [];
  const sockets = new Set<WebSocket>();
  /** How far each page's own clock is ahead of this process's, less the time that its quickest request took to arrive. */
  const pageClockLeads = new Map<WebSocket, number>();
  let scene: Scene = { screen: { is: "starting" }, identify: null };
  let newest: WebSocket | null = null;
  const send = (socket: WebSocket, message: ToPage): void => {
    if (socket === newest) server.traffic.sent += 1;
    socket.send(JSON.stringify(message));
  };

  const http = createServer((request, response) => {
    void answer(request, response, { mediaFolder, rendererFolder, server, time });
  });
  const ws = new WebSocketServer({ server: http, path: "/scene" });
  ws.on("connection", (socket) => {
    sockets.add(socket);
    newest = socket;
    server.traffic.sent = server.traffic.received = 0;
    socket.on("close", () => {
      sockets.delete(socket);
      pageClockLeads.delete(socket);
    });
    socket.on("message", (data: Buffer) => {
      const message = FromPage.parse(JSON.parse(data.toString("utf8")));
      messages.push(message);
      if (socket === newest) server.traffic.received += 1;
      if (message.type === "hello") send(socket, { type: "scene", scene });
      if (message.type !== "clock") return;
      void time.pageTime().then((pageTime) => {
        // With the page's time of now its request takes no time, and the answer is exact.
        const t0 = pageTime ?? message.t0;
        send(socket, { type: "clock", t0, now: server.now() });
        const lead = t0 - time.elapsed();
        pageClockLeads.set(socket, Math.max(lead, pageClockLeads.get(socket) ?? lead));
      });
    });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const { port } = http.address() as AddressInfo;

  /** Sends the time to every page, as if each had just requested it. */
  const sendTime = (): void => {
    for (const [socket, lead] of pageClockLeads) send(socket, { type: "clock", t0: time.elapsed() + lead, now: server.now() });
  };
  const server: PageServer = {
    url: `http://127.0.0.1:${port}/player/`,
    messages,
    clockOffsetMs: 0,
    mediaDelayMs: 0,
    mediaGate: null,
    silentMedia: new Set(),
    traffic: { responses: 0, held: 0, sent: 0, received: 0 },
    now: () => time.origin + time.elapsed() + server.clockOffsetMs,
    async moveClock(byMs) {
      // A page has to have asked for the time.
      while (pageClockLeads.size === 0) await time.pass();
      server.clockOffsetMs += byMs;
      // The page uses the quickest of several responses.
      for (let response = 0; response < clockResponses; response += 1) {
        sendTime();
        await time.advance(clockResponseGapMs);
      }
    },
    async advanceTo(instant) {
      if (instant > server.now()) await server.moveClock(instant - server.now());
    },
    async speedUp(factor, work) {
      let isOver = false;
      const over = work.finally(() => (isOver = true));
      over.catch(() => undefined); // The caller gets the failure below.
      while (!isOver) {
        await Promise.race([over.catch(() => undefined), time.wait(speedUpStepMs)]);
        server.clockOffsetMs += (factor - 1) * speedUpStepMs;
        sendTime();
      }
      return over;
    },
    draw(next) {
      scene = next;
      for (const socket of sockets) send(socket, { type: "scene", scene });
    },
    measure(id) {
      for (const socket of sockets) send(socket, { type: "measure", id });
    },
    async waitForMessage(type, passes = () => true, { from = 0 } = {}) {
      const end = time.elapsed() + time.limitMs;
      type Wanted = Extract<FromPage, { type: typeof type }>;
      const wanted = (message: FromPage): message is Wanted => message.type === type && passes(message as Wanted);
      for (;;) {
        const found = messages.slice(from).find(wanted);
        if (found !== undefined) return found;
        if (time.elapsed() > end) {
          const seen = messages.slice(from).filter((message) => message.type !== "beat" && message.type !== "clock");
          throw new Error(`No such "${type}" within ${time.limitMs} ms; received ${JSON.stringify(seen.slice(-8))}`);
        }
        await time.pass();
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

interface Served {
  mediaFolder: string;
  rendererFolder: string;
  server: PageServer;
  time: ServedTime;
}

async function answer(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  const { mediaFolder, rendererFolder, server, time } = served;
  const { traffic, mediaGate, silentMedia } = server;
  const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
  const isMedia = path.startsWith("/media/");
  const name = path.slice("/media/".length);
  traffic.responses += 1;
  response.once("close", () => (traffic.responses -= 1));
  const hold = async (until: Promise<void>): Promise<void> => {
    traffic.responses -= 1;
    traffic.held += 1;
    await until;
    traffic.held -= 1;
    traffic.responses += 1;
  };
  if (isMedia && silentMedia.has(name)) return hold(new Promise((resolve) => response.once("close", resolve)));
  if (isMedia && server.mediaDelayMs > 0) await hold(time.wait(server.mediaDelayMs));
  const file = isMedia ? join(mediaFolder, name) : join(rendererFolder, path === "/player/" ? "player/index.html" : path);
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
  let from = start;
  if (isMedia && mediaGate !== null && end >= mediaGate.afterBytes) {
    from = Math.max(start, mediaGate.afterBytes);
    if (from > start) for await (const part of createReadStream(file, { start, end: from - 1 })) response.write(part);
    await hold(mediaGate.whenOpened);
  }
  createReadStream(file, { start: from, end })
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
