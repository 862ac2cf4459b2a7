// Waits for news of a WebSocket.
import type { WebSocket } from "ws";

/** Resolves after the socket's next message has been handled by listeners that were added before, or when the socket closes. */
export function messageOrClose(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      socket.off("message", end);
      socket.off("close", end);
      resolve();
    };
    socket.on("message", end);
    socket.on("close", end);
  });
}
