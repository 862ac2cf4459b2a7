// A reverse proxy in front of a service, at a path of its own host: some take the path off, some pass it on.
import { createServer, request, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";

export interface PathProxy extends AsyncDisposable {
  /** The public URL: with the path. */
  readonly url: string;
  /** The service behind it; set it before the first request. */
  target: string;
  /** Whether it takes the path off. */
  strips: boolean;
  /** Requests outside of the path, which belong to other programs of that host. */
  readonly strays: string[];
}

export async function startPathProxy(path: string, strips: boolean): Promise<PathProxy> {
  const strays: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = { target: "", strips, strays };
  const targetOf = (incoming: IncomingMessage): string | null => {
    const url = incoming.url!;
    if (url !== path && !url.startsWith(`${path}/`)) {
      strays.push(url);
      return null;
    }
    return proxy.strips ? url.slice(path.length) || "/" : url;
  };
  const server = createServer((incoming, response) => {
    const to = targetOf(incoming);
    if (to === null) return void response.writeHead(404).end();
    const { hostname, port } = new URL(proxy.target);
    const out = request({ hostname, port, path: to, method: incoming.method, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    out.on("error", () => response.destroy());
    incoming.pipe(out);
    return undefined;
  });
  server.on("upgrade", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const to = targetOf(incoming);
    if (to === null) return void socket.destroy();
    const { hostname, port } = new URL(proxy.target);
    const out = connect(Number(port), hostname, () => {
      const headers = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      out.write(`GET ${to} HTTP/1.1\r\n${headers.join("")}\r\n`);
      out.write(head);
      socket.pipe(out).pipe(socket);
    });
    for (const each of [socket, out]) {
      sockets.add(each);
      each.on("error", () => each.destroy());
      each.on("close", () => sockets.delete(each));
    }
    return undefined;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  });
}
