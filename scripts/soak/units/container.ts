// A container that boots a Debian with its own systemd, by systemd-nspawn.
import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { rootFolder } from "../../../src/main/folders.ts";
import { Program } from "../../../test/support/programs/programs.ts";
import type { SoakRun } from "../soak-run.ts";
import { Cgroups } from "./cgroups.ts";

const execute = promisify(execFile);
const programs = ["debootstrap", "systemd-nspawn", "nsenter", "unshare", "setpriv"];
const bootLimitMs = 120_000;
const stopLimitMs = 60_000;
// Joins the groups in its first arguments, up to `--`, and becomes the program in the others.
const joinGroups = `while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs"; shift; done; shift; exec "$@"`;

/** Why this machine or user cannot run a container; null if it can. */
export function obstacleToContainers(): string | null {
  if (process.getuid?.() !== 0) return "only root can run a container";
  const missing = programs.filter((program) => spawnSync(program, ["--version"]).error !== undefined);
  return missing.length === 0 ? null : `these programs are missing: ${missing.join(", ")}`;
}

export interface ContainerOptions {
  /** Whether changes in the folder stay. Otherwise they are kept in memory and lost at the end. */
  isKept?: boolean;
  /** Folders of this machine by their paths inside, read-only. */
  readOnly?: Record<string, string>;
  /** The same, to be written to as well. */
  writable?: Record<string, string>;
}

let count = 0;

/** It uses this machine's network. This checkout is its /opt/signage-player, read-only. */
export class Container implements AsyncDisposable {
  readonly #nspawn: Program;
  readonly #cgroups: Cgroups;
  #leader = 0;

  private constructor(nspawn: Program, cgroups: Cgroups) {
    this.#nspawn = nspawn;
    this.#cgroups = cgroups;
  }

  /** Resolves when systemd has started everything. @param debian the folder of the system. */
  static async boot(
    debian: string,
    run: SoakRun,
    { isKept = false, readOnly = {}, writable = {} }: ContainerOptions = {},
  ): Promise<Container> {
    count += 1;
    const name = `signage-units-${process.pid}-${count}`;
    const cgroups = await Cgroups.create(name);
    const flags = [
      "--quiet",
      "--settings=no",
      "--register=no",
      `--machine=${name}`,
      `--directory=${debian}`,
      ...(isKept ? [] : ["--volatile=overlay"]),
      "--link-journal=no",
      // Packages come from the network.
      `--resolv-conf=${isKept ? "copy-host" : "off"}`,
      "--timezone=off",
      `--bind-ro=${rootFolder}:/opt/signage-player`,
      ...Object.entries(readOnly).map(([inside, folder]) => `--bind-ro=${folder}:${inside}`),
      ...Object.entries(writable).map(([inside, folder]) => `--bind=${folder}:${inside}`),
      "--boot",
    ];
    // Only a systemd on this machine could give the container a unit of its own.
    if (!existsSync("/run/systemd/system")) flags.push("--keep-unit");
    // All processes end with this one, also if it is killed: unshare is killed then, and with it all in its namespace.
    const mortal = ["setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const command = [...cgroups.folders, "--", ...mortal, "systemd-nspawn", ...flags];
    // systemd 256 and later need version 2 of control groups, which many machines also have beside version 1.
    const nspawn = new Program(["-c", joinGroups, "sh", ...command], { SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1" }, "sh");
    const container = new Container(nspawn, cgroups);
    try {
      let hasEnded = false;
      void nspawn.exitCode.then(() => (hasEnded = true));
      await run.until("the container has booted", () => hasEnded || container.#hasBooted(), bootLimitMs);
      if (hasEnded) throw new Error("systemd-nspawn ended");
      return container;
    } catch (error) {
      await container[Symbol.asyncDispose]();
      throw new Error(`no container: ${nspawn.output.slice(-2_000)}`, { cause: error });
    }
  }

  /** Runs a command inside as root. @returns its output. @throws Error with its error output if it fails. */
  async call(...command: string[]): Promise<string> {
    return (await execute("nsenter", this.#inside(command), { maxBuffer: 64 * 2 ** 20 })).stdout;
  }

  /** Starts a program inside as root. */
  start(...command: string[]): Program {
    return new Program(this.#inside(command), {}, "nsenter");
  }

  /** The names of the processes of one user. @param uid its number. */
  async processesOf(uid: number): Promise<string[]> {
    const statuses = await Promise.all(
      (await this.#cgroups.processes()).map((pid) => readFile(`/proc/${pid}/status`, "utf8").catch(() => "")),
    );
    return statuses.flatMap((status) => (Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) === uid ? [/^Name:\s+(.*)$/m.exec(status)![1]!] : []));
  }

  /** Resolves when it has ended, with the exit code of systemd-nspawn: 0 if it was switched off, 133 if it wants to boot again. */
  untilEnded(): Promise<number | null> {
    return this.#nspawn.exitCode;
  }

  /** Ends everything in it at once, as a power cut does. */
  async kill(): Promise<void> {
    await this.#nspawn.kill();
    await this.#cgroups[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A system that has not booted cannot shut down.
    const shutsDown = await this.call("systemctl", "poweroff").then(
      () => true,
      () => false,
    );
    const limit = new AbortController();
    if (shutsDown) await Promise.race([this.#nspawn.exitCode, pause(stopLimitMs, undefined, { signal: limit.signal })]);
    limit.abort();
    await this.kill();
  }

  async #hasBooted(): Promise<boolean> {
    const [nspawn = 0] = await childrenOf(this.#nspawn.pid);
    const children = await childrenOf(nspawn);
    if (children.length !== 1) return false;
    this.#leader = children[0]!;
    // It rejects before systemd listens, and for a system with a failed unit.
    const state = await this.call("sh", "-c", "systemctl is-system-running || :").catch(() => "");
    return ["running", "degraded"].includes(state.trim());
  }

  #inside(command: readonly string[]): string[] {
    const namespaces = ["--mount", "--uts", "--ipc", "--pid", "--cgroup"];
    return [
      "--target",
      String(this.#leader),
      ...namespaces,
      "--",
      "env",
      "-i",
      "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
      "LC_ALL=C.UTF-8",
      ...command,
    ];
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter(Boolean).map(Number);
}
