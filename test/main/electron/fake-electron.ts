// A fake of Electron's main process: records its start, then behaves and exits as the test planned.
import { appendFileSync, readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";

/** `run` until stopped; `mute`: without keep-alive messages; `freeze` after the first one; `deaf` to SIGTERM; any other value: the way it exits. */
export type Life = "run" | "mute" | "freeze" | "deaf" | { exitCode: number } | { signal: NodeJS.Signals };

/** A line of the file `starts` in the app's folder. */
export interface Start {
  pid: number;
  argv: string[];
  runAsNode: string | undefined;
  temporaryFolder: string | undefined;
}

const [appFolder = "", ...argv] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(join(appFolder, "plan.json"), "utf8")) as Life[];
const starts = join(appFolder, "starts");
const earlier = readFileSync(starts, "utf8").split("\n").length - 1;
// The last behaviour is repeated.
const life = plan[Math.min(earlier, plan.length - 1)]!;
if (typeof life === "object") {
  noteStart();
  if ("exitCode" in life) process.exit(life.exitCode);
  process.kill(process.pid, life.signal);
}
// Loaded only now: a fake that only exits needs none of it.
enableCompileCache();
const { createSystemClock } = await import("../../../src/base/clock.ts");
const { startKeepAlive } = await import("../../../src/main/electron/keep-alive.ts");
const { readPlayerFlags, withoutBrowserSwitches } = await import("../../../src/main/player/player-flags.ts");
const { runProgram } = await import("../../../src/main/program.ts");
await runProgram("fake", () => readPlayerFlags(withoutBrowserSwitches(argv)), live);

async function live(_: unknown, __: unknown, signal: AbortSignal): Promise<void> {
  // From here on SIGTERM is handled.
  noteStart();
  const clock = createSystemClock();
  // Twenty times as often as the real one, so that the tests are quick.
  if (life !== "mute") startKeepAlive(signal, { ...clock, wait: (ms, either) => clock.wait(ms / 20, either) });
  // Messages are sent in order, so the keep-alive message has been sent when this one has.
  if (life === "freeze") process.send!({}, undefined, undefined, () => process.kill(process.pid, "SIGSTOP"));
  await clock.wait(Number.POSITIVE_INFINITY, life === "deaf" ? new AbortController().signal : signal);
}

function noteStart(): void {
  const { ELECTRON_RUN_AS_NODE: runAsNode, TMPDIR: temporaryFolder } = process.env;
  const start: Start = { pid: process.pid, argv, runAsNode, temporaryFolder };
  appendFileSync(starts, `${JSON.stringify(start)}\n`);
}
