// A real HTTP proxy, as networks have it: tunnels by CONNECT and forwards http requests. It resolves names by a table.
import { once } from "node:events";
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface NetworkProxy extends AsyncDisposable {
  port: number;
  /** Such as `GET http://site.test/x` and `CONNECT site.test:443`, in their order. Rejected ones are not included. */
  requests: string[];
}

export interface NetworkProxyOptions {
  /** The ports of this machine that serve the names which only the proxy can resolve. */
  hosts: Readonly<Record<string, number>>;
  /** `user:password`, which clients must send. */
  credentials?: string;
  /** This machine's address, where the proxy listens and finds the hosts; by default 127.0.0.1. */
  address?: string;
  /** By default a free one. */
  port?: number;
}

const page = { "content-type": "text/html" };

export async function startNetworkProxy({
  hosts,
  credentials,
  address = "127.0.0.1",
  port: own = 0,
}: NetworkProxyOptions): Promise<NetworkProxy> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const isAllowed = ({ headers }: IncomingMessage): boolean => {
    const [, encoded = ""] = /^Basic (.+)$/.exec(headers["proxy-authorization"] ?? "") ?? [];
    return credentials === undefined || Buffer.from(encoded, "base64").toString() === credentials;
  };
  const forward = (incoming: IncomingMessage, response: ServerResponse): void => {
    if (!isAllowed(incoming)) return void response.writeHead(407, page).end("<h1>Who are you?</h1>");
    const url = new URL(incoming.url!);
    const port = hosts[url.hostname];
    if (port === undefined) return void response.writeHead(502, page).end("<h1>Unknown host</h1>");
    requests.push(`${incoming.method} ${incoming.url}`);
    const { "proxy-authorization": _own, ...headers } = incoming.headers;
    const outgoing = httpRequest({ host: address, port, method: incoming.method!, path: `${url.pathname}${url.search}`, headers });
    outgoing.on("response", (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  };
  const server = createServer(forward);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("connect", (incoming: IncomingMessage, client: Socket) => {
    client.on("error", () => client.destroy());
    if (!isAllowed(incoming)) return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const port = hosts[new URL(`http://${incoming.url}`).hostname];
    if (port === undefined) return void client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    requests.push(`CONNECT ${incoming.url}`);
    const upstream = connect(port, address, () => client.write("HTTP/1.1 200 Connection established\r\n\r\n"));
    upstream.on("error", () => client.destroy());
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  server.listen(own, address);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
