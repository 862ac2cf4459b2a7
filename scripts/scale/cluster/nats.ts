// nats-server for the cluster: core only, without a store.
import { connect } from "node:net";
import { once } from "node:events";
import { Engine } from "./engine.ts";

const [user, password] = ["signage", "scale-test"];

/** A running nats-server. */
export interface NatsServer {
  engine: Engine;
  port: number;
  url: string;
}

/** @param address that it listens on. */
export async function startNats(logs: string, port: number, address = "127.0.0.1"): Promise<NatsServer> {
  const engine = new Engine(
    {
      name: "nats",
      command: ["nats-server", "-a", address, "-p", String(port), "--user", user, "--pass", password],
      stopSignal: "SIGINT",
      isReady: () => greets(address, port),
    },
    logs,
  );
  await engine.start();
  return { engine, port, url: `nats://${user}:${password}@${address}:${port}` };
}

/** Whether a server sends its greeting. */
async function greets(address: string, port: number): Promise<boolean> {
  const socket = connect(port, address);
  try {
    const [greeting] = (await once(socket, "data", { signal: AbortSignal.timeout(1_000) })) as [Buffer];
    return greeting.toString().startsWith("INFO ");
  } catch {
    return false; // nobody listens yet
  } finally {
    socket.destroy();
  }
}
