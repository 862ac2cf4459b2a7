// An upload of 200 MB against cp and sha256sum of the same file on the same disk, and the service's memory during it.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { randomFillSync } from "node:crypto";
import { temporaryFolder } from "../test/support/folder.ts";
import { Program } from "../test/support/programs/programs.ts";
import { printFigure, percentiles } from "./lib.ts";

const megabytes = Number(process.argv[2] ?? 200);
const rounds = Number(process.argv[3] ?? 5);

await using folder = await temporaryFolder();
const source = join(folder.path, "source.wav");
await writeSound(source, megabytes * 1_000_000);
const data = join(folder.path, "service");
await using program = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", data]);
const url = String((await program.line("listening"))["url"]);
const token = (await readFile(join(data, "admin-token"), "utf8")).trim();
const idleMb = await memory("VmRSS");

const ours: number[] = [];
const tus: number[] = [];
const theirs: number[] = [];
const synced: number[] = [];
const memories: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  // Change the first sample each time, since equal bytes are stored only once.
  await mark(source, round);
  theirs.push(timed(() => copyAndHash(false)));
  synced.push(timed(() => copyAndHash(true)));
  const from = performance.now();
  const watching = watch(memories);
  const id = await send("POST", "/api/v1/assets?name=bench", {}, 201, "location");
  ours.push(performance.now() - from);
  await remove(id);
  const started = performance.now();
  const location = await send(
    "POST",
    "/api/v1/uploads",
    { "tus-resumable": "1.0.0", "upload-length": String(megabytes * 1_000_000 + 44) },
    201,
    "location",
    false,
  );
  const patch = { "tus-resumable": "1.0.0", "content-type": "application/offset+octet-stream", "upload-offset": "0" };
  const asset = await send("PATCH", location, patch, 204, "asset-id");
  tus.push(performance.now() - started);
  await remove(`/api/v1/assets/${asset}`);
  watching();
}
printFigure("upload, ms", { megabytes, ...percentiles(ours) });
printFigure("upload by tus, ms", { megabytes, ...percentiles(tus) });
printFigure("cp and sha256sum, ms", { megabytes, ...percentiles(theirs) });
printFigure("cp, sync and sha256sum, ms", { megabytes, ...percentiles(synced) });
const ratio = (a: readonly number[], b: readonly number[]) => Math.round((100 * percentiles(a).p50) / percentiles(b).p50) / 100;
printFigure("speed of an upload, as a share", {
  of_cp_and_sha256sum: ratio(theirs, ours),
  of_cp_sync_and_sha256sum: ratio(synced, ours),
  tus_of_cp_and_sha256sum: ratio(theirs, tus),
  tus_of_cp_sync_and_sha256sum: ratio(synced, tus),
});
printFigure("memory of the service, MB", { idle: idleMb, ...percentiles(memories), peak: await memory("VmHWM") });

/** A WAV file of noise: valid at any size. */
async function writeSound(path: string, bytes: number): Promise<void> {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + bytes, 4);
  header.write("WAVEfmt ", 8);
  for (const [value, at] of [
    [16, 16],
    [48_000, 24],
    [192_000, 28],
  ] as const)
    header.writeUInt32LE(value, at);
  for (const [value, at] of [
    [1, 20],
    [2, 22],
    [4, 32],
    [16, 34],
  ] as const)
    header.writeUInt16LE(value, at);
  header.write("data", 36);
  header.writeUInt32LE(bytes, 40);
  const file = await open(path, "w");
  await file.writeFile(header);
  for (let left = bytes; left > 0; left -= 1_000_000) await file.writeFile(randomFillSync(Buffer.alloc(Math.min(left, 1_000_000))));
  await file.sync();
  await file.close();
}

async function mark(path: string, round: number): Promise<void> {
  const file = await open(path, "r+");
  await file.write(Buffer.from([round]), 0, 1, 44);
  await file.sync();
  await file.close();
}

function copyAndHash(isSynced: boolean): void {
  const copy = join(folder.path, "copy.wav");
  execFileSync("cp", [source, copy]);
  if (isSynced) execFileSync("sync", [copy]);
  execFileSync("sha256sum", [copy]);
  execFileSync("rm", [copy]);
}

function timed(act: () => void): number {
  const from = performance.now();
  act();
  return performance.now() - from;
}

/** Sends the file, or nothing, and returns a header of the response. */
async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  status: number,
  header: string,
  hasBody = true,
): Promise<string> {
  const length = hasBody ? { "content-length": String(megabytes * 1_000_000 + 44) } : {};
  const sending = request(url + path, { method, headers: { authorization: `Bearer ${token}`, ...length, ...headers } });
  if (hasBody) createReadStream(source, { highWaterMark: 1_048_576 }).pipe(sending);
  else sending.end();
  const [response] = (await once(sending, "response")) as [import("node:http").IncomingMessage];
  const body = Buffer.concat(await response.toArray()).toString();
  if (response.statusCode !== status) throw new Error(`${method} ${path}: ${response.statusCode} ${body}`);
  return String(response.headers[header]);
}

async function remove(location: string): Promise<void> {
  await fetch(`${url}${location}?permanent=true`, { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
}

/** Measures the service's memory ten times a second. @returns a function that stops. */
function watch(into: number[]): () => void {
  const timer = setInterval(() => void memory("VmRSS").then((mb) => into.push(mb)), 100);
  return () => clearInterval(timer);
}

/** A memory value of the service's process, MB. */
async function memory(name: string): Promise<number> {
  const status = await readFile(`/proc/${program.pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)![1]) / 1_024);
}

await rm(source, { force: true });
