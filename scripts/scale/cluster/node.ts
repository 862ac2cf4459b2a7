// One node of the service, as a process of its own.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { rootFolder } from "../../../src/main/folders.ts";
import { Engine } from "./engine.ts";

/** What a node is started with. */
export interface NodeSpec {
  name: string;
  port: number;
  /** Its data folder. */
  data: string;
  /** `--database` and the like. */
  flags: readonly string[];
  /** The checkout whose program runs; default: this one. */
  checkout?: string;
  /** Where the test reaches it; default: 127.0.0.1. */
  address?: string;
  namespace?: string;
}

export interface ServiceNode {
  engine: Engine;
  url: string;
  /** Its data folder. */
  data: string;
}

/** Prepares a node without starting it. */
export function serviceNode(
  { name, port, data, flags, checkout = rootFolder, address = "127.0.0.1", namespace }: NodeSpec,
  logs: string,
): ServiceNode {
  const url = `http://${address}:${port}`;
  const host = address === "127.0.0.1" ? [] : ["--host", address, "--insecure-http", "--no-announce"];
  const limits = ["--requests-per-minute", "100000000"];
  const addresses = ["--allow-address", "127.0.0.1/32,10.0.0.0/8", "--trusted-proxy", "127.0.0.0/8,10.0.0.0/8"];
  const serve = ["src/main/cli.ts", "serve", "--port", String(port), "--data", data, ...host, ...limits, ...addresses, ...flags];
  const engine = new Engine(
    {
      name,
      command: [process.execPath, ...serve],
      cwd: checkout,
      stopSignal: "SIGTERM",
      isReady: () => isReady(url),
      ...(namespace === undefined ? {} : { namespace }),
    },
    logs,
  );
  return { engine, url, data };
}

/** Whether the node says that it is ready. */
export async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

/** The first token of the service, which its first node writes. */
export async function adminToken(data: string): Promise<string> {
  return (await readFile(join(data, "admin-token"), "utf8")).trim();
}
