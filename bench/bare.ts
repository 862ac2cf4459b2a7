// Starts a plain Chromium as the baseline for the player.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { findChromium } from "../src/host/chromium/find-chromium.ts";

/** A running Chromium. Disposing ends it and all its processes. */
export interface BareChromium extends AsyncDisposable {
  pid: number;
  /** The start time (performance.now(), ms). */
  startedAt: number;
}

const nobody = 65_534;

/**
 * Starts Chromium in full screen, as the same unprivileged user as the player. Always uses a new profile in `folder`: a profile
 * takes seconds to recover after a signal has ended the browser.
 */
export async function startBareChromium(url: string, display: string, folder: string): Promise<BareChromium> {
  const profile = join(folder, "bare-profile");
  await rm(profile, { recursive: true, force: true });
  await mkdir(profile);
  const asRoot = process.getuid?.() === 0;
  if (asRoot) await chown(profile, nobody, nobody);
  const flags = ["--kiosk", "--no-first-run", "--disable-gpu", "--window-size=1920,1080", "--autoplay-policy=no-user-gesture-required"];
  const executable = await findChromium();
  const startedAt = performance.now();
  const chromium = spawn(executable, [...flags, `--user-data-dir=${profile}`, url], {
    stdio: "ignore",
    detached: true,
    env: { ...process.env, DISPLAY: display, HOME: profile },
    ...(asRoot ? { uid: nobody, gid: nobody } : {}),
  });
  const ended = once(chromium, "exit");
  return {
    pid: chromium.pid!,
    startedAt,
    async [Symbol.asyncDispose]() {
      process.kill(-chromium.pid!, "SIGTERM");
      await ended;
    },
  };
}
