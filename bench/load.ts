// Loads one URL from a separate process, and reports the rate and times of the responses.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Pool } from "undici";

/** Responses per second, and their times in ms. */
export interface LoadResult {
  rps: number;
  times: number[];
}

const connections = 16;
const run = promisify(execFile);

/** Loads `url` for `ms` milliseconds. Rejects when a request fails. */
export async function measureLoad(url: string, token: string, ms: number): Promise<LoadResult> {
  const { stdout } = await run(process.execPath, [fileURLToPath(import.meta.url), url, token, String(ms)], { maxBuffer: 64 * 1_024 ** 2 });
  return JSON.parse(stdout) as LoadResult;
}

async function generateLoad(url: URL, token: string, ms: number): Promise<LoadResult> {
  const pool = new Pool(url.origin, { connections, pipelining: 1 });
  const times: number[] = [];
  const started = performance.now();
  const runConnection = async (): Promise<void> => {
    for (;;) {
      const sent = performance.now();
      if (sent - started > ms) return;
      const { statusCode, body } = await pool.request({
        path: url.pathname + url.search,
        method: "GET",
        headers: { authorization: `Bearer ${token}` },
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${url.href} answered ${statusCode}`);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, runConnection));
  const rps = (times.length * 1_000) / (performance.now() - started);
  await pool.close();
  return { rps, times };
}

if (import.meta.main) {
  const [url, token, ms] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await generateLoad(new URL(url!), token!, Number(ms))));
}
