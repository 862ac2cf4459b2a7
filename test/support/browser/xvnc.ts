// An X server whose display changes its mode, on a display of its own: TigerVNC's, which resizes by RandR where Xvfb refuses.
import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startXServer, type XServer } from "./x-server.ts";

const run = promisify(execFile);
// TigerVNC's one output.
const output = "VNC-0";
const largestPicture = 64 * 1024 * 1024;

/** A size in pixels. */
export interface Mode {
  width: number;
  height: number;
}

/** A running Xvnc; disposing ends it and removes its files. */
export interface Xvnc extends XServer {
  /** Gives the display another mode, as a driver does when a TV comes up or is turned. */
  setMode(mode: Mode): Promise<void>;
  /** Takes the display away, as one that is switched off; `setMode` brings it back. */
  turnOff(): Promise<void>;
  /** The glass as it is now, four bytes a pixel: blue, green, red, unused; with the pointer, if there is one. */
  picture(mode: Mode): Promise<Buffer>;
}

/**
 * Starts Xvnc on the first free display, reachable by nobody over a network.
 * @param authFile with the cookie that clients have to show (Xauthority format); without it any local user may connect.
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
      const { stdout } = await run("ffmpeg", ["-v", "error", ...input, ...raw], { env, encoding: "buffer", maxBuffer: largestPicture });
      return stdout;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function addMode(xrandr: (...argv: string[]) => Promise<string>, name: string, { width, height }: Mode): Promise<void> {
  // A mode without a monitor behind it: its timing only has to be in order.
  const timing = (size: number): string[] => [0, 1, 2, 3].map((more) => String(size + more));
  await xrandr("--newmode", name, "100", ...timing(width), ...timing(height));
  await xrandr("--addmode", output, name);
}
