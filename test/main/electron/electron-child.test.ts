// Supervises a stand-in for Electron: a real process that crashes, hangs or sends keep-alive messages as a test has planned.
import { mkdir, readFile, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createSystemClock, type Clock } from "../../../src/base/clock.ts";
import { isFault } from "../../../src/base/fault.ts";
import { lockFolder } from "../../../src/base/files/folder-lock.ts";
import { runElectron, type ElectronLimits } from "../../../src/main/electron/electron-child.ts";
import { readPlayerFlags, type PlayerFlags } from "../../../src/main/player/player-flags.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { Program, type Line } from "../../support/programs/programs.ts";
import type { Life, Start } from "./fake-electron.ts";

const tmpfs = 0x01021994;
// No test waits until this limit.
const hourMs = 3_600_000;
const patient: ElectronLimits = {
  firstKeepAliveMs: hourMs,
  silentMs: hourMs,
  graceMs: 10,
  stopMs: hourMs,
  restarts: { times: 5, withinMs: hourMs, backoff: { firstMs: 10, longestMs: 20 } },
};

/** A fake clock that counts how often it is read: once for each message of the fake, and once after each wait of the supervisor. */
class CountedClock extends FakeClock {
  reads = 0;

  override monotonic(): number {
    this.reads += 1;
    return super.monotonic();
  }

  /** Resolves after `count` further reads. */
  async read(count: number): Promise<void> {
    const enough = this.reads + count;
    await eventually(() => this.reads >= enough);
  }
}

/** An app's folder with a fake Electron whose runs behave as `plan` says, with its starts and the log. */
class Stage implements AsyncDisposable {
  readonly folder: string;
  readonly lines: Line[] = [];
  readonly #dispose: () => PromiseLike<void>;
  readonly #stop = new AbortController();
  #run: Promise<void> = Promise.resolve();

  private constructor(folder: { path: string } & AsyncDisposable) {
    this.folder = folder.path;
    this.#dispose = () => folder[Symbol.asyncDispose]();
  }

  static async with(...plan: Life[]): Promise<Stage> {
    const stage = new Stage(await temporaryFolder());
    await mkdir(join(stage.folder, "dist/main"), { recursive: true });
    await writeFile(join(stage.folder, "dist/main/electron.js"), "");
    await writeFile(join(stage.folder, "plan.json"), JSON.stringify(plan));
    await writeFile(join(stage.folder, "starts"), "");
    const fake = join(import.meta.dirname, "fake-electron.ts");
    await writeFile(stage.executable, `#!/bin/sh\nexec '${process.execPath}' '${fake}' "$@"\n`, { mode: 0o755 });
    return stage;
  }

  get executable(): string {
    return join(this.folder, "electron");
  }

  get flags(): PlayerFlags {
    return readPlayerFlags(["--data", join(this.folder, "data"), "--server", "http://127.0.0.1:9"]);
  }

  run(limits: Partial<ElectronLimits> = {}, { executable = this.executable, clock = createSystemClock() as Clock } = {}): Promise<void> {
    const log = pino({ base: null }, { write: (text: string) => void this.lines.push(JSON.parse(text) as Line) });
    const parts = { executable, flags: this.flags, switches: ["--lang=de"], clock, log, appFolder: this.folder };
    this.#run = runElectron({ ...parts, limits: { ...patient, ...limits } }, this.#stop.signal);
    this.#run.catch(() => undefined); // a test that expects a fault awaits the same promise
    return this.#run;
  }

  /** Resolves once the fake has been started `times` times. */
  started(times: number): Promise<Start[]> {
    return eventually(async () => {
      const starts = await this.starts();
      return starts.length >= times && starts;
    });
  }

  async starts(): Promise<Start[]> {
    const text = await readFile(join(this.folder, "starts"), "utf8");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Start);
  }

  stop(): Promise<void> {
    this.#stop.abort();
    return this.#run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    // Processes of a failed test, or of a killed parent.
    for (const { pid } of await this.starts()) if (isRunning(pid)) process.kill(pid, "SIGKILL");
    await Promise.allSettled([this.#run]);
    await this.#dispose();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // there is no such process
  }
}

/** The process's state in /proc, "T" for a stopped one. */
async function stateOf(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8");
  return status.slice(status.lastIndexOf(")") + 2)[0]!;
}

test("[ENG10] Electron receives the app's folder, one argument per flag, and Chromium's switches, and never runs as plain Node", async () => {
  process.env["ELECTRON_RUN_AS_NODE"] = "1";
  try {
    await using stage = await Stage.with({ exitCode: 0 });
    await stage.run();
    const [start] = await stage.starts();
    expect(start!.argv).toEqual(["--server=http://127.0.0.1:9", `--data=${stage.folder}/data`, "--lang=de"]);
    expect(start!.runAsNode).toBeUndefined();
  } finally {
    delete process.env["ELECTRON_RUN_AS_NODE"];
  }
});

test("[ENG11] an Electron that crashes is restarted, and the log says why", async () => {
  await using stage = await Stage.with({ exitCode: 1 }, { signal: "SIGSEGV" }, "run");
  const run = stage.run();
  const [, , third] = await stage.started(3);
  expect(stage.lines.map(({ msg, reason }) => [msg, reason])).toEqual([
    ["restarting Electron", "it exited with 1"],
    ["restarting Electron", "it was ended by SIGSEGV"],
  ]);
  await stage.stop();
  await run;
  expect(isRunning(third!.pid)).toBe(false);
});

/** Lets time pass until the supervisor says that it restarts Electron, and ends its pause before that. */
async function passUntilRestart(clock: FakeClock, { lines }: Stage): Promise<void> {
  await eventually(() => {
    if (lines.length === 0) clock.advance(100);
    return lines.length > 0;
  });
  await eventually(() => clock.pendingWaits > 0);
  clock.advance(patient.restarts.backoff.longestMs);
}

test("[ENG12] a browser process that hangs is killed and restarted", async () => {
  await using stage = await Stage.with("freeze", "run");
  const clock = new CountedClock();
  const run = stage.run({ silentMs: 2_000 }, { clock });
  const [first] = await stage.started(1);
  await eventually(async () => (await stateOf(first!.pid)) === "T");
  await passUntilRestart(clock, stage);
  await stage.started(2);
  expect(isRunning(first!.pid)).toBe(false);
  expect(stage.lines).toMatchObject([{ msg: "restarting Electron", reason: "it sent no keep-alive for 2000 ms" }]);
  await stage.stop();
  await run;
});

test("[ENG12] a browser process that never responded is killed and restarted", async () => {
  await using stage = await Stage.with("mute", "run");
  const clock = new CountedClock();
  const run = stage.run({ firstKeepAliveMs: 3_000 }, { clock });
  await stage.started(1);
  await passUntilRestart(clock, stage);
  await stage.started(2);
  expect(stage.lines).toMatchObject([{ msg: "restarting Electron", reason: "it sent no keep-alive for 3000 ms" }]);
  await stage.stop();
  await run;
});

test("[ENG13] an Electron that sends keep-alive messages is not restarted", async () => {
  await using stage = await Stage.with("run");
  const clock = new CountedClock();
  const run = stage.run({ silentMs: 4_000, graceMs: 2_000 }, { clock });
  const [start] = await stage.started(1);
  // More than twice as long as the limit for a silent process. Of five reads at least three are of messages.
  for (let step = 0; step < 6; step += 1) {
    clock.advance(1_900);
    await clock.read(5);
  }
  expect(isRunning(start!.pid)).toBe(true);
  expect(await stage.starts()).toHaveLength(1);
  expect(stage.lines).toEqual([]);
  await stage.stop();
  await run;
});

test("[ENG14] an Electron that fails too often causes a fault", async () => {
  await using stage = await Stage.with({ exitCode: 1 });
  const error: unknown = await stage.run().catch((thrown: unknown) => thrown);
  expect(isFault(error, "browser-failed")).toBe(true);
  expect((error as Error).message).toContain("Electron failed 6 times within 60 minutes; the last time it exited with 1");
  expect(await stage.starts()).toHaveLength(6);
});

test("[ENG15] failures older than the time window do not count", async () => {
  await using stage = await Stage.with(...Array.from({ length: 7 }, () => ({ exitCode: 1 })), "run");
  // Each wait is longer than the window.
  const run = stage.run({ restarts: { times: 1, withinMs: 1, backoff: { firstMs: 30, longestMs: 30 } } });
  await stage.started(8);
  await stage.stop();
  await run;
});

test("[ENG16] exit code 0 ends the player, and code 2 is immediately reported as bad flags", async () => {
  await using ended = await Stage.with({ exitCode: 0 });
  await ended.run();
  await using refused = await Stage.with({ exitCode: 2 });
  await expect(refused.run()).rejects.toMatchObject({ code: "bad-config" });
  expect([...(await ended.starts()), ...(await refused.starts())]).toHaveLength(2);
  expect([...ended.lines, ...refused.lines]).toEqual([]);
});

test("[ENG17] a binary that cannot be started, a player that is not built and a data folder in use are reported immediately", async () => {
  await using stage = await Stage.with("run");
  await expect(stage.run({}, { executable: join(stage.folder, "nothing") })).rejects.toMatchObject({
    code: "browser-failed",
    message: expect.stringContaining("ENOENT"),
  });
  {
    using _lock = lockFolder(stage.flags.folder);
    await expect(stage.run()).rejects.toMatchObject({ code: "data-in-use" });
  }
  await rm(join(stage.folder, "dist/main/electron.js"));
  await expect(stage.run()).rejects.toMatchObject({ code: "browser-missing", message: expect.stringContaining("npm run build") });
  expect(await stage.starts()).toEqual([]);
});

test("[ENG18] stopping asks Electron to stop and waits until it has exited; if it does not, it is killed", async () => {
  await using willing = await Stage.with("run");
  void willing.run();
  const [first] = await willing.started(1);
  await willing.stop();
  expect(isRunning(first!.pid)).toBe(false);
  expect(willing.lines).toEqual([]);

  await using deaf = await Stage.with("deaf");
  void deaf.run({ stopMs: 300 });
  const [second] = await deaf.started(1);
  await deaf.stop();
  expect(isRunning(second!.pid)).toBe(false);
  expect(deaf.lines).toMatchObject([{ msg: "Electron did not stop in time and is killed", limit_ms: 300 }]);
});

test("[ENG18] stopping while Electron waits to be restarted ends the wait", async () => {
  await using stage = await Stage.with({ exitCode: 1 });
  void stage.run({ restarts: { times: 5, withinMs: hourMs, backoff: { firstMs: hourMs, longestMs: hourMs } } });
  await eventually(() => stage.lines.length > 0);
  await stage.stop();
  expect(await stage.starts()).toHaveLength(1);
});

test("[ENG19] when the parent is killed, Electron ends and its data folder is free", async () => {
  await using stage = await Stage.with("run");
  await using parent = new Program(["test/main/electron/parent.ts", stage.executable, stage.folder, stage.flags.folder]);
  const [start] = await stage.started(1);
  await parent.kill();
  await eventually(() => !isRunning(start!.pid));
  lockFolder(stage.flags.folder)[Symbol.dispose]();
});

test("[WRT6] Electron's temporary files are in memory too, in a folder that is removed when the player ends", async () => {
  await using stage = await Stage.with({ signal: "SIGKILL" }, "run");
  void stage.run();
  const [first, second] = await stage.started(2);
  expect((await statfs(second!.temporaryFolder!)).type).toBe(tmpfs);
  expect(second!.temporaryFolder).toBe(first!.temporaryFolder);
  await stage.stop();
  await expect(stat(second!.temporaryFolder!)).rejects.toMatchObject({ code: "ENOENT" });
});
