// Starts one media process with as few rights as the system allows, and exchanges lines with it.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { maxReplyLength } from "./job-protocol.ts";
import { maxDataBytes } from "./limits.ts";

/** A process that runs jobs; see job-protocol.ts for the lines. */
export interface MediaProcess {
  /** Undefined when the process failed to start or has not started yet. */
  readonly pid: number | undefined;
  /** Resolves to how the process ended, such as `SIGSEGV` or `code 1`; never rejects. */
  readonly ended: Promise<string>;
  send(line: string): void;
  /** Calls `listener` with each line that the process writes, and with null when a line is too long. */
  onLine(listener: (line: string | null) => void): void;
  kill(): void;
}
export type StartMediaProcess = () => Promise<MediaProcess>;

/** The JavaScript heap suffices for the largest document. */
export const heapFlags = ["--max-old-space-size=512"];
const isSource = import.meta.filename.endsWith(".ts");
/** The program of a media process, in the folder of this file. Its bundle has another name (config/vite.programs.ts). */
export const mediaProgram = join(import.meta.dirname, isSource ? "child.ts" : "media-child.js");

// Each of these programs replaces itself by the next one, so the process id stays the same. Together: the kernel kills the
// process first when memory runs out, its memory is limited, it dumps no core, and it dies with the service.
const bounded = ["choom", "-n", "1000", "--", "prlimit", `--data=${maxDataBytes}`, "--core=0", "--"];
const noNetwork = ["unshare", "--user", "--net", "--map-current-user", "--"];
const killWithService = ["setpriv", "--pdeathsig", "KILL", "--"];
// The strictest first. Containers and hardened units forbid namespaces; other systems than Linux have none of these programs.
const sandboxes: readonly (readonly string[])[] = [[...bounded, ...noNetwork, ...killWithService], [...bounded, ...killWithService], []];

/** The environment of a media process: no secrets. */
export const mediaEnvironment: Readonly<Record<string, string>> = { PATH: process.env["PATH"] ?? "" };

let chosen: Promise<readonly string[]> | null = null;

/** The command that runs `argv` in the strictest sandbox that this system allows. */
export async function sandboxedCommand(argv: readonly string[]): Promise<{ command: string; args: string[] }> {
  chosen ??= chooseSandbox();
  const [command, ...args] = [...(await chosen), ...argv];
  return { command: command!, args };
}

/** Starts a media process on Node. Node's permission model lets it read files, but not write them or start programs. */
export async function startMediaProcess(): Promise<MediaProcess> {
  const permissions = ["--permission", "--allow-fs-read=*", "--allow-addons", "--no-warnings", ...heapFlags];
  const { command, args } = await sandboxedCommand([process.execPath, ...permissions, mediaProgram]);
  const child = spawn(command, args, { stdio: ["pipe", "ignore", "ignore", "pipe"], env: mediaEnvironment });
  // `ended` reports the end of the process; a failed write adds nothing.
  child.stdin!.on("error", () => undefined);
  return {
    pid: child.pid,
    ended: endOf(child),
    send: (line) => void child.stdin!.write(`${line}\n`),
    onLine: (listener) => readLines(child.stdio[3] as NodeJS.ReadableStream, listener),
    kill: () => void child.kill("SIGKILL"),
  };
}

async function chooseSandbox(): Promise<readonly string[]> {
  for (const sandbox of sandboxes) {
    if (sandbox.length === 0) break;
    const [command, ...args] = [...sandbox, "true"];
    const child = spawn(command!, args, { stdio: "ignore", env: mediaEnvironment });
    if ((await endOf(child)) === "code 0") return sandbox;
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

/** Splits the output into lines. A line may have {@link maxReplyLength} characters, since it is held in memory. */
function readLines(stream: NodeJS.ReadableStream, listener: (line: string | null) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (part: string) => {
    const lines = (rest + part).split("\n");
    rest = lines.pop()!;
    for (const line of lines) listener(line);
    if (rest.length <= maxReplyLength) return;
    rest = "";
    listener(null);
  });
}
