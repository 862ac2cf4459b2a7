// One media process: started with as few rights as the system lets us give it, spoken to in lines, and killed by its owner.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { longestAnswer } from "./job-protocol.ts";
import { maxDataBytes } from "./limits.ts";

/** A process that runs jobs. */
export interface MediaProcess {
  /** Undefined where it could not be started, or not yet. */
  readonly pid: number | undefined;
  /** Resolves to how it ended, in words such as `SIGSEGV` or `code 1`; never rejects. */
  readonly ended: Promise<string>;
  send(line: string): void;
  /** Hears each line that it writes; null says that a line became too long. */
  onLine(hear: (line: string | null) => void): void;
  /** Ends it at once. */
  kill(): void;
}
export type StartMediaProcess = () => Promise<MediaProcess>;

/** Of the heap of JavaScript, MB: what a document of the largest size takes to read. */
export const heapFlags = ["--max-old-space-size=512"];
const isSource = import.meta.filename.endsWith(".ts");
/** The program of a media process, beside this file; bundled, it has a name of its own (vite.main.config.ts). */
export const mediaProgram = join(import.meta.dirname, isSource ? "child.ts" : "media-child.js");

// Each of these programs becomes the next one, so the last has the process id that we know. Together: the kernel ends
// it first when memory runs out, it has a bounded amount of data and no core dump, and it dies with the service.
const bounded = ["choom", "-n", "1000", "--", "prlimit", `--data=${maxDataBytes}`, "--core=0", "--"];
const noNetwork = ["unshare", "--user", "--net", "--map-current-user", "--"];
const diesWithUs = ["setpriv", "--pdeathsig", "KILL", "--"];
// Containers and hardened units forbid namespaces; other systems have none of these programs.
const guards: readonly (readonly string[])[] = [[...bounded, ...noNetwork, ...diesWithUs], [...bounded, ...diesWithUs], []];

/** The environment of a media process: where programs are, and no secret. */
export const mediaEnvironment: Readonly<Record<string, string>> = { PATH: process.env["PATH"] ?? "" };

let chosen: Promise<readonly string[]> | null = null;

/** The command that starts `argv` with the strictest of the guards that this system allows. */
export async function sandboxedCommand(argv: readonly string[]): Promise<{ command: string; args: string[] }> {
  chosen ??= chooseGuard();
  const [command, ...args] = [...(await chosen), ...argv];
  return { command: command!, args };
}

/** Starts a media process on Node. It may read files, and neither write them nor start programs (Node's permission model). */
export async function startMediaProcess(): Promise<MediaProcess> {
  const permissions = ["--permission", "--allow-fs-read=*", "--allow-addons", "--no-warnings", ...heapFlags];
  const { command, args } = await sandboxedCommand([process.execPath, ...permissions, mediaProgram]);
  const child = spawn(command, args, { stdio: ["pipe", "ignore", "ignore", "pipe"], env: mediaEnvironment });
  // A job that is written to a process that has just ended is told by its end.
  child.stdin!.on("error", () => undefined);
  return {
    pid: child.pid,
    ended: endOf(child),
    send: (line) => void child.stdin!.write(`${line}\n`),
    onLine: (hear) => readLines(child.stdio[3] as NodeJS.ReadableStream, hear),
    kill: () => void child.kill("SIGKILL"),
  };
}

async function chooseGuard(): Promise<readonly string[]> {
  for (const guard of guards) {
    if (guard.length === 0) break;
    const [command, ...args] = [...guard, "true"];
    const child = spawn(command!, args, { stdio: "ignore", env: mediaEnvironment });
    if ((await endOf(child)) === "code 0") return guard;
  }
  return [];
}

async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return signal ?? `code ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Lines of at most {@link longestAnswer} characters: what a process writes is held in memory. */
function readLines(stream: NodeJS.ReadableStream, hear: (line: string | null) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (part: string) => {
    const lines = (rest + part).split("\n");
    rest = lines.pop()!;
    for (const line of lines) hear(line);
    if (rest.length <= longestAnswer) return;
    rest = "";
    hear(null);
  });
}
