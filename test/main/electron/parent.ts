// A program that supervises Electron and that a test kills. Usage: parent.ts EXECUTABLE APP-FOLDER DATA-FOLDER.
import { createSystemClock } from "../../../src/base/clock.ts";
import { runElectron } from "../../../src/main/electron/electron-child.ts";
import { readPlayerConfig } from "../../../src/main/player/player-config.ts";
import { runProgram } from "../../../src/main/program.ts";

const [executable = "", appFolder = "", data = ""] = process.argv.slice(2);
await runProgram(
  "parent",
  () => readPlayerConfig(["--data", data]),
  (config, log, signal) => runElectron({ executable, config, switches: [], clock: createSystemClock(), log, appFolder }, signal),
);
