// A TCP connection over which a test writes exactly the bytes that it wants, slowly if need be, and sees when the other side ends it.
import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Duplex } from "node:stream";
import { setInterval as every } from "node:timers/promises";

export interface RawConnection extends Disposable {
  readonly socket: Duplex;
  /** Everything received so far, a character for each byte. */
  readonly received: string;
  readonly isClosed: boolean;
  /** Resolves when the other side has ended the connection. */
  readonly closed: Promise<void>;
  write(text: string | Buffer): void;
  /** Writes `text` again and again, until the connection has ended. */
  drip(text: string): void;
  /** Resolves once `text` has been received. */
  has(text: string): Promise<void>;
}

/** Connects to the host and port of `url`. @param options `tls` begins with a handshake; its certificate is not checked */
export function openRaw(url: string, { tls = false }: { tls?: boolean } = {}): RawConnection {
  const { hostname, port } = new URL(url);
  const place = { host: hostname, port: Number(port) };
  const socket = tls ? connectTls({ ...place, rejectUnauthorized: false }) : connect(place);
  let received = "";
  let isClosed = false;
  const ended = new AbortController();
  // A reset is one way of ending a connection.
  socket.on("error", () => undefined);
  socket.setEncoding("latin1").on("data", (part: string) => (received += part));
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      isClosed = true;
      ended.abort();
      resolve();
    });
  });
  return {
    socket,
    get received() {
      return received;
    },
    get isClosed() {
      return isClosed;
    },
    closed,
    write: (text) => void socket.write(text),
    drip(text) {
      void (async () => {
        for await (const _ of every(20, undefined, { signal: ended.signal })) socket.write(text);
      })().catch(() => undefined);
    },
    async has(text) {
      while (!received.includes(text))
        await Promise.race([once(socket, "data"), closed.then(() => Promise.reject(new Error(`closed: ${received}`)))]);
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}
