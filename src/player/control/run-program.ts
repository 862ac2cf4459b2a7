// Runs a program without a shell, with limits of time and output, and never leaves its processes running.
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import { findProgram, startGroup } from "../../base/processes/process-group.ts";

export interface ProgramLimits {
  timeoutMs: number;
  /** Of each of the two outputs. */
  maxOutputBytes: number;
}

/** How a program ended. `timeout`: it was killed because it ran too long. */
export interface ProgramEnd {
  code: number | null;
  signal: string | null;
  timedOut: boolean;
  /** Lines of the output, the last one a note if it was cut. */
  stdout: string[];
  stderr: string[];
}

const maxLines = 2_000;

// The programs get no variable of the player, which may name secrets such as a proxy's password.
const environment = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  HOME: "/",
  LC_ALL: "C",
};

/**
 * Runs `path` in a process group of its own, in the folder `/`, without input. At the limit, or when `signal` aborts, the whole group is
 * killed. @throws Fault `not-applied` if it cannot be started; the signal's reason.
 */
export async function runProgram(
  path: string,
  argv: readonly string[],
  { timeoutMs, maxOutputBytes }: ProgramLimits,
  clock: Clock,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  signal.throwIfAborted();
  if ((await findProgram(path, undefined)) === null) throw new Fault("not-applied", "the program cannot be executed");
  signal.throwIfAborted();
  const { leader, kill } = startGroup(path, argv, { cwd: "/", env: environment });
  leader.stdin.end();
  const over = new AbortController();
  signal.addEventListener("abort", kill, { signal: over.signal });
  let timedOut = false;
  void clock.wait(timeoutMs, over.signal).then(
    () => {
      timedOut = true;
      kill();
    },
    () => undefined, // it ended before
  );
  const outputs = Promise.all([readLimited(leader.stdout, maxOutputBytes), readLimited(leader.stderr, maxOutputBytes)]);
  try {
    const [code, killedBy] = (await once(leader, "exit")) as [number | null, NodeJS.Signals | null];
    const [stdout, stderr] = await outputs;
    signal.throwIfAborted();
    return { code, signal: killedBy, timedOut, stdout, stderr };
  } catch (error) {
    signal.throwIfAborted();
    throw new Fault("not-applied", "the program could not be started", { cause: error });
  } finally {
    over.abort();
  }
}

/** The lines of an output, cut with a note. Reads on after the limit, so that the program does not block. */
async function readLimited(output: Readable, maxBytes: number): Promise<string[]> {
  const chunks: Buffer[] = [];
  let length = 0;
  let total = 0;
  output.on("data", (chunk: Buffer) => {
    total += chunk.length;
    if (length < maxBytes) chunks.push(chunk.subarray(0, maxBytes - length));
    length = Math.min(maxBytes, total);
  });
  await once(output, "close");
  const text = Buffer.concat(chunks).toString("utf8").replace(/\n$/, "");
  const lines = text === "" ? [] : text.split("\n");
  const kept = lines.slice(0, maxLines);
  const isCut = total > maxBytes || lines.length > maxLines;
  return isCut ? [...kept, `[cut: the program wrote ${total} bytes]`] : kept;
}
