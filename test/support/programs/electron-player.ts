// Runs the bundled Electron player as an unprivileged user, on the stand-in for Electron's binary or on the binary itself.
import { appendFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rootFolder } from "../../../src/main/folders.ts";
import type { TestEvent, Recorded } from "../electron/record.ts";
import { Program } from "./programs.ts";
import { asSeenByNobody, giveAway, unprivileged } from "./unprivileged.ts";

/** The stand-in for Electron's binary. */
export const standInBinary = join(import.meta.dirname, "../electron/binary/electron");

/** Electron's own binary, for `npm run electron:check`; null to use the stand-in. */
export const realBinary = process.env["SIGNAGE_ELECTRON_BINARY"] ?? null;

/** Environment of the stand-in: its display, its home, and the files by which it communicates with the test, in `folder`. */
function standInEnvironment(folder: string, display: string): Record<string, string> {
  return {
    DISPLAY: display,
    HOME: folder,
    ELECTRON_STAND_IN_RECORD: join(folder, "record.jsonl"),
    ELECTRON_STAND_IN_EVENTS: join(folder, "events.jsonl"),
  };
}

/** Starts an app (the project's folder, or a file) on the stand-in. The user it runs as becomes the owner of `folder`. */
export function startOnStandIn(app: string, folder: string, display: string, flags: readonly string[] = []): Program {
  giveAway(folder);
  const { executable, argv } = unprivileged({ executable: realBinary ?? standInBinary, argv: [app, ...flags] });
  return new Program(argv, standInEnvironment(folder, display), executable);
}

/** Starts the bundled player like the packaged one, with its data in `folder`/player. Without `--server` it runs its embedded service. */
export function startElectronPlayer(folder: string, display: string, flags: readonly string[] = []): Program {
  return startOnStandIn(rootFolder, folder, display, ["--data", join(folder, "player"), ...flags]);
}

/** Starts the player like `npm run player` with Electron's binary: by a supervising parent process. */
export function startSupervisedPlayer(folder: string, display: string, flags: readonly string[]): Program {
  giveAway(folder);
  const env = { ...standInEnvironment(folder, display), ELECTRON_OVERRIDE_DIST_PATH: asSeenByNobody(dirname(realBinary ?? standInBinary)) };
  const start = ["src/main/cli.ts", "start", "--engine", "electron", "--data", join(folder, "player"), ...flags];
  const { executable, argv } = unprivileged({ executable: process.execPath, argv: start });
  return new Program(argv, env, executable);
}

/** The calls to Electron by the apps that ran in `folder`, in order. */
export function recorded(folder: string): Recorded[] {
  return readFileSync(join(folder, "record.jsonl"), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Recorded);
}

/** Sends an event to the app that runs in `folder`. */
export function sendTestEvent(folder: string, event: TestEvent): void {
  appendFileSync(join(folder, "events.jsonl"), `${JSON.stringify(event)}\n`);
}
