// Media processes: their limits for hostile files, fairness between teams, and how they end.
import { spawnSync } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import type { ServiceConfig } from "../../../src/service/config.ts";
import { defaultLimits } from "../../../src/service/media/limits.ts";
import { mediaProgram, startMediaProcess } from "../../../src/service/media/process.ts";
import { MediaProcessPool } from "../../../src/service/media/process-pool.ts";
import { processesNaming } from "../../host/processes.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { hostileSvg, pdfBomb, pngBomb } from "../../support/media/hostile-media.ts";
import { createWithFfmpeg } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { Api, Program } from "../../support/programs/programs.ts";
import { zipOf } from "../../support/media/zip.ts";
import { TestService, picture, type ApiResponse } from "../harness.ts";
import { createOtherTeam } from "../people/people.ts";
import { endSharedMediaProcesses } from "../shared-media-process.ts";

vi.setConfig({ testTimeout: 90_000 });

beforeAll(endSharedMediaProcesses);

/** A service whose media processes are its own, as they are outside of tests. */
function startWithOwnProcesses(folder: string, more: Partial<ServiceConfig> = {}): Promise<TestService> {
  return TestService.start(folder, { ...more, startMediaProcess });
}

/** The default limits with another CPU time. */
function withCpuTime(processorMs: number): typeof defaultLimits {
  const entries = Object.entries(defaultLimits).map(([kind, limits]) => [kind, { ...limits, processorMs }]);
  return Object.fromEntries(entries) as typeof defaultLimits;
}

/** The media processes of a service; by default of the service in this process. */
async function mediaPids(parent = process.pid): Promise<number[]> {
  return (await processesNaming(mediaProgram)).filter((each) => each.parent === parent).map(({ pid }) => pid);
}

/** A media process that has begun to draw, as its CPU time shows. */
function busyPid(parent = process.pid, other = 0): Promise<number> {
  return eventually(async () => {
    for (const pid of (await mediaPids(parent)).filter((each) => each !== other)) {
      const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
      // The start takes about 0.3 s of CPU time.
      if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[11]) > 60) return pid;
    }
    return null;
  });
}

async function storedFiles(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, "blobs"), { recursive: true });
  return names.filter((name) => /[0-9a-f]{64}$/.test(name));
}

test("[MPR1] eight hostile files of one team delay neither the service nor another team's upload", async () => {
  await using folder = await temporaryFolder();
  await using testService = await startWithOwnProcesses(folder.path, { mediaLimits: withCpuTime(2_000) });
  const other = await createOtherTeam(testService);
  const ends: ApiResponse[] = [];
  const hostile = Array.from({ length: 8 }, async () => {
    const response = await testService.upload(hostileSvg());
    ends.push(response);
    return response;
  });
  await busyPid();
  expect((await testService.call("GET", "/healthz")).status).toBe(200);
  const innocent = await other.call("POST", "assets?name=innocent", await picture(), { "content-type": "image/png" });
  expect(innocent.status).toBe(201);
  expect(ends.length).toBeLessThan(8);
  for (const response of await Promise.all(hostile)) {
    expect(response).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/2 s of CPU time.*simplify it/) } });
  }
  // The service accepts the next file.
  expect((await testService.upload(await picture())).status).toBe(201);
});

test("[MPR2] bombs and broken files are rejected with 422, the limit that they exceed and advice, and leave no files", async () => {
  await using folder = await temporaryFolder();
  await using testService = await startWithOwnProcesses(folder.path, { mediaLimits: withCpuTime(2_000) });
  const mp4 = await createWithFfmpeg(["-f", "lavfi", "-i", "testsrc=d=1:s=64x64", "-c:v", "libx264"], "mp4");
  // The header claims four billion samples.
  mp4.writeUInt32BE(0xffff_ffff, mp4.indexOf("stts") + 8);
  mp4.writeUInt32BE(0xffff_ffff, mp4.indexOf("stsz") + 12);
  const zip = zipOf([
    { name: "index.html", bytes: Buffer.from("x") },
    // Below the ratio of a bomb, but a lot to inflate.
    ...Array.from({ length: 8 }, (_, index) => ({ name: `n${index}`, bytes: Buffer.alloc(100_000_000, "abcdefghijklm") })),
    { name: "noise", bytes: crypto.getRandomValues(Buffer.alloc(65_536)) },
  ]);
  const cases: [string, Buffer, RegExp][] = [
    ["picture", pngBomb(), /picture takes more than 2 s of CPU time.*make it smaller/],
    ["zip", zip, /zip bomb|zip file takes more than 2 s/],
    ["document", pdfBomb(), /PDF (?:takes more than|cannot be read|crashed)/],
    ["video", mp4, /video (?:takes more than|cannot be read|crashed)/],
  ];
  for (const [what, bytes, detail] of cases) {
    const response = await testService.upload(bytes);
    expect([what, response.status, response.body.detail]).toEqual([what, 422, expect.stringMatching(detail)]);
  }
  expect(await storedFiles(folder.path)).toEqual([]);
});

test("[MPR3] a file that takes too much memory is rejected, and its process ends", async () => {
  await using folder = await temporaryFolder();
  const picture = { ...defaultLimits.picture, memoryMb: 160 };
  await using testService = await startWithOwnProcesses(folder.path, { mediaLimits: { picture } });
  const response = await testService.upload(pngBomb({ isInterlaced: true }));
  expect(response).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/picture takes more than 160 MB of memory/) } });
  expect(await mediaPids()).toEqual([]);
});

test("[MPR4] a file whose process is killed is examined again; after a second kill it is rejected with the advice to try later", async () => {
  await using folder = await temporaryFolder();
  await using testService = await startWithOwnProcesses(folder.path, { mediaLimits: withCpuTime(60_000) });
  const once = testService.upload(hostileSvg());
  const first = await busyPid();
  process.kill(first, "SIGKILL");
  const second = await busyPid(process.pid, first);
  process.kill(second, "SIGKILL");
  expect(await once).toMatchObject({
    status: 422,
    body: { detail: expect.stringMatching(/killed the program that examines it twice.*Try again later/) },
  });
  const again = testService.upload(hostileSvg(4));
  process.kill(await busyPid(), "SIGKILL");
  expect((await again).status).toBe(201);
});

test("[MPR5] idle media processes end after a while, and all media processes end with the service, even after SIGKILL", async () => {
  await using folder = await temporaryFolder();
  {
    await using testService = await startWithOwnProcesses(join(folder.path, "a"));
    expect((await testService.upload(await picture())).status).toBe(201);
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

test("[MPR6] a media process has no secrets in its environment, and no network if the system supports that", async () => {
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

test("[MPR7] stopping the service does not wait for an examination; the interrupted upload becomes an asset after the next start", async () => {
  await using folder = await temporaryFolder();
  const bytes = hostileSvg();
  let location = "";
  {
    await using testService = await startWithOwnProcesses(folder.path);
    const headers = { "tus-resumable": "1.0.0", "content-type": "application/offset+octet-stream" };
    const created = await testService.call("POST", "uploads", undefined, { ...headers, "upload-length": String(bytes.length) });
    location = created.headers.get("location")!.split("/api/v1/")[1]!;
    const appended = testService.call("PATCH", location, bytes, { ...headers, "upload-offset": "0" });
    await busyPid();
    await testService.service[Symbol.asyncDispose]();
    expect((await appended).status).toBe(503);
    expect(await mediaPids()).toEqual([]);
  }
  await using testService = await startWithOwnProcesses(folder.path, { mediaLimits: withCpuTime(60_000) });
  await eventually(async () => (await testService.call("GET", location)).body.status === "finished");
});

test("[MPR8] an invalid or overlong reply of a media process rejects the file", async () => {
  const lines = ["nonsense", `{"id":7,"is":"rejected","detail":"of another job"}`, null];
  for (const line of lines) {
    let end: (how: string) => void = () => undefined;
    const ended = new Promise<string>((resolve) => (end = resolve));
    let onLine: (line: string | null) => void = () => undefined;
    const start = async () => ({
      pid: undefined,
      ended,
      send: () => onLine(line),
      onLine: (listener: typeof onLine) => (onLine = listener),
      kill: () => end("SIGKILL"),
    });
    await using media = new MediaProcessPool({ log: silentLog, start });
    await expect(media.examine("/nowhere", undefined, "team")).rejects.toThrow(/send an invalid result/);
  }
});
