// An X server whose display can change its mode: TigerVNC's, which supports resizing by RandR, unlike Xvfb.
import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startXServer, type XServer } from "./x-server.ts";

const run = promisify(execFile);
// TigerVNC's one output.
const output = "VNC-0";
const maxPictureBytes = 64 * 1024 * 1024;

/** A size in pixels. */
export interface Mode {
  width: number;
  height: number;
}

/** A running Xvnc. Disposing of it ends it and removes its files. */
export interface Xvnc extends XServer {
  /** Sets another mode, as a driver does when a TV is switched on or rotated. */
  setMode(mode: Mode): Promise<void>;
  /** Turns the display off; `setMode` turns it on again. */
  turnOff(): Promise<void>;
  /** The current picture, four bytes a pixel: blue, green, red, unused; with the pointer, if there is one. */
  picture(mode: Mode): Promise<Buffer>;
}

/**
 * Starts Xvnc on the first free display, unreachable over the network.
 * @param authFile the cookie that clients need (Xauthority format); without it any local user may connect.
 * @throws Error when Xvnc is not installed or does not start.
 */
export async function startXvnc({ width, height }: Mode, authFile?: string): Promise<Xvnc> {
  const folder = await mkdtemp(join(tmpdir(), "signage-xvnc-"));
  const screen = ["-geometry", `${width}x${height}`, "-depth", "24"];
  const noNetwork = ["-rfbport", "-1", "-rfbunixpath", join(folder, "rfb"), "-SecurityTypes", "None"];
  const access = authFile === undefined ? ["-ac"] : ["-auth", authFile];
  const server = await startXServer("Xvnc", [...screen, ...noNetwork, ...access], folder);
  const { display } = server;
  const env = { ...process.env, DISPLAY: display, XAUTHORITY: authFile ?? "" };
  const xrandr = async (...argv: string[]): Promise<string> => (await run("xrandr", argv, { env })).stdout;
  return {
    display,
    setMode: async (mode) => {
      const name = `${mode.width}x${mode.height}`;
      if (!(await xrandr()).includes(` ${name} `)) await addMode(xrandr, name, mode);
      await xrandr("--output", output, "--mode", name);
    },
    turnOff: async () => void (await xrandr("--output", output, "--off")),
    picture: async (mode) => {
      const input = ["-f", "x11grab", "-video_size", `${mode.width}x${mode.height}`, "-i", display];
      const raw = ["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "bgr0", "-"];
      const { stdout } = await run("ffmpeg", ["-v", "error", ...input, ...raw], { env, encoding: "buffer", maxBuffer: maxPictureBytes });
      return stdout;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function addMode(xrandr: (...argv: string[]) => Promise<string>, name: string, { width, height }: Mode): Promise<void> {
  // There is no monitor: the timing values only have to increase.
  const timing = (size: number): string[] => [0, 1, 2, 3].map((more) => String(size + more));
  await xrandr("--newmode", name, "100", ...timing(width), ...timing(height));
  await xrandr("--addmode", output, name);
}
