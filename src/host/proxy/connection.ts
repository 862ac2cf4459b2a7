// Opens a connection to one of several checked addresses within a time limit, and explains failures.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";

/** Where to connect: to checked addresses of a host, or to a proxy of the network. */
export type Destination = { addresses: readonly string[]; host: string; port: number } | { proxy: { host: string; port: number } };

const connectLimitMs = 20_000;
// As Chromium does for its own connections: notices when the server of a WebSocket is gone.
const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 45_000 };

/** A connected socket. Rejects when there is none within 20 seconds. */
export async function openConnection(destination: Destination, clock: Clock): Promise<Socket> {
  const socket = "proxy" in destination ? connect({ ...socketOptions, ...destination.proxy }) : connectToAny(destination);
  const cleanup = new AbortController();
  const timeout = clock.wait(connectLimitMs, cleanup.signal).then(() => {
    throw new Error("its server does not respond in time");
  });
  try {
    await Promise.race([once(socket, "connect", { signal: cleanup.signal }), timeout]);
    return socket;
  } catch (error) {
    socket.on("error", () => undefined).destroy();
    throw error;
  } finally {
    cleanup.abort();
  }
}

const networkErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: "its server does not accept the connection",
  ECONNRESET: "its server does not accept the connection",
  ETIMEDOUT: "its server does not respond in time",
  ENETUNREACH: "it cannot be reached: check the network",
  EHOSTUNREACH: "it cannot be reached: check the network",
};

/** Describes a failed connection, with a remedy where there is one. */
export function describeConnectionError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return networkErrors[code] ?? reasonOf(error);
}

/** Tries the addresses, both families at the same time where there are both, and no other address. */
function connectToAny({ addresses, host, port }: { addresses: readonly string[]; host: string; port: number }): Socket {
  const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const [first] = all;
  if (all.length === 1) return connect({ ...socketOptions, host: first!.address, port });
  return connect({
    ...socketOptions,
    host,
    port,
    autoSelectFamily: true,
    lookup: (_hostname, options, callback) => (options.all === true ? callback(null, all) : callback(null, first!.address, first!.family)),
  });
}
