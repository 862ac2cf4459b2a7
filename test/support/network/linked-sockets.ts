// Two sockets of which each ends with the other, such as those of a proxy.
import type { Socket } from "node:net";

/** @param open gets both, and loses them when they have ended. */
export function linkSockets(client: Socket, upstream: Socket, open: Set<Socket>): void {
  for (const socket of [client, upstream]) {
    open.add(socket);
    socket.on("close", () => {
      open.delete(socket);
      client.destroy();
      upstream.destroy();
    });
    // "close" follows.
    socket.on("error", () => socket.destroy());
  }
}
