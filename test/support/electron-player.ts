// The bundled Electron player, run by the stand-in for Electron's binary, as an unprivileged user.
import { appendFileSync, chownSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import type { Happening, Recorded } from "./electron/record.ts";
import { Program } from "./programs.ts";

// Electron refuses root.
const nobody = 65_534;
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** The stand-in for Electron's binary. */
export const standInBinary = join(import.meta.dirname, "electron/binary/electron");

/** Environment of the stand-in: its display, its home, and its line to the test. All files lie in `folder`. */
export function standInEnvironment(folder: string, display: string): Record<string, string> {
  return {
    DISPLAY: display,
    HOME: folder,
    ELECTRON_STAND_IN_RECORD: join(folder, "record.jsonl"),
    ELECTRON_STAND_IN_HAPPENINGS: join(folder, "happenings.jsonl"),
  };
}

/** Starts an app on the stand-in: the folder of the project, or a file. `folder` is given to the user it runs as. */
export function startOnStandIn(app: string, folder: string, display: string, flags: readonly string[] = []): Program {
  giveAway(folder);
  return new Program([app, ...flags], standInEnvironment(folder, display), { executable: standInBinary, ...user });
}

/** Starts the bundled player on the stand-in, with its data in `folder`/player; without `server` it brings its own. */
export function startElectronPlayer(folder: string, display: string, flags: readonly string[] = []): Program {
  return startOnStandIn(rootFolder, folder, display, ["--data", join(folder, "player"), ...flags]);
}

/** Gives a folder to the user that the stand-in runs as. */
export function giveAway(folder: string): void {
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
}

/** What the apps that ran in `folder` asked of Electron, in order. */
export function recorded(folder: string): Recorded[] {
  return readFileSync(join(folder, "record.jsonl"), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Recorded);
}

/** Has the box do something to the app that runs in `folder`. */
export function happen(folder: string, happening: Happening): void {
  appendFileSync(join(folder, "happenings.jsonl"), `${JSON.stringify(happening)}\n`);
}
