// The window on labwc with the configuration in packaging/. Needs Debian 13's labwc, see CONTRIBUTING.md.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createSystemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { createChromiumHost } from "../../src/host/chromium/host.ts";
import { findChromium } from "../../src/host/chromium/find-chromium.ts";
import { rootFolder } from "../../src/main/folders.ts";
import { countForeignPixels, startTestPageServer } from "../host/test-page-server.ts";
import { temporaryFolder } from "../host/hosts-under-test.ts";
import { waitUntil } from "../support/polling.ts";

const run = promisify(execFile);
const never = new AbortController().signal;
const nobody = 65534;
/** The root folder of a Debian 13 with labwc; empty to use this machine. */
const debian = process.env["SIGNAGE_LABWC_ROOT"] ?? "";
const isRoot = process.getuid?.() === 0;
const isHere = existsSync(join(debian || "/", "usr/bin/labwc")) && (debian === "" || isRoot);

test.skipIf(!isHere)("[HST36] on labwc the page covers the display without a pointer, in every mode and rotation", async () => {
  await using labwc = await startLabwc();
  await using server = await startTestPageServer();
  const folder = await temporaryFolder();
  try {
    const { DISPLAY: _, ...env } = process.env;
    await using host = createChromiumHost({
      executable: await findChromium(),
      profileFolder: folder,
      headless: false,
      window: null,
      env: { ...env, WAYLAND_DISPLAY: labwc.socket },
      log: silentLog,
      clock: createSystemClock(),
    });
    await host.open(server.page, never);
    const covers = async (width: number, height: number): Promise<void> => {
      const isCovered = async (): Promise<boolean> => {
        const picture = await labwc.picture();
        return picture.width === width && picture.height === height && countForeignPixels(picture.bytes, width * 4, width, height) === 0;
      };
      await waitUntil(`${width}x${height} is covered`, isCovered);
      expect(await server.run("[innerWidth, innerHeight]")).toEqual([width, height]);
    };
    await covers(1280, 720);
    await labwc.movePointer();
    await covers(1280, 720);
    for (const [width, height] of [
      [1920, 1080],
      [800, 600],
      [1080, 1920],
    ] as const) {
      await labwc.setOutput("--custom-mode", `${width}x${height}`);
      await covers(width, height);
    }
    await labwc.setOutput("--transform", "90");
    await covers(1920, 1080);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

interface Labwc extends AsyncDisposable {
  /** The value for WAYLAND_DISPLAY. */
  socket: string;
  /** Applies settings of wlr-randr to the only output. */
  setOutput(...settings: string[]): Promise<void>;
  /** Adds a mouse and moves it. */
  movePointer(): Promise<void>;
  /** The screen's picture with the pointer; four bytes per pixel: blue, green, red, unused. */
  picture(): Promise<{ width: number; height: number; bytes: Buffer }>;
}

/** Starts a headless labwc with a copy of its configuration, whose paths are those of the package. */
async function startLabwc(): Promise<Labwc> {
  await mkdir(join(debian, "/tmp"), { recursive: true });
  const folder = await mkdtemp(join(debian, "/tmp/signage-labwc-"));
  const inside = folder.slice(debian.length);
  await cp(join(rootFolder, "packaging/player/session/labwc"), join(folder, "labwc"), { recursive: true });
  const environment = await readFile(join(folder, "labwc/environment"), "utf8");
  await writeFile(join(folder, "labwc/environment"), environment.replace("/usr/lib/signage-player/labwc", join(inside, "labwc")));
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
  return {
    socket,
    setOutput: async (...settings) => void (await call("wlr-randr", "--output", "HEADLESS-1", ...settings)),
    movePointer: async () => void (await call("wlrctl", "pointer", "move", "200", "100")),
    picture: async () => fromPpm(await call("grim", "-t", "ppm", "-")),
    [Symbol.asyncDispose]: end,
  };
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
