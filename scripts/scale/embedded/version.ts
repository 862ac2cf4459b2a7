// One version of the service on SQLite, measured from its start to its end.
import { execFile } from "node:child_process";
import { cp, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Pool } from "undici";
import { usageOf } from "../../../bench/lib.ts";
import { measureLoad } from "../../../bench/load.ts";
import { rootFolder } from "../../../src/main/folders.ts";
import { Api, Program } from "../../../test/support/programs/programs.ts";

/** What one run of a service shows. */
export interface Sample {
  startMs: number;
  memoryMb: number;
  readsPerS: number;
  writesPerS: number;
}

const packageLister = "test/support/programs/loaded-packages.ts";
const warmUpMs = 1_000;
const settleMs = 1_000;
const writers = 8;
const run = promisify(execFile);

export class Version {
  readonly #checkout: string;
  readonly #data: string;
  #playlistId: string | null = null;

  /** @param checkout the folder of its sources and bundle. @param data its data folder, kept between its runs. */
  constructor(checkout: string, data: string) {
    this.#checkout = checkout;
    this.#data = data;
  }

  /** The packages that it loads until it listens, on a new data folder. */
  async loadedPackages(): Promise<string[]> {
    const file = join(this.#checkout, packageLister);
    await mkdir(dirname(file), { recursive: true });
    await cp(join(rootFolder, packageLister), file);
    const { stdout } = await run(process.execPath, [file, `${this.#data}-packages`], { cwd: this.#checkout });
    return JSON.parse(stdout) as string[];
  }

  /** Starts it, loads it with reads, then with writes, for `ms` each, and stops it. */
  async sample(ms: number): Promise<Sample> {
    const startedAt = performance.now();
    const serve = ["serve", "--port", "0", "--data", this.#data, "--no-announce", "--requests-per-minute", "100000000"];
    await using program = new Program([join(this.#checkout, "dist/main/cli.js"), ...serve]);
    const { url } = await program.line("listening");
    const startMs = performance.now() - startedAt;
    await pause(settleMs);
    const memoryMb = usageOf(program.pid).pssBytes / 1_024 ** 2;
    const api = new Api(String(url), (await readFile(join(this.#data, "admin-token"), "utf8")).trim());
    this.#playlistId ??= (await api.ok("POST", "playlists", { name: "read" })).id;
    const read = `${api.url}/api/v1/playlists/${this.#playlistId}`;
    await measureLoad(read, api.token, warmUpMs);
    const { rps: readsPerS } = await measureLoad(read, api.token, ms);
    return { startMs, memoryMb, readsPerS, writesPerS: await writeFor(api, ms) };
  }
}

/** Creates playlists for `ms`, several at a time. @returns how many in a second. */
async function writeFor({ url, token }: Api, ms: number): Promise<number> {
  const pool = new Pool(url, { connections: writers });
  const from = performance.now();
  let count = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - from < ms) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const asked = { path: "/api/v1/playlists", method: "POST", headers, body: JSON.stringify({ name: "written" }) } as const;
      const { statusCode, body } = await pool.request(asked);
      await body.dump();
      if (statusCode !== 201) throw new Error(`POST playlists: ${statusCode}`);
      count += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: writers }, lane));
  } finally {
    await pool.destroy();
  }
  return (1_000 * count) / (performance.now() - from);
}
