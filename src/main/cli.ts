// signage-player start | serve | mcp | demo | backup | restore | backup-key | restore-key: picks the program and hands over.
import { enableCompileCache } from "node:module";
import type { Log } from "../base/log.ts";
import type { PlayerConfig } from "./player-config.ts";

// Saves a tenth of a second of compiling at each start; what follows is imported after it, so that it counts.
enableCompileCache();

const { Fault } = await import("../base/fault.ts");
const { runProgram } = await import("./program.ts");

const usage =
  "signage-player start | serve | mcp | demo | backup | restore | backup-key | restore-key (npm run player, npm run service, npm start)";
const [command = "", ...argv] = process.argv.slice(2);

switch (command) {
  case "start": {
    const { readPlayerConfig, withoutBrowserSwitches } = await import("./player-config.ts");
    await runProgram("player", () => readPlayerConfig(withoutBrowserSwitches(argv)), start);
    break;
  }
  case "serve": {
    const { readServiceConfig, runService } = await import("./service.ts");
    await runProgram("service", () => readServiceConfig(argv), runService);
    break;
  }
  case "mcp": {
    const { readMcpConfig, runMcp } = await import("./mcp.ts");
    await runProgram("mcp", () => readMcpConfig(argv), runMcp, { logTo: "stderr" });
    break;
  }
  case "demo": {
    const { readDemoConfig, runDemo } = await import("./demo.ts");
    await runProgram("demo", () => readDemoConfig(argv), runDemo);
    break;
  }
  case "backup": {
    const { readBackupConfig, runBackup } = await import("./backup.ts");
    await runProgram("backup", () => readBackupConfig(argv), runBackup);
    break;
  }
  case "restore": {
    const { readRestoreConfig, runRestore } = await import("./backup.ts");
    await runProgram("restore", () => readRestoreConfig(argv), runRestore);
    break;
  }
  case "backup-key": {
    const { readBackupKeyConfig, runBackupKey } = await import("./backup.ts");
    await runProgram("backup-key", () => readBackupKeyConfig(argv), runBackupKey);
    break;
  }
  case "restore-key": {
    const { readRestoreKeyConfig, runRestoreKey } = await import("./backup.ts");
    await runProgram("restore-key", () => readRestoreKeyConfig(argv), runRestoreKey);
    break;
  }
  default:
    await runProgram("signage-player", complain, async () => undefined);
}

function complain(): never {
  throw new Fault("bad-config", `${command === "" ? "say what to do" : `there is no “${command}”`}. Usage: ${usage}`);
}

/** Runs the player on Electron where that can run, else here on the system's Chromium. */
async function start(config: PlayerConfig, log: Log, signal: AbortSignal): Promise<void> {
  const { requirePage } = await import("./folders.ts");
  requirePage();
  const { chooseEngine } = await import("./engine.ts");
  const { isBrowserSwitch } = await import("./player-config.ts");
  const engine = await chooseEngine(config, log, signal);
  log.info({ engine: engine.name, executable: engine.executable, why: engine.why }, "drawing with");
  const switches = argv.filter(isBrowserSwitch);
  if (engine.name === "chromium") {
    if (switches.length > 0) log.warn({ switches }, "these switches are for Electron; Chromium starts without them");
    const { runKiosk } = await import("./kiosk.ts");
    return runKiosk(config, engine.executable, log, signal);
  }
  const { createSystemClock } = await import("../base/clock.ts");
  const { runElectron } = await import("./electron-child.ts");
  return runElectron({ executable: engine.executable, config, switches, clock: createSystemClock(), log }, signal);
}
