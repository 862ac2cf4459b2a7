// Chromium's processes: starts the first, finds, weighs and ends them all. Speaks no protocol.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import type { BrowserAccount } from "./account.ts";

/** A started Chromium. It leads a session of its own, so a terminal's Ctrl+C reaches us and not it. */
export interface BrowserProcess {
  pid: number;
  /** The two ends of the DevTools pipe. When we die the browser reads its end and leaves. */
  input: Writable;
  output: Readable;
  /** How it ended, with the last lines it wrote. Never rejects. */
  exited: Promise<string>;
  /** Kills it and all its children. */
  kill(): void;
}

const killLimitMs = 2_000;
const stderrLinesKept = 8;
// Complaints of every start on a machine without a system bus; they would crowd out the line that matters.
const noise = /dbus\/|^\s*$/;

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
    lines.push(...text.split("\n").filter((line) => !noise.test(line)));
    lines.splice(0, lines.length - stderrLinesKept);
  });
  const kill = (): void => killSession(pid);
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      kill(); // children that outlive their parent
      resolve([signal === null ? `exit code ${code}` : `ended by ${signal}`, ...lines].join("; "));
    });
  });
  return { pid, input: child.stdio[3] as Writable, output: child.stdio[4] as Readable, exited, kill };
}

function killSession(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // ESRCH: nobody left, as wanted.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/**
 * Frees the profile of its last user: ends a Chromium that still runs on it, whoever started it, and removes its
 * lock, which names the machine and would stop a start after the machine was renamed.
 */
export async function releaseProfile(profileFolder: string, clock: Clock): Promise<void> {
  const lock = join(profileFolder, "SingletonLock");
  const holder = await readlink(lock).catch(() => "");
  const pid = Number(/-(\d+)$/.exec(holder)?.[1] ?? 0);
  // Chromium writes spaces over the NULs between its arguments.
  const isHeld = async (): Promise<boolean> =>
    pid > 0 && (await commandLine(pid)).split(/[\0 ]--/).includes(`user-data-dir=${profileFolder}`);
  if (await isHeld()) killSession(pid);
  // Not a child of ours, so no event tells its end; a killed process is gone within milliseconds.
  const endMs = clock.monotonic() + killLimitMs;
  while ((await isHeld()) && clock.monotonic() < endMs) await clock.wait(5);
  for (const name of ["SingletonLock", "SingletonSocket", "SingletonCookie"]) await rm(join(profileFolder, name), { force: true });
}

function commandLine(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
}

/** The ids of all processes of the browser's session, itself included. */
async function sessionProcesses(pid: number): Promise<number[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const sessions = await Promise.all(ids.map(sessionOf));
  return ids.filter((_, at) => sessions[at] === pid);
}

async function sessionOf(pid: number): Promise<number> {
  // "pid (name, which may hold spaces and brackets) state ppid pgrp session …"; gone processes are no news.
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[3] ?? 0);
}

/** Memory of all processes of the browser's session in bytes, what they share counted once. */
export async function sessionMemoryBytes(pid: number): Promise<number> {
  const sizes = await Promise.all((await sessionProcesses(pid)).map(processMemoryBytes));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A process's memory in bytes, its share of what several processes hold in common; 0 when the process is gone. */
export async function processMemoryBytes(pid: number): Promise<number> {
  // A sandboxed process may hide its maps from us; then what it has alone (RssAnon) is the nearest figure.
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => readFile(`/proc/${pid}/status`, "utf8").catch(() => ""));
  return Number(/^(?:Pss|RssAnon):\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
}

// A renderer that has only just been started cages itself before it loads anything; a busy machine takes its time.
const cageLimitMs = 5_000;
const cageLookMs = 20;

/**
 * Makes sure that these renderers are caged: seccomp filters on, not root.
 * @throws Fault `browser-failed` saying what is missing and why that may be.
 */
export async function assertSandboxed(renderers: readonly number[], clock: Clock): Promise<void> {
  if (renderers.length === 0) throw new Fault("browser-failed", "the browser shows no renderer process whose sandbox could be checked");
  for (const pid of renderers) {
    const giveUpAt = clock.monotonic() + cageLimitMs;
    for (;;) {
      const { isCaged, words } = await cageOf(pid);
      if (isCaged) break;
      if (clock.monotonic() > giveUpAt) {
        throw new Fault(
          "browser-failed",
          `Chromium's sandbox is off (renderer ${pid}: ${words}); are user namespaces disabled (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces) and chrome-sandbox not setuid root?`,
        );
      }
      await clock.wait(cageLookMs);
    }
  }
}

async function cageOf(pid: number): Promise<{ isCaged: boolean; words: string }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch((error: unknown) => {
    throw new Fault("browser-failed", `cannot check the sandbox of renderer ${pid}: ${reasonOf(error)}`);
  });
  const seccomp = /^Seccomp:\s+(\d)/m.exec(status)?.[1];
  const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1];
  return { isCaged: seccomp === "2" && uid !== "0", words: `Seccomp ${seccomp}, user ${uid}` };
}
