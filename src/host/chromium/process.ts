// Chromium's processes: starts the browser, ends its processes and checks their sandbox.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import { killIfThere } from "../../base/processes/process-group.ts";
import type { BrowserAccount } from "./account.ts";
import { commandLine, sessionProcesses, type SessionProcess } from "./session-processes.ts";

/** A started Chromium. It has its own session, so that Ctrl+C at a terminal reaches only the player. */
export interface BrowserProcess {
  pid: number;
  /** The two directions of the DevTools pipe. The browser exits when the player's end closes. */
  input: Writable;
  output: Readable;
  /** How it ended, with its last lines of output. Never rejects. */
  exit: Promise<string>;
  /** The process and all its children. */
  processes(): Promise<SessionProcess[]>;
  /** Kills the process and all its children. */
  kill(): void;
  /** Kills only the child with this process id. */
  killProcess(pid: number): void;
}

const killLimitMs = 2_000;
const stderrLinesKept = 8;
// Messages of every start on a machine without a system bus, which would displace the important ones.
const ignoredLines = /dbus\/|^\s*$/;

/** @throws Fault `browser-missing` when the program cannot be executed. */
export async function startBrowser(executable: string, flags: readonly string[], account: BrowserAccount): Promise<BrowserProcess> {
  const child = spawn(executable, flags, {
    ...account.identity,
    cwd: "/",
    env: account.env,
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  try {
    await once(child, "spawn");
  } catch (cause) {
    throw new Fault("browser-missing", `cannot run ${executable}`, { cause });
  }
  const pid = child.pid!;
  const lines: string[] = [];
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    lines.push(...text.split("\n").filter((line) => !ignoredLines.test(line)));
    lines.splice(0, lines.length - stderrLinesKept);
  });
  const kill = (): void => killSession(pid);
  const exit = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      kill(); // children may outlive their parent
      resolve([signal === null ? `exit code ${code}` : `ended by ${signal}`, ...lines].join("; "));
    });
  });
  const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  return { pid, input, output, exit, processes: () => sessionProcesses(pid), kill, killProcess: killIfThere };
}

function killSession(pid: number): void {
  killIfThere(-pid);
}

/**
 * Releases the profile: ends any Chromium that still uses it, and removes its lock. The lock contains the machine's name, so
 * it would prevent a start after the machine was renamed.
 */
export async function releaseProfile(profileFolder: string, clock: Clock): Promise<void> {
  const lock = join(profileFolder, "SingletonLock");
  const holder = await readlink(lock).catch(() => "");
  const pid = Number(/-(\d+)$/.exec(holder)?.[1] ?? 0);
  const isHeld = async (): Promise<boolean> =>
    pid > 0 && (await commandLine(pid)).split(/[\0 ]--/).includes(`user-data-dir=${profileFolder}`);
  if (await isHeld()) killSession(pid);
  // It is not a child process, so there is no exit event. A killed process is gone within milliseconds.
  const endMs = clock.monotonic() + killLimitMs;
  while ((await isHeld()) && clock.monotonic() < endMs) await clock.wait(5);
  for (const name of ["SingletonLock", "SingletonSocket", "SingletonCookie"]) await rm(join(profileFolder, name), { force: true });
}

// A new renderer enters its sandbox before it loads anything, which takes longer on a busy machine.
const sandboxLimitMs = 5_000;
const sandboxPollMs = 20;

/**
 * Checks that these renderers are sandboxed: seccomp filters are on, and the user is not root.
 * @throws Fault `browser-failed` naming the missing part and the possible reasons.
 */
export async function assertSandboxed(renderers: readonly number[], clock: Clock): Promise<void> {
  if (renderers.length === 0) throw new Fault("browser-failed", "the browser has no renderer process whose sandbox could be checked");
  for (const pid of renderers) {
    const giveUpAt = clock.monotonic() + sandboxLimitMs;
    for (;;) {
      const { isSandboxed, description } = await sandboxOf(pid);
      if (isSandboxed) break;
      if (clock.monotonic() > giveUpAt) {
        throw new Fault(
          "browser-failed",
          `Chromium's sandbox is off (renderer ${pid}: ${description}); are user namespaces disabled (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces) and chrome-sandbox not setuid root?`,
        );
      }
      await clock.wait(sandboxPollMs);
    }
  }
}

async function sandboxOf(pid: number): Promise<{ isSandboxed: boolean; description: string }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch((error: unknown) => {
    throw new Fault("browser-failed", `cannot check the sandbox of renderer ${pid}: ${reasonOf(error)}`);
  });
  const seccomp = /^Seccomp:\s+(\d)/m.exec(status)?.[1];
  const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1];
  return { isSandboxed: seccomp === "2" && uid !== "0", description: `Seccomp ${seccomp}, user ${uid}` };
}
