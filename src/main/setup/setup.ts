// signage-player setup: asks for the machine's settings, takes them from flags or from a signage.toml, and applies them.
import { access } from "node:fs/promises";
import { join } from "node:path";
import { createSystemClock } from "../../base/clock.ts";
import { Fault, hasErrorCode, isAbort, isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { FoundService } from "../../protocol/device/discovery.ts";
import type { SetupFile } from "../../protocol/device/setup-file.ts";
import { listServices } from "../discovery/find.ts";
import { applySettings, checkSettings, makeEffective, restartPlayer } from "./apply.ts";
import { createRunCommand, type RunCommand } from "./commands.ts";
import { applyFolder, setupFileName } from "./file/apply-folder.ts";
import { writeReport } from "./file/memory.ts";
import { placesIn, type Places } from "./places.ts";
import { isSameServer, readPresent } from "./present.ts";
import { askSettings, type QuestionOptions } from "./questions.ts";
import type { SetupConfig } from "./setup-flags.ts";
import { withMounted } from "./file/usb.ts";

/** The parts that tests replace: the root folder, the terminal, PATH and the network. */
export interface SetupEnvironment {
  root: string;
  /** The user that runs this; 0 may change the machine. */
  uid: number;
  env: NodeJS.ProcessEnv;
  terminal: Pick<QuestionOptions, "input" | "output">;
  findServices: (signal: AbortSignal) => Promise<FoundService[]>;
  probe: QuestionOptions["probe"];
}

const searchMs = 2_000;
const probeMs = 5_000;

/**
 * Sets up this machine.
 * @throws Fault `bad-config` for settings that cannot be used, before anything is changed; `refused` without the necessary rights.
 */
export async function runSetup(
  { data, mode }: SetupConfig,
  log: Log,
  signal: AbortSignal,
  environment: SetupEnvironment = realEnvironment(log),
): Promise<void> {
  if (environment.uid !== 0) throw new Fault("refused", "only root may set up this machine: run sudo signage-player setup");
  const places = placesIn(environment.root, data);
  const run = createRunCommand(environment.env, signal);
  switch (mode.is) {
    case "boot":
      return setUpAtBoot(places, log);
    case "usb":
      return setUpFromStick(mode.device, places, run, log);
    case "apply":
      return setUp(mode.settings, mode.isSure, places, run, environment);
    case "ask": {
      const settings = await askAtTerminal(places, environment, signal);
      if (settings !== null) return setUp(settings, true, places, run, environment);
      environment.terminal.output.write("Nothing was changed.\n");
      return;
    }
  }
}

/** The first boot folder that has a file counts. Nothing is restarted: session and player start after this. */
async function setUpAtBoot(places: Places, log: Log): Promise<void> {
  for (const folder of places.bootFolders) {
    if (!(await hasFile(folder))) continue;
    const applied = await applyFolder(folder, "boot", places, log);
    for (const text of applied?.warnings ?? []) log.warn(text);
    return;
  }
}

async function setUpFromStick(device: string, places: Places, run: RunCommand, log: Log): Promise<void> {
  const applied = await withMounted(device, run, log, (folder) => applyFolder(folder, "usb", places, log)).catch(async (error: unknown) => {
    // The restarted player shows the problem on its pairing screen. A paired player plays on.
    if (isFault(error, "bad-config") && (await readPresent(places)).paired === null) await run("systemctl", restartPlayer);
    throw error;
  });
  if (applied === null) return;
  for (const text of [...applied.warnings, ...(await makeEffective(applied, places, run))]) log.warn(text);
}

async function hasFile(folder: string): Promise<boolean> {
  try {
    await access(join(folder, setupFileName));
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

async function askAtTerminal(places: Places, environment: SetupEnvironment, signal: AbortSignal): Promise<SetupFile | null> {
  const { terminal, probe } = environment;
  if (terminal.output.isTTY !== true)
    throw new Fault("bad-config", "there is no terminal to ask at: give the settings as flags, see signage-player setup --help");
  terminal.output.write("Looking for services on this network …\n");
  const services = await environment.findServices(signal);
  try {
    return await askSettings({ ...terminal, present: await readPresent(places), services, probe }, signal);
  } catch (error) {
    if (!isAbort(error) || signal.aborted) throw error;
    // Ctrl+C, Ctrl+D, or the terminal is gone.
    terminal.output.write("\n");
    return null;
  }
}

/** @param isSure whether a paired player may change its service. */
async function setUp(settings: SetupFile, isSure: boolean, places: Places, run: RunCommand, environment: SetupEnvironment): Promise<void> {
  const present = await readPresent(places);
  const { paired } = present;
  await checkSettings(settings, present, places);
  if (!isSure && paired !== null && settings.server !== undefined && !isSameServer(settings.server, paired)) {
    throw new Fault(
      "bad-config",
      `--server: this player is paired with ${paired} and has to be paired again at ${settings.server}. Add --yes to do that`,
    );
  }
  const applied = await applySettings(settings, present, places);
  await writeReport(places, null);
  const warnings = [...applied.warnings, ...(await makeEffective(applied, places, run))];
  const { output } = environment.terminal;
  output.write(applied.changes.length === 0 ? "Everything was set like this before.\n" : `Stored: ${applied.changes.join(", ")}.\n`);
  for (const warning of warnings) output.write(`Note: ${warning}.\n`);
}

function realEnvironment(log: Log): SetupEnvironment {
  return {
    root: "/",
    uid: process.getuid?.() ?? 0,
    env: process.env,
    terminal: { input: process.stdin, output: process.stdout },
    findServices: (signal) => listServices(searchMs, { clock: createSystemClock(), log }, signal),
    probe: async (server) => {
      try {
        // Without a certificate that this machine trusts, the player will say so on the screen.
        const response = await fetch(new URL("/healthz", server), { signal: AbortSignal.timeout(probeMs) });
        await response.body?.cancel();
        return response.ok ? null : `its answer was ${response.status}, which is not that of a signage service`;
      } catch (error) {
        return reasonOf(error);
      }
    },
  };
}
