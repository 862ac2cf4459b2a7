// Opens a connection to a host through an HTTP proxy, by CONNECT (RFC 9110, section 9.3.6).
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { Fault } from "../fault.ts";
import type { HttpProxy } from "./proxy-route.ts";
import { hostPort } from "./url-host.ts";

const credentialsRejected = 407;

/** `credentials`: it rejects the user name or password, or requires them. `rejected`: it responds, but does not reach the host. */
export type ProxyTrouble = "unusable" | "unreachable" | "credentials" | "rejected";

/** A proxy of the network cannot be used for a connection. The message has no password. */
export class ProxyFault extends Fault {
  readonly trouble: ProxyTrouble;

  constructor(trouble: ProxyTrouble, message: string, options?: { cause?: unknown }) {
    super("unreachable", message, options);
    this.trouble = trouble;
  }
}

/** The fault of a proxy that cannot be connected to or closes the connection without a response. */
export function proxyUnreachable(proxy: HttpProxy, cause: unknown): ProxyFault {
  return new ProxyFault("unreachable", `the network's proxy ${nameOf(proxy)} cannot be reached`, { cause });
}

/** The fault of a proxy that responded with `status` itself. */
export function proxyRejected(proxy: HttpProxy, status: number): ProxyFault {
  const trouble = status === credentialsRejected ? "credentials" : "rejected";
  return new ProxyFault(trouble, `the network's proxy ${nameOf(proxy)} responded with HTTP ${status}`);
}

/**
 * Connects to `authority` (`host:port`) through `proxy`.
 * @throws ProxyFault; AbortError when `signal` aborts.
 */
export async function openTunnel(proxy: HttpProxy, authority: string, limitMs: number, signal: AbortSignal): Promise<Socket> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const socket = connect({ host: proxy.host, port: proxy.port, noDelay: true });
  try {
    await once(socket, "connect", { signal: limit });
    await connectThrough(socket, proxy, authority, limit);
    return socket;
  } catch (error) {
    socket.on("error", () => undefined).destroy();
    signal.throwIfAborted();
    throw error instanceof ProxyFault ? error : proxyUnreachable(proxy, limit.aborted ? limit.reason : error);
  }
}

/** Requests a tunnel from the proxy at the other end of `socket`. @throws ProxyFault `rejected` or `credentials`; the socket's error. */
export async function connectThrough(socket: Socket, proxy: HttpProxy, authority: string, signal?: AbortSignal): Promise<void> {
  const headers = { host: authority, ...(proxy.authorization !== undefined && { "proxy-authorization": proxy.authorization }) };
  const outgoing = request({ createConnection: () => socket, method: "CONNECT", path: authority, headers });
  // After an abort nobody waits for the error of the closed connection.
  outgoing.on("error", () => undefined);
  outgoing.end();
  const [response, , head] = (await once(outgoing, "connect", signal === undefined ? {} : { signal })) as [IncomingMessage, Socket, Buffer];
  const { statusCode = 0 } = response;
  if (statusCode < 200 || statusCode > 299) throw proxyRejected(proxy, statusCode);
  if (head.length > 0) socket.unshift(head);
}

function nameOf({ host, port }: HttpProxy): string {
  return hostPort(host, port);
}
