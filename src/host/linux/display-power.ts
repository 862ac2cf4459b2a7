// Reads the power of the machine's displays from the kernel's graphics drivers.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const graphicsFolder = "/sys/class/drm";

/**
 * `on` if a connected display is on, `off` if all connected ones are switched off by X11 (DPMS), by a Wayland compositor or by the
 * console. Null if nothing is connected or the driver does not say, as in a virtual machine. A display that its own power button
 * switched off often stays connected and counts as on: the kernel cannot know that.
 * @param folder other than `/sys/class/drm` in tests.
 */
export async function readDisplayPower(folder = graphicsFolder): Promise<"on" | "off" | null> {
  const names = await readdir(folder).catch(() => []);
  const connectors = names.filter((name) => /^card\d+-/.test(name)).map((name) => join(folder, name));
  const states = await Promise.all(
    connectors.map(async (path) => ({ status: await textOf(path, "status"), power: await textOf(path, "dpms") })),
  );
  const connected = states.filter(({ status }) => status === "connected");
  if (connected.some(({ power }) => power === "On")) return "on";
  return connected.length > 0 && connected.every(({ power }) => switchedOff.has(power)) ? "off" : null;
}

const switchedOff = new Set(["Off", "Standby", "Suspend"]);

async function textOf(folder: string, name: string): Promise<string> {
  return (await readFile(join(folder, name), "utf8").catch(() => "")).trim();
}
