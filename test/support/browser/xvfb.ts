// An X server without a monitor (Xvfb), whose picture tests can read.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { Framebuffer } from "./framebuffer.ts";
import { startXServer, type XServer } from "./x-server.ts";

/** A running Xvfb. Disposing of it ends it and removes its files. */
export interface Xvfb extends XServer {
  framebuffer: Framebuffer;
}

/**
 * Starts Xvfb on the first free display. Any local user may connect, because the browser may run as another user.
 * @throws Error when Xvfb is not installed or does not start.
 */
export async function startXvfb({ width, height }: { width: number; height: number } = { width: 1920, height: 1080 }): Promise<Xvfb> {
  const folder = await mkdtemp("/dev/shm/signage-xvfb-");
  await using owned = new AsyncDisposableStack();
  const server = owned.use(await startXServer("Xvfb", ["-screen", "0", `${width}x${height}x24`, "-fbdir", folder, "-ac"], folder));
  const framebuffer = owned.use(new Framebuffer(join(folder, "Xvfb_screen0")));
  const all = owned.move();
  return { display: server.display, framebuffer, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
