// A proxy between player and service that forwards requests and WebSocket messages, and loses the messages that a test names.
import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer, type RawData } from "ws";
import { messageText } from "../../../src/base/websocket-text.ts";

interface SocketProxy extends AsyncDisposable {
  url: string;
  /** Ends all WebSockets. */
  hangUp(): void;
}

/**
 * @param target the service's address. @param alter returns a device's message as the service gets it; null: it is lost.
 * @param alterAnswer the same for the service's messages.
 */
export async function startSocketProxy(
  target: string,
  alter: (text: string) => string | null,
  alterAnswer: (text: string) => string | null = (text) => text,
): Promise<SocketProxy> {
  const server = createServer((request, response) => {
    const onward = httpRequest(new URL(request.url!, target), { method: request.method!, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  const sockets = new WebSocketServer({ server, handleProtocols: (protocols) => [...protocols][0]! });
  sockets.on("connection", (near, { url, headers }) => {
    const address = new URL(url!, target.replace("http", "ws"));
    const far = new WebSocket(address, near.protocol, { headers: { authorization: headers.authorization! } });
    const waiting: string[] = [];
    near.on("message", (raw: RawData) => {
      const text = alter(messageText(raw));
      if (text === null) return;
      if (far.readyState === WebSocket.OPEN) far.send(text);
      else waiting.push(text);
    });
    far.on("open", () => {
      for (const text of waiting.splice(0)) far.send(text);
    });
    far.on("message", (raw: RawData) => {
      const text = alterAnswer(messageText(raw));
      if (text !== null && near.readyState === WebSocket.OPEN) near.send(text);
    });
    near.on("close", () => far.terminate());
    far.on("close", () => near.terminate());
    for (const socket of [near, far]) socket.on("error", () => socket.terminate());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const hangUp = (): void => sockets.clients.forEach((socket) => socket.terminate());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hangUp,
    async [Symbol.asyncDispose]() {
      hangUp();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
