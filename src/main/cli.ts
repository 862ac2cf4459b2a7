// signage-player start | serve | demo: picks the program and hands over.
import { Fault } from "../base/fault.ts";
import { readPlayerConfig, type PlayerConfig } from "./player-config.ts";
import { runProgram } from "./program.ts";

const usage = "signage-player start | serve | demo (npm run player, npm run service, npm start)";
const [command = "", ...argv] = process.argv.slice(2);

switch (command) {
  case "start":
    await runProgram("player", () => readPlayerConfig(argv), start);
    break;
  case "serve": {
    const { readServiceConfig, serve } = await import("./service.ts");
    await runProgram("service", () => readServiceConfig(argv), serve);
    break;
  }
  case "demo": {
    const { readDemoConfig, runDemo } = await import("./demo.ts");
    await runProgram("demo", () => readDemoConfig(argv), runDemo);
    break;
  }
  default:
    await runProgram(
      "signage-player",
      () => complain(command),
      async () => undefined,
    );
}

function complain(given: string): never {
  throw new Fault("bad-config", `${given === "" ? "say what to do" : `there is no “${given}”`}. Usage: ${usage}`);
}

/** Runs the player on Electron where its binary is, else here on the system's Chromium. */
async function start(config: PlayerConfig, log: Parameters<Parameters<typeof runProgram>[2]>[1], signal: AbortSignal): Promise<void> {
  const { chooseEngine } = await import("./engine.ts");
  const engine = await chooseEngine(config.engine, log, signal);
  log.info({ engine: engine.name, executable: engine.executable, why: engine.why }, "drawing with");
  if (engine.name === "chromium") {
    const { runKiosk } = await import("./kiosk.ts");
    return runKiosk(config, log, signal);
  }
  const { runElectron } = await import("./electron-child.ts");
  return runElectron(engine.executable, argv, signal);
}
