// signage-release: makes and signs release repositories, offline. docs/releasing.md explains the commands.
import { Fault } from "../../base/fault.ts";
import { runProgram } from "../program.ts";
import { commands, overview } from "./commands.ts";

const [name = "", ...argv] = process.argv.slice(2);

// Standard output is for results, so that they can be piped.
await runProgram("signage-release", readCommand, async (run, _log, signal) => run(signal), { logTo: "stderr" });

/** @throws Fault `help-asked`, or `bad-config` for an unknown command or wrong flags. */
function readCommand(): (signal: AbortSignal) => Promise<void> {
  const command = commands.get(name);
  if (command !== undefined) return command(argv);
  if (name === "--help" || name === "-h" || name === "help") throw new Fault("help-asked", overview);
  const problem = name === "" ? "name a command" : `there is no command “${name}”`;
  throw new Fault("bad-config", `${problem}: ${[...commands.keys()].join(", ")}. What they do: signage-release --help`);
}
