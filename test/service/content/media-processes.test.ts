// Files are examined in processes of their own: what a hostile one may cost, whom it may hold up, and how its process ends.
import { spawnSync } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { defaultLimits } from "../../../src/service/media/limits.ts";
import { mediaProgram } from "../../../src/service/media/process.ts";
import { MediaProcessPool } from "../../../src/service/media/process-pool.ts";
import { processesNaming } from "../../host/processes.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { hostileSvg, pdfBomb, pngBomb } from "../../support/media/hostile-media.ts";
import { createWithFfmpeg } from "../../support/media/media.ts";
import { Api, eventually, Program } from "../../support/programs/programs.ts";
import { zipOf } from "../../support/media/zip.ts";
import { TestService, picture, type ApiResponse } from "../harness.ts";
import { createOtherTeam } from "../people/people.ts";

vi.setConfig({ testTimeout: 90_000 });

/** Limits with so much processor time for every kind. */
function allowing(processorMs: number): typeof defaultLimits {
  const entries = Object.entries(defaultLimits).map(([kind, limits]) => [kind, { ...limits, processorMs }]);
  return Object.fromEntries(entries) as typeof defaultLimits;
}

/** The media processes of a service, by default the one in this process. */
async function mediaPids(parent = process.pid): Promise<number[]> {
  return (await processesNaming(mediaProgram)).filter((each) => each.parent === parent).map(({ pid }) => pid);
}

/** A media process of a service that has begun to draw: it has used a little of the processor. */
function busyPid(parent = process.pid, other = 0): Promise<number> {
  return eventually(async () => {
    for (const pid of (await mediaPids(parent)).filter((each) => each !== other)) {
      const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
      // Starting takes about a third of a second of processor time.
      if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[11]) > 60) return pid;
    }
    return null;
  });
}

async function storedFiles(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, "blobs"), { recursive: true });
  return names.filter((name) => /[0-9a-f]{64}$/.test(name));
}

test("[MPR1] eight hostile files of one team hold up neither the service nor another team's upload", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path, { mediaLimits: allowing(1_000) });
  const other = await createOtherTeam(bench);
  const ends: ApiResponse[] = [];
  const hostile = Array.from({ length: 8 }, async () => {
    const answer = await bench.upload(hostileSvg());
    ends.push(answer);
    return answer;
  });
  await busyPid();
  expect((await bench.call("GET", "/healthz")).status).toBe(200);
  const innocent = await other.call("POST", "assets?name=innocent", await picture(), { "content-type": "image/png" });
  expect(innocent.status).toBe(201);
  expect(ends.length).toBeLessThan(8);
  for (const answer of await Promise.all(hostile)) {
    expect(answer).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/1 s of processor time.*simplify it/) } });
  }
  // What one of them left behind takes the next file.
  expect((await bench.upload(await picture())).status).toBe(201);
});

test("[MPR2] bombs and broken files are refused by the limit they run into, and leave nothing", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path, { mediaLimits: allowing(800) });
  const mp4 = await createWithFfmpeg(["-f", "lavfi", "-i", "testsrc=d=1:s=64x64", "-c:v", "libx264"], "mp4");
  // Says that it has four billion samples.
  mp4.writeUInt32BE(0xffff_ffff, mp4.indexOf("stts") + 8);
  mp4.writeUInt32BE(0xffff_ffff, mp4.indexOf("stsz") + 12);
  const zip = zipOf([
    { name: "index.html", bytes: Buffer.from("x") },
    // Below the ratio of a bomb, but much to unpack all the same.
    ...Array.from({ length: 8 }, (_, index) => ({ name: `n${index}`, bytes: Buffer.alloc(100_000_000, "abcdefghijklm") })),
    { name: "noise", bytes: crypto.getRandomValues(Buffer.alloc(65_536)) },
  ]);
  const cases: [string, Buffer, RegExp][] = [
    ["picture", pngBomb(), /picture takes more than 0\.8 s of processor time.*make it smaller/],
    ["zip", zip, /zip bomb|zip file takes more than 0\.8 s/],
    ["document", pdfBomb(), /PDF (?:takes more than|cannot be read|breaks)/],
    ["video", mp4, /video (?:takes more than|cannot be read|breaks)/],
  ];
  for (const [what, bytes, detail] of cases) {
    const answer = await bench.upload(bytes);
    expect([what, answer.status, answer.body.detail]).toEqual([what, 422, expect.stringMatching(detail)]);
  }
  expect(await storedFiles(folder.path)).toEqual([]);
});

test("[MPR3] a file that takes too much memory is refused, and its process is gone", async () => {
  await using folder = await temporaryFolder();
  const picture = { ...defaultLimits.picture, memoryMb: 160 };
  await using bench = await TestService.start(folder.path, { mediaLimits: { picture } });
  const answer = await bench.upload(pngBomb({ isInterlaced: true }));
  expect(answer).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/picture takes more than 160 MB of memory/) } });
  expect(await mediaPids()).toEqual([]);
});

test("[MPR4] a file whose process is killed is examined once more; killed again, it is refused as to be tried later", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  const once = bench.upload(hostileSvg());
  const first = await busyPid();
  process.kill(first, "SIGKILL");
  const second = await busyPid(process.pid, first);
  process.kill(second, "SIGKILL");
  expect(await once).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/ended from outside twice.*Try again later/) } });
  const again = bench.upload(pngBomb());
  process.kill(await busyPid(), "SIGKILL");
  expect((await again).status).toBe(201);
});

test("[MPR5] idle media processes end, and all of them with the service, however it ends", async () => {
  await using folder = await temporaryFolder();
  {
    await using bench = await TestService.start(join(folder.path, "a"));
    expect((await bench.upload(await picture())).status).toBe(201);
    expect(await mediaPids()).not.toEqual([]);
  }
  expect(await mediaPids()).toEqual([]);
  {
    await using media = new MediaProcessPool({ log: silentLog, idleMs: 50 });
    await expect(media.examine(import.meta.filename, undefined, "team")).rejects.toMatchObject({ kind: "bad-file" });
    await eventually(async () => (await mediaPids()).length === 0);
  }
  await using program = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", join(folder.path, "b")]);
  const { url } = await program.line("listening");
  const api = new Api(String(url), (await readFile(join(folder.path, "b/admin-token"), "utf8")).trim());
  const cut = api.call("POST", "assets?name=hostile", hostileSvg()).catch(() => "cut");
  const pid = await busyPid(program.pid);
  await program.kill();
  expect(await cut).toBe("cut");
  await eventually(async () => !(await processesNaming(mediaProgram)).some((each) => each.pid === pid));
});

test("[MPR6] a media process has no secret in its environment, and no network where the system allows that", async () => {
  await using folder = await temporaryFolder();
  await using program = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", folder.path], { SIGNAGE_TOKEN: "secret" });
  const { url } = await program.line("listening");
  const api = new Api(String(url), (await readFile(join(folder.path, "admin-token"), "utf8")).trim());
  await api.upload("one.png", await picture());
  const [pid] = await mediaPids(program.pid);
  const names = (await readFile(`/proc/${pid}/environ`, "latin1")).split("\0").flatMap((entry) => entry.split("=")[0] || []);
  expect(names).toEqual(["PATH"]);
  const mayUnshare = spawnSync("unshare", ["--user", "--net", "--map-current-user", "--", "true"]).status === 0;
  const networkOf = (id: number): Promise<string> => readlink(`/proc/${id}/ns/net`);
  expect((await networkOf(pid!)) !== (await networkOf(process.pid))).toBe(mayUnshare);
});

test("[MPR7] a stop waits for no examination; an upload that it cuts off becomes an asset after the next start", async () => {
  await using folder = await temporaryFolder();
  const bytes = hostileSvg();
  let location = "";
  {
    await using bench = await TestService.start(folder.path);
    const headers = { "tus-resumable": "1.0.0", "content-type": "application/offset+octet-stream" };
    const made = await bench.call("POST", "uploads", undefined, { ...headers, "upload-length": String(bytes.length) });
    location = made.headers.get("location")!.split("/api/v1/")[1]!;
    const appended = bench.call("PATCH", location, bytes, { ...headers, "upload-offset": "0" });
    await busyPid();
    await bench.service[Symbol.asyncDispose]();
    expect((await appended).status).toBe(503);
    expect(await mediaPids()).toEqual([]);
  }
  await using bench = await TestService.start(folder.path, { mediaLimits: allowing(60_000) });
  await eventually(async () => (await bench.call("GET", location)).body.status === "finished");
});

test("[MPR8] an answer of a media process that is no answer, or too long, refuses the file", async () => {
  const lines = ["nonsense", `{"id":7,"is":"refused","detail":"of another job"}`, null];
  for (const line of lines) {
    let end: (how: string) => void = () => undefined;
    const ended = new Promise<string>((resolve) => (end = resolve));
    let hear: (line: string | null) => void = () => undefined;
    const start = async () => ({
      pid: undefined,
      ended,
      send: () => hear(line),
      onLine: (listener: typeof hear) => (hear = listener),
      kill: () => end("SIGKILL"),
    });
    await using media = new MediaProcessPool({ log: silentLog, start });
    await expect(media.examine("/nowhere", undefined, "team")).rejects.toThrow(/says more about itself than is taken/);
  }
});
