// Starts a headless labwc with the configuration in packaging/. Needs Debian 13's labwc, see docs/testing.md.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { rootFolder } from "../../../src/main/folders.ts";
import { waitUntil } from "../polling.ts";

const run = promisify(execFile);
const nobody = 65534;
/** The root folder of a Debian 13 with labwc; empty to use this machine. */
const debian = process.env["SIGNAGE_LABWC_ROOT"] ?? "";
const isRoot = process.getuid?.() === 0;

/** Whether labwc can be started. */
export const hasLabwc = existsSync(join(debian || "/", "usr/bin/labwc")) && (debian === "" || isRoot);

export interface Labwc extends AsyncDisposable {
  /** The value for WAYLAND_DISPLAY. */
  socket: string;
  /** An environment with labwc's session and with its Debian's own wlopm, wlr-randr and wlrctl on PATH. */
  env: NodeJS.ProcessEnv;
  /** Connects another display, or disconnects it. */
  plug(isConnected: boolean): Promise<void>;
  /** Applies settings of wlr-randr to the only output. */
  setOutput(...settings: string[]): Promise<void>;
  /** Adds a mouse and moves it. */
  movePointer(): Promise<void>;
  /** The picture of all displays, or of one, with the pointer; four bytes per pixel: blue, green, red, unused. */
  picture(output?: string): Promise<{ width: number; height: number; bytes: Buffer }>;
}

/** Starts a headless labwc with a copy of its configuration, whose paths are those of the package. */
export async function startLabwc(): Promise<Labwc> {
  await mkdir(join(debian, "/tmp"), { recursive: true });
  const folder = await mkdtemp(join(debian, "/tmp/signage-labwc-"));
  const inside = folder.slice(debian.length);
  await cp(join(rootFolder, "packaging/player/session/labwc"), join(folder, "labwc"), { recursive: true });
  const environment = await readFile(join(folder, "labwc/environment"), "utf8");
  await writeFile(join(folder, "labwc/environment"), environment.replace("/usr/lib/signage-player/labwc", join(inside, "labwc")));
  await addPlugs(join(folder, "labwc/rc.xml"));
  if (isRoot) await chown(folder, nobody, nobody);
  await chmod(folder, 0o711);
  // grim and labwc share memory there, but debootstrap makes it writable for root only.
  if (debian !== "") await chmod(join(debian, "/dev/shm"), 0o1777);
  const own = ["XDG_RUNTIME_DIR=" + inside, "HOME=" + inside, "PATH=/usr/bin:/bin"];
  const env = ["env", "-i", "-C", inside, ...own, "WAYLAND_DISPLAY=wayland-0"];
  const user = isRoot ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];
  const place = debian === "" ? user : ["chroot", `--userspec=${nobody}:${nobody}`, debian];
  const call = async (...command: string[]): Promise<Buffer> => {
    const [program, ...argv] = [...place, ...env, ...command];
    return (await run(program!, argv, { encoding: "buffer", maxBuffer: 64 * 1024 * 1024 })).stdout;
  };
  const headless = ["-u", "WAYLAND_DISPLAY", "WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1"];
  // labwc is killed when the tests end. This comes last, because a change of user resets it.
  const mortal = ["setpriv", "--pdeathsig", "KILL"];
  const [program, ...argv] = [...place, ...env, ...mortal, "env", ...headless, "labwc", "-C", join(inside, "labwc")];
  const child = spawn(program!, argv, { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const socket = join(folder, "wayland-0");
  const end = async (): Promise<void> => {
    const ended = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGKILL")) await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await waitUntil("labwc has started", () => {
      if (child.exitCode !== null) throw new Error(`labwc exited with ${child.exitCode}: ${output}`);
      return existsSync(socket);
    });
  } catch (error) {
    await end();
    throw error;
  }
  const tools = join(folder, "tools");
  await mkdir(tools);
  for (const tool of ["wlopm", "wlr-randr"]) {
    const command = [...place, ...env, `/usr/bin/${tool}`].map((word) => `'${word}'`).join(" ");
    await writeFile(join(tools, tool), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  }
  return {
    socket,
    env: { PATH: `${tools}:/usr/sbin:/usr/bin:/bin`, WAYLAND_DISPLAY: socket, XDG_RUNTIME_DIR: folder },
    plug: async (isConnected) => {
      await call("wlrctl", "pointer", "click", isConnected ? "side" : "extra");
    },
    setOutput: async (...settings) => void (await call("wlr-randr", "--output", "HEADLESS-1", ...settings)),
    movePointer: async () => void (await call("wlrctl", "pointer", "move", "200", "100")),
    picture: async (output) => fromPpm(await call("grim", ...(output === undefined ? [] : ["-o", output]), "-t", "ppm", "-")),
    [Symbol.asyncDispose]: end,
  };
}

/** Two buttons of the mouse, which nothing else uses, connect and disconnect a display. */
async function addPlugs(file: string): Promise<void> {
  const plug = (button: string, action: string): string =>
    `<mousebind button="${button}" action="Press"><action name="${action}"><output_name>TV</output_name></action></mousebind>`;
  const text = await readFile(file, "utf8");
  const plugs = plug("Side", "VirtualOutputAdd") + plug("Extra", "VirtualOutputRemove");
  await writeFile(file, text.replace("<mouse>", `<mouse><context name="All">${plugs}</context>`));
}

/** Converts a binary PPM (P6, 255 levels) to the format that `countForeignPixels` reads. */
function fromPpm(ppm: Buffer): { width: number; height: number; bytes: Buffer } {
  const [head, width, height] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.toString("latin1", 0, 40))!;
  const bytes = Buffer.alloc(Number(width) * Number(height) * 4);
  for (let from = head.length, to = 0; to < bytes.length; from += 3, to += 4) {
    bytes[to] = ppm[from + 2]!;
    bytes[to + 1] = ppm[from + 1]!;
    bytes[to + 2] = ppm[from]!;
  }
  return { width: Number(width), height: Number(height), bytes };
}
