// The page for tests of hosts: a loopback server that requires a cookie and runs scripts in the page.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { randomBytes } from "node:crypto";
import type { HostPage } from "../../src/player/host.ts";

/** The four quadrants of the page, clockwise from the top left. Far from white, black and each other. */
export const colours = [
  [0, 170, 51],
  [200, 30, 30],
  [30, 60, 200],
  [190, 150, 0],
] as const;

const hanging = "/hanging";
const frozen = "/frozen";
const late = "/late";
const framesDrawn = "/frames-drawn";

/** A page that runs a test's scripts. */
export interface TestPageServer extends AsyncDisposable {
  page: HostPage;
  /** The same page, but its first frames are drawn before its coloured quadrants arrive. */
  latePage: HostPage;
  /** The paths of all requests, in order. */
  addresses: string[];
  /** Runs a script in the page and resolves with its value. Runs it again if the page is reloaded meanwhile. */
  run(script: string): Promise<unknown>;
  /** Runs a script that does not return, such as one that leaves the page. Resolves once the page has received it. */
  start(script: string): Promise<void>;
  /** Runs an endless loop in the page. Resolves once the page is in it. */
  hang(): Promise<void>;
  /** Stops the page's scripts. Resolves once they have stopped, with a function that lets them continue. */
  freeze(): Promise<() => void>;
  /** Delays the page's stylesheet until the returned function is called. */
  holdStyle(): () => void;
}

interface PendingScript {
  script: string;
  /** Whether the script is not repeated after a reload. */
  once: boolean;
  taken(): void;
  done(value: unknown): void;
}

export async function startTestPageServer(): Promise<TestPageServer> {
  const secret = randomBytes(16).toString("hex");
  const addresses: string[] = [];
  const queued: PendingScript[] = [];
  const taken = new Map<string, PendingScript>();
  let waiting: ServerResponse | undefined;
  let documents = 0;
  let drawn = Promise.withResolvers<void>();
  let styleReady = Promise.resolve();
  let hangs = Promise.withResolvers<void>();
  let freezes = Promise.withResolvers<() => void>();

  function sendNext(): void {
    if (waiting === undefined) return;
    const next = queued.shift();
    if (next === undefined) return;
    const id = randomBytes(4).toString("hex");
    taken.set(id, next);
    const response = waiting;
    waiting = undefined;
    response.end(JSON.stringify({ id, script: next.script }), () => next.taken());
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, "http://stage");
    addresses.push(request.url!);
    if (url.pathname === hanging) hangs.resolve();
    if (url.pathname === frozen) return freezes.resolve(() => void response.end());
    if (url.pathname === "/foreign") return void response.end("<title>foreign</title>");
    if (request.headers.cookie !== `stage=${secret}`) {
      response.statusCode = 403;
      return void response.end("no cookie");
    }
    if (url.pathname === "/script") {
      // A document that is being replaced would never run the script. The browser closes its request when it discards the document.
      if (url.searchParams.get("document") !== String(documents)) return;
      waiting = response;
      response.on("close", () => waiting === response && (waiting = undefined));
      return sendNext();
    }
    if (url.pathname === "/answer") {
      const value: unknown = JSON.parse(Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString());
      const id = url.searchParams.get("id")!;
      taken.get(id)?.done(value);
      taken.delete(id);
      return void response.end();
    }
    if (url.pathname === "/style.css") {
      await styleReady;
      response.setHeader("content-type", "text/css");
      return void response.end(style);
    }
    if (url.pathname === framesDrawn) {
      drawn.resolve();
      return void response.end();
    }
    if (url.pathname !== "/" && url.pathname !== late) {
      response.statusCode = 404;
      return void response.end();
    }
    // A new document runs the scripts that the previous one received but did not finish.
    queued.unshift(...[...taken.values()].filter(({ once: only }) => !only));
    taken.clear();
    waiting = undefined;
    documents += 1;
    response.setHeader("content-type", "text/html");
    if (url.pathname === late) {
      drawn = Promise.withResolvers();
      response.write(headOf(tellFramesDrawn));
      await drawn.promise;
      return void response.end(bodyOf(documents));
    }
    response.end(headOf() + bodyOf(documents));
  }

  const server = createServer((request, response) => void respond(request, response));
  server.listen(0);
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const enqueue = (script: string, only: boolean): { taken: Promise<void>; done: Promise<unknown> } => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const result = Promise.withResolvers<unknown>();
    queued.push({ script, once: only, taken: resolve, done: result.resolve });
    sendNext();
    return { taken: promise, done: result.promise };
  };
  return {
    page: { url, cookie: { name: "stage", value: secret } },
    latePage: { url: new URL(late, url).href, cookie: { name: "stage", value: secret } },
    addresses,
    run: (script) => enqueue(script, false).done,
    start: (script) => enqueue(script, true).taken,
    hang: async () => {
      hangs = Promise.withResolvers<void>();
      // The same task requests and loops.
      await enqueue(`fetch("${hanging}"); for (;;);`, true).taken;
      await hangs.promise;
    },
    freeze: async () => {
      freezes = Promise.withResolvers<() => void>();
      await enqueue(`const request = new XMLHttpRequest(); request.open("GET", "${frozen}", false); request.send();`, true).taken;
      return await freezes.promise;
    },
    holdStyle: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      styleReady = promise;
      return resolve;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The number of pixels of a screen's picture (four bytes each: blue, green, red, unused) that differ from the page. */
export function countForeignPixels(picture: Buffer, stride: number, width: number, height: number): number {
  const wanted = colours.map(([red, green, blue]) => (red << 16) | (green << 8) | blue);
  const pixels = new Uint32Array(picture.buffer, picture.byteOffset, picture.byteLength / 4);
  let foreign = 0;
  for (let y = 0; y < height; y++) {
    const [left, right] = y < height / 2 ? [wanted[0], wanted[1]] : [wanted[3], wanted[2]];
    for (let x = 0, at = (y * stride) / 4; x < width; x++, at++) {
      if ((pixels[at]! & 0xffffff) !== (x < width / 2 ? left : right)) foreign++;
    }
  }
  return foreign;
}

const quadrants = colours.map((rgb, at) => {
  const left = at === 1 || at === 2 ? "50%" : "0";
  const top = at >= 2 ? "50%" : "0";
  return `<i style="left:${left};top:${top};background:rgb(${rgb.join()})"></i>`;
});

const style = "html,body{margin:0;height:100%;overflow:hidden;cursor:none}i{position:absolute;width:50%;height:50%}";
const tellFramesDrawn = `<body><script>requestAnimationFrame(() => requestAnimationFrame(() => fetch("${framesDrawn}")))</script>`;
const headOf = (script = ""): string => `<!doctype html><title>stage</title>
<link rel="stylesheet" href="/style.css">${script}`;
/** @param document its number */
const bodyOf = (document: number): string => `
${quadrants.join("")}
<script type="module">
  for (;;) {
    const answer = await fetch("/script?document=${document}");
    const { id, script } = await answer.json();
    let value;
    try { value = await (0, eval)(script) } catch (error) { value = "error: " + error }
    await fetch("/answer?id=" + id, { method: "POST", body: JSON.stringify(value ?? null) });
  }
</script>`;
