// Sends requests and messages from a thread of its own, so that their making and the reading of answers are no ticks of the service's loop.
import { once } from "node:events";
import { parentPort } from "node:worker_threads";
import { WebSocket } from "ws";

/** What is sent, and what came back. */
export type Sending =
  | { is: "request"; url: string; method: string; headers: Record<string, string>; body: string | null }
  | { is: "message"; url: string; subprotocol: string; token: string; text: string };
export interface Answer {
  /** 0: a socket, which answers nothing. */
  status: number;
  bytes: number;
}

parentPort!.on("message", (sending: Sending) => {
  void send(sending).then(
    (answer) => parentPort!.postMessage(answer),
    (error: unknown) => {
      throw error;
    },
  );
});

async function send(sending: Sending): Promise<Answer> {
  if (sending.is === "request") {
    const { url, method, headers, body } = sending;
    const response = await fetch(url, { method, headers, ...(body === null ? {} : { body }) });
    return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
  }
  const { url, subprotocol, token, text } = sending;
  const socket = new WebSocket(url, subprotocol, { headers: { authorization: `Bearer ${token}` } });
  await once(socket, "open");
  socket.send(text);
  // The service answers it after it has read the message.
  socket.ping();
  await once(socket, "pong");
  socket.terminate();
  return { status: 0, bytes: 0 };
}
