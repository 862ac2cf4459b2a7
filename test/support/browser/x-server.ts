// Starts an X server for one test and ends it with the test.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import type { Readable } from "node:stream";

/** A running X server. Disposing of it ends it and removes its folder. */
export interface XServer extends AsyncDisposable {
  /** Such as `:7`, for the environment variable DISPLAY. */
  display: string;
}

/**
 * Starts `program` on the first free display, without TCP. `folder` holds its files and is removed with it.
 * @throws Error with the program's output when it is not installed or does not start; `folder` is removed, too.
 */
export async function startXServer(program: string, args: readonly string[], folder: string): Promise<XServer> {
  // Without `-noreset` a server restarts itself when its last client leaves, and rejects connections meanwhile.
  // `--pdeathsig` ends the server even when the test runner kills the tests.
  const argv = ["--pdeathsig", "KILL", program, "-displayfd", "3", "-noreset", "-nolisten", "tcp", ...args];
  const server = spawn("setpriv", argv, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  let output = "";
  server.stderr!.setEncoding("utf8").on("data", (text: string) => (output += text));
  const exited = new Promise<never>((_, reject) => {
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`${program} exited with ${code}: ${output}`)));
  });
  exited.catch(() => undefined); // the promise is no longer awaited after the start
  const ready = once(server.stdio[3] as Readable, "data") as Promise<[Buffer]>;
  try {
    const [number] = await Promise.race([ready, exited]);
    return {
      display: `:${number.toString().trim()}`,
      [Symbol.asyncDispose]: async () => {
        const ended = once(server, "exit");
        server.kill("SIGKILL");
        await ended;
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    server.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
