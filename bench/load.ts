// Asks one address over and over from a process of its own, and tells how often and how fast it was answered.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Pool } from "undici";

/** Answers a second, and how long they took in ms. */
export interface LoadResult {
  rps: number;
  times: number[];
}

const connections = 16;
const run = promisify(execFile);

/** Loads `url` for so long, from another process. Rejects when an answer is no success. */
export async function measureLoad(url: string, token: string, ms: number): Promise<LoadResult> {
  const { stdout } = await run(process.execPath, [fileURLToPath(import.meta.url), url, token, String(ms)], { maxBuffer: 64 * 1_024 ** 2 });
  return JSON.parse(stdout) as LoadResult;
}

async function ask(url: URL, token: string, ms: number): Promise<LoadResult> {
  const pool = new Pool(url.origin, { connections, pipelining: 1 });
  const times: number[] = [];
  const begun = performance.now();
  const one = async (): Promise<void> => {
    for (;;) {
      const asked = performance.now();
      if (asked - begun > ms) return;
      const { statusCode, body } = await pool.request({
        path: url.pathname + url.search,
        method: "GET",
        headers: { authorization: `Bearer ${token}` },
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${url.href} answered ${statusCode}`);
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  const rps = (times.length * 1_000) / (performance.now() - begun);
  await pool.close();
  return { rps, times };
}

if (import.meta.main) {
  const [url, token, ms] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await ask(new URL(url!), token!, Number(ms))));
}
