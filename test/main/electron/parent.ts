// A program that supervises Electron and that a test kills. Usage: parent.ts EXECUTABLE APP-FOLDER DATA-FOLDER.
import { createSystemClock } from "../../../src/base/clock.ts";
import { runElectron } from "../../../src/main/electron/electron-child.ts";
import { readPlayerFlags } from "../../../src/main/player/player-flags.ts";
import { runProgram } from "../../../src/main/program.ts";

const [executable = "", appFolder = "", data = ""] = process.argv.slice(2);
await runProgram(
  "parent",
  () => readPlayerFlags(["--data", data]),
  (flags, log, signal) => runElectron({ executable, flags, switches: [], clock: createSystemClock(), log, appFolder }, signal),
);
