// signage-player: runs the program that the first argument names.
import { enableCompileCache } from "node:module";
import type { Log } from "../base/log.ts";
import type { PlayerFlags } from "./player/player-flags.ts";

// Saves 0.1 s of compilation at each start. Only modules imported after this call are cached.
enableCompileCache();

const { Fault } = await import("../base/fault.ts");
const { runProgram } = await import("./program.ts");

const [command = "", ...argv] = process.argv.slice(2);

const { commandName } = await import("./folders.ts");
const cli = commandName("node_modules/.bin/node src/main/cli.ts");
const programs: ReadonlyMap<string, string> = new Map([
  ["demo", "service and player on this machine, paired and with demo content (npm start)"],
  ["serve", "the service (npm run service)"],
  ["start", "the player (npm run player)"],
  ["show", "shows a file, a web page or a text on screens (npm run show)"],
  ["sign-in-link", "prints a link that signs a person in to the console, while the service runs"],
  ["mcp", "MCP on standard input and output"],
  ["setup", "sets up this machine as a player: service, rotation, time zone, Wi-Fi"],
  ["backup", "copies all data of a service, while it runs"],
  ["restore", "creates a service's data folder from a backup"],
  ["backup-key", "saves only a service's signing key"],
  ["restore-key", "restores a signing key"],
  ["migrate", "prepares a PostgreSQL database for several services"],
  ["move", "copies a service's data folder into a PostgreSQL database"],
  ["mirror", "copies releases into a service's data folder, such as from a USB stick"],
]);
const overview = [
  "signage-player: a digital-signage player and the service it talks to.",
  "",
  `  ${cli} PROGRAM [flags]`,
  "",
  ...[...programs].map(([name, summary]) => `  ${name.padEnd(14)}${summary}`),
  "",
  `Flags of a program: ${cli} PROGRAM --help. Version: --version`,
].join("\n");

switch (command) {
  case "start": {
    const { readPlayerFlags, withoutBrowserSwitches } = await import("./player/player-flags.ts");
    await runProgram("player", () => readPlayerFlags(withoutBrowserSwitches(argv)), start);
    break;
  }
  case "serve": {
    const { readServiceConfig, runService } = await import("./service.ts");
    await runProgram("service", () => readServiceConfig(argv), runService, { stopMs: ({ drainMs = 0 }) => drainMs });
    break;
  }
  case "show": {
    const { readShowConfig, runShow } = await import("./show/show.ts");
    await runProgram("show", () => readShowConfig(argv), runShow);
    break;
  }
  case "sign-in-link": {
    const { readSignInLinkConfig, runSignInLink } = await import("./sign-in-link.ts");
    await runProgram("sign-in-link", () => readSignInLinkConfig(argv), runSignInLink, { logTo: "stderr" });
    break;
  }
  case "setup": {
    const { readSetupConfig } = await import("./setup/setup-flags.ts");
    const { runSetup } = await import("./setup/setup.ts");
    await runProgram("setup", () => readSetupConfig(argv), runSetup, { logTo: "stderr" });
    break;
  }
  case "mcp": {
    const { readMcpConfig, runMcp } = await import("./mcp/mcp.ts");
    await runProgram("mcp", () => readMcpConfig(argv), runMcp, { logTo: "stderr" });
    break;
  }
  case "demo": {
    const { readDemoConfig, runDemo } = await import("./demo/demo.ts");
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
  case "migrate": {
    const { readMigrateConfig, runMigrate } = await import("./database.ts");
    await runProgram("migrate", () => readMigrateConfig(argv), runMigrate);
    break;
  }
  case "move": {
    const { readMoveConfig, runMove } = await import("./database.ts");
    await runProgram("move", () => readMoveConfig(argv), runMove);
    break;
  }
  case "mirror": {
    const { readMirrorConfig, runMirror } = await import("./mirror.ts");
    await runProgram("mirror", () => readMirrorConfig(argv), runMirror);
    break;
  }
  case "--version": {
    const { readVersion } = await import("./folders.ts");
    process.stdout.write(`${readVersion()}\n`);
    break;
  }
  default:
    await runProgram("signage-player", explainCommands, async () => undefined);
}

/** Lists the programs. @throws Fault `help-asked`, or `bad-config` for an unknown program. */
function explainCommands(): never {
  if (command === "--help" || command === "-h" || command === "help") throw new Fault("help-asked", overview);
  const problem = command === "" ? "name the program to run" : `there is no program “${command}”`;
  throw new Fault("bad-config", `${problem}: ${[...programs.keys()].join(", ")}. What they do: ${cli} --help`);
}

/** Runs the player on Electron if possible, else in this process on the system's Chromium. */
async function start(flags: PlayerFlags, log: Log, signal: AbortSignal): Promise<void> {
  const { requirePage } = await import("./folders.ts");
  requirePage();
  const { chooseEngine } = await import("./player/engine.ts");
  const { isBrowserSwitch } = await import("./player/player-flags.ts");
  const engine = await chooseEngine(flags, log, signal);
  log.info({ engine: engine.name, executable: engine.executable, why: engine.why }, "browser engine selected");
  const switches = argv.filter(isBrowserSwitch);
  if (engine.name === "chromium") {
    if (switches.length > 0) log.warn({ switches }, "these switches are only for Electron; Chromium starts without them");
    const { runKiosk } = await import("./player/kiosk.ts");
    return runKiosk(flags, engine.executable, log, signal);
  }
  const { createSystemClock } = await import("../base/clock.ts");
  const { runElectron } = await import("./electron/electron-child.ts");
  return runElectron({ executable: engine.executable, flags, switches, clock: createSystemClock(), log }, signal);
}
