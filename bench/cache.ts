// A download through the player's content cache against `curl | sha256sum` of the same file, alternating, and the memory during it.
// `node bench/cache.ts [megabytes] [rounds]`
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { createSystemClock } from "../src/base/clock.ts";
import { silentLog } from "../src/base/log.ts";
import { ContentCache } from "../src/player/content/content-cache.ts";
import { ServiceApi } from "../src/player/link/service-api.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { Program } from "../test/support/programs/programs.ts";
import { assetOf, desiredOf, imageItem } from "../test/support/states.ts";
import { percentiles, printFigure } from "./lib.ts";

const run = promisify(execFile);
if (process.argv[2] === "serve") await serve(process.argv[3]!, process.argv[4]!);
else await measure(Number(process.argv[2] ?? 500), Number(process.argv[3] ?? 5));

async function measure(megabytes: number, rounds: number): Promise<void> {
  await using folder = await temporaryFolder();
  const source = join(folder.path, "source");
  const sha256 = await writeNoise(source, megabytes * 1_000_000);
  const asset = { ...assetOf(Buffer.alloc(0)), sha256, size_bytes: (await stat(source)).size, url: `/${sha256}` };
  // A process of its own, so that serving takes nothing from the player.
  await using server = new Program(["bench/cache.ts", "serve", source, sha256]);
  const url = String((await server.line("listening"))["url"]);
  await using api = new ServiceApi(() => url);
  const signal = new AbortController().signal;
  const [ours, theirs, durable, growthMb]: number[][] = [[], [], [], []];
  for (let round = 0; round < rounds; round += 1) {
    theirs!.push(await timed(() => shell(`curl -sf ${url}${asset.url} | sha256sum`)));
    const copy = join(folder.path, "copy");
    durable!.push(await timed(() => shell(`curl -sf ${url}${asset.url} | tee ${copy} | sha256sum && sync ${copy}`)));
    await rm(copy);
    const cacheFolder = join(folder.path, "cache");
    const cache = await ContentCache.open(cacheFolder, createSystemClock(), silentLog);
    const memory = watchMemory();
    ours!.push(
      await timed(() => cache.prepare(desiredOf([imageItem(asset, 1_000)], [asset]), (...wanted) => api.file("token", ...wanted), signal)),
    );
    growthMb!.push(memory.growthMb());
    if (cache.findFile(sha256) === null) throw new Error("the file is not in the cache");
    await rm(cacheFolder, { recursive: true });
  }
  const share = (times: readonly number[]): number => Math.round((100 * percentiles(times).p50) / percentiles(ours!).p50) / 100;
  printFigure("download into the cache (hashed, synced), ms", { megabytes, ...percentiles(ours!) });
  printFigure("curl | sha256sum, ms", { megabytes, ...percentiles(theirs!) });
  printFigure("curl | tee file | sha256sum, sync, ms", { megabytes, ...percentiles(durable!) });
  printFigure("speed of the cache, as a share", { of_curl_and_sha256sum: share(theirs!), aim: 0.8, of_curl_tee_sync: share(durable!) });
  printFigure("memory growth during a download, MB", percentiles(growthMb!));
}

/** Serves the file as the service does, until the process is ended. */
async function serve(path: string, sha256: string): Promise<void> {
  const { size } = await stat(path);
  const server = createServer((_request, response) => {
    response.writeHead(200, { etag: `"${sha256}"`, "content-type": "image/png", "content-length": size });
    createReadStream(path, { highWaterMark: 1_048_576 }).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.stdout.write(`${JSON.stringify({ msg: "listening", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
}

/** Writes a file of noise. @returns its SHA-256. */
async function writeNoise(path: string, bytes: number): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path, "w");
  try {
    for (let left = bytes; left > 0; left -= 1_000_000) {
      const part = randomBytes(Math.min(left, 1_000_000));
      hash.update(part);
      await file.writeFile(part);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

async function shell(command: string): Promise<void> {
  await run("sh", ["-c", command]);
}

async function timed(act: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await act();
  return performance.now() - from;
}

/** Measures this process's memory every 50 ms, until its result is read: the peak above the start, in MB. */
function watchMemory(): { growthMb: () => number } {
  const from = process.memoryUsage.rss();
  let peak = from;
  const measureNow = (): void => void (peak = Math.max(peak, process.memoryUsage.rss()));
  const timer = setInterval(measureNow, 50);
  return {
    growthMb: () => {
      clearInterval(timer);
      measureNow();
      return Math.round((peak - from) / 1e6);
    },
  };
}
