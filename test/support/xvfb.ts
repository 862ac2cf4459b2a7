// An X server without a monitor, on a display of its own, whose picture tests can read.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Framebuffer } from "./framebuffer.ts";

/** A running Xvfb; disposing ends it and removes its files. */
export interface Xvfb extends AsyncDisposable {
  /** Such as `:7`, for the environment variable DISPLAY. */
  display: string;
  framebuffer: Framebuffer;
}

/**
 * Starts Xvfb on the first free display. Any local user may connect, as a browser that runs as another user has to.
 * @throws Error when Xvfb is not installed or does not start.
 */
export async function startXvfb({ width, height }: { width: number; height: number } = { width: 1920, height: 1080 }): Promise<Xvfb> {
  const folder = await mkdtemp("/dev/shm/signage-xvfb-");
  const args = ["-displayfd", "3", "-screen", "0", `${width}x${height}x24`, "-fbdir", folder, "-nolisten", "tcp", "-ac"];
  // It dies with us, also when a test runner kills the tests.
  const server = spawn("setpriv", ["--pdeathsig", "KILL", "Xvfb", ...args], { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  let said = "";
  server.stderr!.setEncoding("utf8").on("data", (text: string) => (said += text));
  const exited = new Promise<never>((_, reject) => {
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`Xvfb exited with ${code}: ${said}`)));
  });
  exited.catch(() => undefined); // after the start its end is our own doing
  const ready = once(server.stdio[3] as Readable, "data") as Promise<[Buffer]>;
  try {
    const [number] = await Promise.race([ready, exited]);
    const framebuffer = new Framebuffer(join(folder, "Xvfb_screen0"));
    return {
      display: `:${number.toString().trim()}`,
      framebuffer,
      [Symbol.asyncDispose]: async () => {
        framebuffer[Symbol.dispose]();
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
