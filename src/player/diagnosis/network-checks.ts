// The checks of a diagnosis that follow the way to the service: names, connection, certificate, proxy, responses, socket, bandwidth.
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Clock } from "../../base/clock.ts";
import { type Network, proxyFor } from "../../base/http/network.ts";
import { hostOf, portOf } from "../../base/http/url-host.ts";
import { dayMs, iso } from "../../base/time.ts";
import { diagnoseConnectivity } from "../link/connectivity-diagnosis.ts";
import type { Link } from "../link/impairment.ts";
import type { ServiceApi } from "../link/service-api.ts";
import { type Check, failed, type Finding, ok, skipped, warning } from "./checks.ts";

export interface NetworkChecksDependencies {
  api: ServiceApi;
  clock: Clock;
  /** The machine's wall clock, by which certificates are judged. */
  machineTime: () => number;
  /** The state of the device's connection; null while the player is not paired. */
  link: () => Link | null;
}

const limitMs = 10_000;
const bandwidthMs = 5_000;
const maxDownloadBytes = 5_000_000;
const certificateWarningMs = 14 * dayMs;
// A slower line takes more than a minute for a picture of 5 MB.
const slowBitsPerS = 500_000;

export function networkChecks({ api, clock, machineTime, link }: NetworkChecksDependencies): readonly Check[] {
  const { network } = api;
  const explain = (error: unknown): Finding => failed(diagnoseConnectivity(error, api.server, machineTime(), null).text);
  const explained = (run: Check["run"]): Check["run"] => {
    return (signal) => run(signal).catch((error: unknown) => explain(error));
  };
  return [
    { name: "dns", limitMs, run: explained(() => checkName(api.server, network)) },
    { name: "proxy", limitMs, run: explained((signal) => checkProxy(api.server, network, signal)) },
    { name: "connection", limitMs, run: explained((signal) => checkConnection(api.server, network, clock, signal)) },
    { name: "certificate", limitMs, run: explained((signal) => checkCertificate(api.server, network, machineTime(), signal)) },
    { name: "http", limitMs, run: explained((signal) => checkHttp(api, clock, signal)) },
    { name: "captive_portal", limitMs, run: (signal) => checkPortal(api, signal) },
    { name: "websocket", limitMs, run: async () => describeLink(link()) },
    { name: "bandwidth", limitMs, run: explained((signal) => measureBandwidth(api, clock, signal)) },
  ];
}

async function checkName(server: URL, network: Network): Promise<Finding> {
  const host = hostOf(server);
  if (isIP(host) !== 0) return skipped(`${host} is an address`);
  if ((await proxyFor(network, server)) !== null) return skipped("the network's proxy resolves the name");
  const addresses = await lookup(host, { all: true });
  return ok(`${host}: ${addresses.map(({ address }) => address).join(", ")}`);
}

async function checkProxy(server: URL, network: Network, signal: AbortSignal): Promise<Finding> {
  const proxy = await proxyFor(network, server);
  if (proxy === null) return skipped("none is used for the service");
  using _ = disposing(await openTcp(proxy.host, proxy.port, signal));
  return ok(`${proxy.host}:${proxy.port} accepts connections`);
}

async function checkConnection(server: URL, network: Network, clock: Clock, signal: AbortSignal): Promise<Finding> {
  if ((await proxyFor(network, server)) !== null) return skipped("connections go through the network's proxy");
  const startedAt = clock.monotonic();
  using _ = disposing(await openTcp(hostOf(server), portOf(server), signal));
  return ok(`${server.host} accepted a connection after ${Math.round(clock.monotonic() - startedAt)} ms`);
}

async function checkCertificate(server: URL, network: Network, now: number, signal: AbortSignal): Promise<Finding> {
  if (server.protocol !== "https:") return skipped("the service is used without TLS");
  if ((await proxyFor(network, server)) !== null) return skipped("connections go through the network's proxy; see http");
  const host = hostOf(server);
  const name = isIP(host) === 0 ? { servername: host } : {};
  // This check looks for invalid certificates. Nothing is sent over the connection.
  const secureContext = network.certificates();
  const socket = connectTls({ host, port: portOf(server), secureContext, rejectUnauthorized: false, ...name });
  using _ = disposing(socket);
  await once(socket, "secureConnect", { signal });
  return judgeCertificate(socket, server, now);
}

function judgeCertificate(socket: TLSSocket, server: URL, now: number): Finding {
  const { valid_from, valid_to, issuer } = socket.getPeerCertificate();
  const dates = `${socket.getProtocol() ?? "TLS"}, issued by ${String(issuer?.O ?? issuer?.CN ?? "unknown")}, valid from ${dateOf(valid_from)} to ${dateOf(valid_to)}`;
  if (!socket.authorized) {
    const code = socket.authorizationError instanceof Error ? socket.authorizationError.message : String(socket.authorizationError);
    const error = Object.assign(new Error(code), { code });
    return failed(`${diagnoseConnectivity(error, server, now, null).text} (${dates})`);
  }
  const leftMs = Date.parse(valid_to) - now;
  return leftMs < certificateWarningMs ? warning(`${dates}: ${Math.floor(leftMs / dayMs)} days are left`) : ok(dates);
}

function dateOf(text: string): string {
  const at = Date.parse(text);
  return Number.isNaN(at) ? "unknown" : iso(at).slice(0, 10);
}

async function checkHttp(api: ServiceApi, clock: Clock, signal: AbortSignal): Promise<Finding> {
  const startedAt = clock.monotonic();
  const response = await api.open(readyPath, signal);
  await response.body.dump();
  const tookMs = Math.round(clock.monotonic() - startedAt);
  if (response.statusCode === 200) return ok(`the service is ready and responded after ${tookMs} ms`);
  return failed(`${api.server.host} responded with ${response.statusCode} after ${tookMs} ms`);
}

const readyPath = "/readyz";
const documentPath = "/api/v1/openapi.json";

/** A network that wants a login answers in the service's place: with a page, or with a redirect to one. */
async function checkPortal(api: ServiceApi, signal: AbortSignal): Promise<Finding> {
  const response = await api.open(readyPath, signal).catch(() => null);
  if (response === null) return skipped("nothing responds; see http");
  await response.body.dump();
  const { statusCode, headers } = response;
  const isService = String(headers["content-type"]).includes("json");
  if (isService) return ok("the service itself responds");
  const place = headers["location"] === undefined ? "" : ` and refers to ${String(headers["location"]).slice(0, 200)}`;
  return failed(`something else responds in the service's place, with ${statusCode}${place}: the network may want a login`);
}

function describeLink(link: Link | null): Finding {
  if (link === null) return skipped("the screen is not paired");
  switch (link.is) {
    case "online":
      return ok("connected");
    case "connecting":
      return warning("connecting");
    case "polling":
      return warning(`blocked, so the screen polls: ${link.reason}`);
    case "offline":
      return failed(link.trouble.text);
  }
}

/** Downloads the API's description, which any service has, until it ends or a limit is reached. */
async function measureBandwidth(api: ServiceApi, clock: Clock, signal: AbortSignal): Promise<Finding> {
  const response = await api.open(documentPath, signal);
  const startedAt = clock.monotonic();
  let bytes = 0;
  for await (const part of response.body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes >= maxDownloadBytes || clock.monotonic() - startedAt >= bandwidthMs) break;
  }
  if (response.statusCode !== 200) return skipped(`the service responded with ${response.statusCode}`);
  const seconds = Math.max(1, clock.monotonic() - startedAt) / 1_000;
  const bitsPerS = (bytes * 8) / seconds;
  const text = `${(bitsPerS / 1e6).toFixed(1)} Mbit/s from the service (${bytes} bytes in ${seconds.toFixed(2)} s)`;
  return bitsPerS < slowBitsPerS ? warning(text) : ok(text);
}

async function openTcp(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ host, port });
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function disposing(socket: Socket): Disposable {
  // It may fail after the check.
  socket.on("error", () => undefined);
  return { [Symbol.dispose]: () => void socket.destroy() };
}
