// A download through the player's content cache against `curl | sha256sum` of the same file from the same server, in alternating order.
// The cache also stores and syncs the file, which `curl | sha256sum` does not. Other figures say what the parts take: the server and
// curl alone, and curl with an SHA-256 as fast as the player's (coreutils does not use the processor's instructions for it).
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
const ourWay = "the cache (hashed, stored, synced)";
const aimedAt = "curl | sha256sum";
if (process.argv[2] === "serve") await serve(process.argv[3]!, process.argv[4]!);
else await measure(Number(process.argv[2] ?? 200), Number(process.argv[3] ?? 7));

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
  const get = `curl -sf ${url}${asset.url}`;
  const copy = join(folder.path, "copy");
  const cpuMs: number[] = [];
  const growthMb: number[] = [];
  const download = async (): Promise<void> => {
    const cacheFolder = join(folder.path, "cache");
    const cache = await ContentCache.open(cacheFolder, createSystemClock(), silentLog);
    const memory = watchMemory();
    const before = process.cpuUsage();
    await cache.prepare(desiredOf([imageItem(asset, 1_000)], [asset]), (...wanted) => api.file("token", ...wanted), signal);
    const { user, system } = process.cpuUsage(before);
    cpuMs.push((user + system) / 1_000);
    growthMb.push(memory.growthMb());
    if (cache.findFile(sha256) === null) throw new Error("the file is not in the cache");
  };
  const ways = {
    "curl to /dev/null (the server's share)": () => shell(`${get} -o /dev/null`),
    [aimedAt]: () => shell(`${get} | sha256sum`),
    "curl | openssl sha256": () => shell(`${get} | openssl dgst -sha256`),
    "curl | tee file | sha256sum, sync": () => shell(`${get} | tee ${copy} | sha256sum && sync ${copy}`),
    [ourWay]: download,
  };
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    const entries = Object.entries(ways);
    // Each way comes as often before as after the others.
    for (const [way, act] of round % 2 === 0 ? entries : entries.toReversed()) {
      times[way]!.push(await timed(act));
      for (const name of ["copy", "cache"]) await rm(join(folder.path, name), { recursive: true, force: true });
    }
  }
  for (const [way, taken] of Object.entries(times)) printFigure(`${way}, ms`, { megabytes, ...percentiles(taken) });
  const ours = times[ourWay]!;
  for (const [way, taken] of Object.entries(times).filter(([name]) => name !== ourWay)) {
    const share = median(taken.map((each, round) => each / ours[round]!));
    printFigure(`speed of the cache as a share of ${way}, median of pairs`, { share, ...(way === aimedAt && { aim: 0.8 }) });
  }
  printFigure("CPU time of the player for a download, ms", { megabytes, ...percentiles(cpuMs) });
  printFigure("memory growth during a download, MB", percentiles(growthMb));
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

/** Rounded to a hundredth. */
function median(values: readonly number[]): number {
  return Math.round(100 * values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!) / 100;
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
