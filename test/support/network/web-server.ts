// A web server on its own loopback host, so that browsers treat it as another site. It records every request.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";

/** The response of a path: HTML, or a function that writes the response. */
export type RouteHandler = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A running web server. */
export interface WebServer extends AsyncDisposable {
  /** Such as `http://127.0.0.2:41234`. */
  origin: string;
  /** Every request, in order. */
  requests: { path: string; headers: IncomingHttpHeaders }[];
}

/** A key and its certificate, PEM. */
export interface Tls {
  key: Buffer;
  cert: Buffer;
}

/** @param host of 127.0.0.0/8; two hosts are two sites. */
export async function startWebServer(host: string, answers: Record<string, RouteHandler>, tls: Tls | null = null): Promise<WebServer> {
  const requests: WebServer["requests"] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? "/";
    requests.push({ path, headers: request.headers });
    const answer = answers[path];
    if (typeof answer === "function") return answer(request, response);
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "text/html" }).end(answer ?? "not here");
  };
  const server = tls === null ? createServer(listener) : createSecureServer(tls, listener);
  server.listen(0, host);
  await once(server, "listening");
  return {
    origin: `${tls === null ? "http" : "https"}://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A page of one colour with a heading. */
export function colouredPage(colour: string, more = ""): string {
  return `<!doctype html><title>site</title><body style="margin:0;background:${colour}"><h1>site</h1>${more}`;
}

export function redirectTo(location: string): RouteHandler {
  return (_request, response) => response.writeHead(302, { location }).end();
}
