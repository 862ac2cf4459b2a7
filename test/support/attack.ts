// A page that tries to reach an address by every kind of request, and listeners that record what arrives.
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";

/** Listeners on all addresses of this machine that a test may use. */
export interface ProbeListeners extends AsyncDisposable {
  port: number;
  /** The path of each request received, upgrades included, in order. */
  requestedPaths: string[];
  /** How many connections and datagrams have arrived. */
  arrivals(): { connections: number; datagrams: number };
}

/** The network addresses of this machine without link-local ones. */
export const ownAddresses: readonly string[] = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .filter(({ internal, address }) => !internal && !address.startsWith("fe80"))
  .map(({ address }) => address);

/** Listens on one port of loopback and of the machine's own addresses, by TCP and UDP. Responds to every request and allows every origin to read the response. */
export async function startProbeListeners(): Promise<ProbeListeners> {
  const paths: string[] = [];
  let connections = 0;
  let datagrams = 0;
  const servers: Server[] = [];
  const sockets: UdpSocket[] = [];
  let port = 0;
  for (const address of ["127.0.0.1", "127.0.0.9", "::1", ...ownAddresses]) {
    const server = createServer((request, response) => {
      paths.push(request.url ?? "");
      const isEvents = request.url?.endsWith("/events") === true;
      response
        .writeHead(200, { "access-control-allow-origin": "*", "content-type": isEvents ? "text/event-stream" : "text/javascript" })
        .end("");
    });
    server.on("connection", () => connections++);
    server.on("upgrade", (request, socket) => {
      paths.push(request.url ?? "");
      socket.destroy();
    });
    server.listen(port, address);
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
    servers.push(server);
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    socket.on("message", () => datagrams++);
    socket.bind(port, address);
    await once(socket, "listening");
    sockets.push(socket);
  }
  return {
    port,
    requestedPaths: paths,
    arrivals: () => ({ connections, datagrams }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.close();
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };
}

// For each kind of request a script that requests `url`, which is unique, and returns a promise of its end. The most different kinds come first.
const kinds = {
  fetch: "fetch(url, { mode: 'no-cors' })",
  post: "fetch(url, { method: 'POST', mode: 'no-cors', body: 'x' })",
  socket: "new Promise((done) => { new WebSocket(url.replace('http', 'ws')).onclose = done })",
  frame: "loaded(added('iframe', { src: url }))",
  "image-redirect": "loaded(Object.assign(new Image(), { src: '/go?' + encodeURIComponent(url) }))",
  worker: "worker('fetch(url, { mode: \"no-cors\" })')",
  "keep-alive": "fetch(url, { mode: 'no-cors', keepalive: true })",
  cors: "fetch(url)",
  xhr: "new Promise((done) => { const request = new XMLHttpRequest(); request.onloadend = done; request.open('GET', url); request.send() })",
  beacon: "Promise.resolve(navigator.sendBeacon(url, 'x'))",
  image: "loaded(Object.assign(new Image(), { src: url }))",
  style: "loaded(added('link', { rel: 'stylesheet', href: url }))",
  css: "Promise.resolve(added('style', { textContent: `@import url(${url}?import); body { background: url(${url}) }` }))",
  script: "loaded(added('script', { src: url }))",
  module: "import(url)",
  font: "new FontFace('x', `url(${url})`).load()",
  video: "loaded(added('video', { src: url, preload: 'auto' }))",
  object: "loaded(added('object', { data: url }))",
  embed: "loaded(added('embed', { src: url }))",
  form: `loaded((() => {
    const frame = added('iframe', { name: 'form-' + Math.random() });
    added('form', { action: url, method: 'post', target: frame.name }).submit();
    return frame;
  })())`,
  meta: "loaded(added('iframe', { src: '/meta?' + encodeURIComponent(url) }))",
  "fetch-redirect": "fetch('/go?' + encodeURIComponent(url), { mode: 'no-cors' })",
  "frame-redirect": "loaded(added('iframe', { src: '/go?' + encodeURIComponent(url) }))",
  events: "new Promise((done) => { const source = new EventSource(url); source.onopen = source.onerror = () => done(source.close()) })",
  prefetch: "loaded(added('link', { rel: 'prefetch', href: url }))",
  preload: "loaded(added('link', { rel: 'preload', as: 'image', href: url }))",
  "worker-script": "worker('importScripts(url)')",
  "worker-socket": 'worker(\'new Promise((done) => { new WebSocket(url.replace("http", "ws")).onclose = done })\')',
  shared: "asked(new SharedWorker('/shared.js').port)",
  service: "navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready).then(({ active }) => asked(active))",
} as const;

// These send no path, or the browser blocks them itself.
const silentKinds = {
  preconnect: "Promise.resolve(added('link', { rel: 'preconnect', href: url }))",
  popup: "Promise.resolve(window.open(url))",
  transport: "new WebTransport(url.replace('http:', 'https:')).ready",
  stun: "ice('stun:' + new URL(url).host)",
  turn: "ice('turn:' + new URL(url).host)",
  "turn-tcp": "ice('turn:' + new URL(url).host + '?transport=tcp')",
} as const;

/** The kinds of request whose path arrives. */
export const tracedKinds: readonly string[] = Object.keys(kinds);

const helpers = `
const added = (tag, given) => { const element = Object.assign(document.createElement(tag), given); document.body.append(element); return element };
const loaded = (element) => new Promise((done) => { element.onload = element.onerror = element.onloadeddata = done });
const asked = (target) => new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = done;
  target.postMessage(url, [port2]);
});
const worker = (script) => new Promise((done) => {
  const source = "const url = " + JSON.stringify(url) + "; Promise.resolve().then(() => " + script + ").then(() => postMessage(1), () => postMessage(0))";
  const made = new Worker(URL.createObjectURL(new Blob([source])));
  made.onmessage = made.onerror = done;
});
const ice = (urls) => new Promise(async (done) => {
  const connection = new RTCPeerConnection({ iceServers: [{ urls, username: "x", credential: "x" }] });
  connection.createDataChannel("x");
  connection.onicegatheringstatechange = () => connection.iceGatheringState === "complete" && done();
  await connection.setLocalDescription();
});`;

const answering = `const answer = async ({ data, ports }) => { try { await fetch(data, { mode: "no-cors" }) } catch {} ports[0].postMessage(1) };`;

/** A page that requests paths below `/<name>/` from each target, such as `http://localhost:1`, and then `/done` from its own server. */
function attackPage(targets: Readonly<Record<string, string>>, maxKinds: number): string {
  const calls = Object.entries(targets).flatMap(([name, target]) =>
    Object.entries({ ...kinds, ...silentKinds })
      .slice(0, maxKinds)
      .map(([kind, script]) => `(url) => { ${helpers}; return ${script} }, ${JSON.stringify(`${target}/${name}/${kind}`)}`),
  );
  // Some kinds never report their end, such as an unaccepted connection.
  return `<!doctype html><title>attack</title><body style="background:lime"><h1>attack</h1><script type="module">
    const attempt = (call, url) => Promise.race([
      Promise.try(call, url).catch(() => 0),
      new Promise((done) => setTimeout(done, 2000)),
    ]);
    const calls = [${calls.map((call) => `[${call}]`).join(",\n")}];
    const work = async () => { for (let call = calls.shift(); call !== undefined; call = calls.shift()) await attempt(...call) };
    await Promise.all(Array.from({ length: 16 }, work));
    await fetch("/done");
  </script>`;
}

/** The site with the attacking pages. */
export interface Attacker extends AsyncDisposable {
  origin: string;
  /** How many attacks have ended. */
  ended: number;
  /** The URL of a page that attacks each of these targets in the first `maxKinds` ways. The target's name is in the path of each request. */
  attack(targets: Readonly<Record<string, string>>, maxKinds?: number): string;
}

/** Serves attacking pages on a host of 127.0.0.0/8, and redirects by status (`/go?<url>`), by a meta tag (`/meta?`) and by a script (`/moves?`). */
export async function startAttacker(host: string): Promise<Attacker> {
  const pages = new Map<string, string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://attacker");
    const to = decodeURIComponent(url.search.slice(1));
    const page = pages.get(url.pathname);
    const script = { "content-type": "text/javascript" };
    const html = { "content-type": "text/html" };
    if (page !== undefined) response.writeHead(200, html).end(page);
    else if (url.pathname === "/go") response.writeHead(307, { location: to }).end();
    else if (url.pathname === "/meta") response.writeHead(200, html).end(`<meta http-equiv="refresh" content="0; url=${to}">`);
    else if (url.pathname === "/moves")
      response.writeHead(200, html).end(`<body><h1>x</h1><script>location.replace(${JSON.stringify(to)})</script>`);
    else if (url.pathname === "/shared.js")
      response.writeHead(200, script).end(`${answering} onconnect = ({ ports: [port] }) => { port.onmessage = answer }`);
    else if (url.pathname === "/service.js")
      response.writeHead(200, script).end(`${answering} onmessage = (event) => event.waitUntil(answer(event))`);
    else {
      if (url.pathname === "/done") attacker.ended++;
      response.writeHead(200, html).end("");
    }
  });
  server.listen(0, host);
  await once(server, "listening");
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  const attacker: Attacker = {
    origin,
    ended: 0,
    attack: (targets, maxKinds = Number.POSITIVE_INFINITY) => {
      const path = `/attack/${pages.size}`;
      pages.set(path, attackPage(targets, maxKinds));
      return `${origin}${path}`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return attacker;
}
