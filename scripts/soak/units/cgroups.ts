// Control groups of its own for a container, so that every process in it can be found and ended.
import { mkdir, readdir, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../../src/base/fault.ts";
import { waitUntil } from "../../../test/support/polling.ts";
import { signalIfThere } from "../../../test/support/programs/signal-if-there.ts";

const endLimitMs = 60_000;

export class Cgroups implements AsyncDisposable {
  /** A folder in the hierarchy of version 2, and one in systemd's own hierarchy where the machine also has version 1. */
  readonly folders: readonly string[];

  private constructor(folders: readonly string[]) {
    this.folders = folders;
  }

  /** Creates them below this process's own. */
  static async create(name: string): Promise<Cgroups> {
    const own = (await readFile("/proc/self/cgroup", "utf8")).split("\n");
    const mounts = (await readFile("/proc/self/mountinfo", "utf8")).split("\n").map((line) => line.split(" "));
    const folders = mounts.flatMap((fields) => {
      const [type, , options = ""] = fields.slice(fields.indexOf("-") + 1);
      const isSystemd = type === "cgroup" && options.split(",").includes("name=systemd");
      if (type !== "cgroup2" && !isSystemd) return [];
      const path = own.find((line) => (isSystemd ? /^\d+:name=systemd:/ : /^0::/).test(line))?.split(":")[2];
      return path === undefined ? [] : [join(fields[4]!, path, name)];
    });
    for (const folder of folders) await mkdir(folder);
    return new Cgroups(folders);
  }

  /** The ids of all processes in the groups and in those below. */
  async processes(): Promise<number[]> {
    const lists = await Promise.all(
      this.folders.map(async (folder) => (await groupsBelow(folder)).map((each) => join(each, "cgroup.procs"))),
    );
    const texts = await Promise.all(lists.flat().map((list) => readFile(list, "utf8").catch(unlessGone(""))));
    return [...new Set(texts.flatMap((text) => text.split("\n").filter(Boolean).map(Number)))];
  }

  /** Kills what is left and removes the groups. */
  async [Symbol.asyncDispose](): Promise<void> {
    const killAll = async (): Promise<boolean> => {
      const pids = await this.processes();
      for (const pid of pids) signalIfThere(pid, "SIGKILL");
      return pids.length === 0;
    };
    await waitUntil("no process is left", killAll, endLimitMs);
    for (const folder of this.folders) {
      for (const group of (await groupsBelow(folder)).toReversed()) await rmdir(group).catch(unlessGone(undefined));
    }
  }
}

/** The group and all below it, each before its own. */
async function groupsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unlessGone([]));
  const below = await Promise.all(entries.filter((entry) => entry.isDirectory()).map(({ name }) => groupsBelow(join(folder, name))));
  return [folder, ...below.flat()];
}

function unlessGone<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (hasErrorCode(error, "ENOENT", "ENODEV")) return instead;
    throw error;
  };
}
