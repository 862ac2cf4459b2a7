// Starts a program of the system in a process group of its own that ends as a whole, and never outlives this process.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { hasErrorCode } from "../fault.ts";
import { isAccessible } from "../files/is-accessible.ts";

/** Its `stdin` takes the program's input. Emits `error` when the program cannot be started; its process id is that of the group. */
export type GroupLeader = ChildProcessByStdio<Writable, Readable, Readable>;

export interface ProcessGroup {
  readonly leader: GroupLeader;
  /** Kills all processes of the group. Has no effect on a group that has ended. */
  readonly kill: () => void;
}

export interface GroupOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string;
}

// A process in the background of the group waits for the end of a pipe that this process holds. When this process ends, in whatever
// way, the kernel closes the pipe, and the group is killed. `exec` keeps process id, exit code and signal of the program.
const script = `(read -r _; kill -KILL 0) <&3 3<&- >/dev/null 2>&1 & exec "$@" 3<&-`;

/**
 * Starts `program`, a path or a name on the PATH of `env`, without a shell's interpretation of its arguments. A process that the
 * program leaves behind in its group is killed when the program ends. A program that does not exist ends with 127, one that cannot be
 * executed with 126, as in a shell: where that matters, look for it first ({@link findProgram}).
 */
export function startGroup(program: string, args: readonly string[], { env, cwd }: GroupOptions): ProcessGroup {
  const leader = spawn("/bin/sh", ["-c", script, "sh", program, ...args], {
    env,
    ...(cwd !== undefined && { cwd }),
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    detached: true,
  }) as unknown as GroupLeader;
  const pipe = leader.stdio[3] as unknown as Writable;
  // The group was killed: nobody reads the pipe any more.
  pipe.on("error", () => undefined);
  // A program that ends without reading its input breaks that pipe, which says nothing about how it ended.
  leader.stdin.on("error", () => undefined);
  // Ends the processes that the program left behind, and the one that waits.
  leader.once("exit", () => pipe.destroy());
  const kill = (): void => {
    if (leader.pid !== undefined) killIfThere(-leader.pid);
  };
  return { leader, kill };
}

/** The path of the program `name`, a name or a path, in the folders of the variable PATH; null when this user can run none. */
export async function findProgram(name: string, path: string | undefined): Promise<string | null> {
  const candidates = name.includes("/")
    ? [name]
    : (path ?? "").split(delimiter).flatMap((folder) => (folder === "" ? [] : join(folder, name)));
  for (const candidate of candidates) if (await isAccessible(candidate, constants.X_OK)) return candidate;
  return null;
}

/** Kills a process, if it still runs. @param pid negative for all processes of its group. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!hasErrorCode(error, "ESRCH")) throw error;
  }
}
