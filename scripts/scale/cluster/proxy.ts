// HAProxy for the cluster, by the sample configuration packaging/service/haproxy.cfg with the addresses of this run.
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { rootFolder } from "../../../src/main/folders.ts";
import { Engine } from "./engine.ts";

// Two open files for each connection, and 20,000 is a usual limit of containers.
const maxConnections = 9_500;

/** How many nodes the sample has. */
export const sampleNodes = 3;

/** A running HAProxy. */
export interface Proxy {
  engine: Engine;
  url: string;
  /** Says by the runtime API what new connections get: `ready` all, `drain` none; `maint` ends it for the proxy. */
  setNode: (place: number, state: "ready" | "drain" | "maint") => Promise<void>;
}

/** @param nodes addresses with ports, in the order of the sample. */
export async function startProxy(folder: string, logs: string, port: number, nodes: readonly string[]): Promise<Proxy> {
  const file = join(folder, "haproxy.cfg");
  const socket = join(folder, "haproxy.sock");
  await writeFile(file, await configuration(port, socket, nodes));
  const url = `http://127.0.0.1:${port}`;
  const engine = new Engine(
    {
      name: "haproxy",
      command: ["haproxy", "-db", "-f", file],
      stopSignal: "SIGUSR1",
      isReady: async () => (await fetch(`${url}/readyz`).catch(() => null))?.status === 200,
    },
    logs,
  );
  await engine.start();
  const setNode: Proxy["setNode"] = (place, state) => order(socket, `set server nodes/node-${place + 1} state ${state}`);
  return { engine, url, setNode };
}

/** The sample with this run's addresses. @throws Error when a line that it replaces is not there. */
async function configuration(port: number, socket: string, nodes: readonly string[]): Promise<string> {
  let sample = await readFile(join(rootFolder, "packaging/service/haproxy.cfg"), "utf8");
  const replace = (line: RegExp, by: string): void => {
    if (!line.test(sample)) throw new Error(`packaging/service/haproxy.cfg has no line ${String(line)}`);
    sample = sample.replace(line, by);
  };
  replace(/^ {4}bind .*$/m, `    bind 127.0.0.1:${port}`);
  replace(/^ {4}stats socket \S+/m, `    stats socket ${socket}`);
  replace(/^ {4}maxconn \d+$/m, `    maxconn ${maxConnections}`);
  for (let place = 1; place <= sampleNodes; place += 1) {
    const address = nodes[place - 1];
    replace(new RegExp(`^ {4}server node-${place} .*$`, "m"), address === undefined ? "" : `    server node-${place} ${address}`);
  }
  return sample;
}

async function order(socketFile: string, command: string): Promise<void> {
  const socket = connect(socketFile);
  await once(socket, "connect");
  socket.end(`${command}\n`);
  const answer = (await text(socket)).trim();
  if (answer !== "") throw new Error(`HAProxy: ${command}: ${answer}`);
}
