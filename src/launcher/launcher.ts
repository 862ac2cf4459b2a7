// signage-player's launcher: starts the program of the right slot, and watches over updates. Bundled into one file.
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { LauncherStatus } from "../protocol/device/updates.ts";
import { Fault, hasErrorCode, isAbort, isFault, reasonOf } from "../base/fault.ts";
import { beforeStart } from "./before-start.ts";
import { keepBrowser, restoreBrowser } from "./browser-packages.ts";
import { thisDevice } from "./device.ts";
import { launcherFolders } from "./launcher-folders.ts";
import { openLauncher } from "./launcher-parts.ts";
import { peoplesProgram, playerProgram, type Program } from "./start.ts";
import { describeStatus } from "./status.ts";
import { LauncherWatch } from "./watch.ts";

const help = `signage-player's launcher

  launcher.mjs [--root DIR] COMMAND

  before-start           as root, before each start of the player: decides which program runs
  start                  becomes the player's program
  run -- ARGUMENTS       becomes a command of that program, for people
  watch                  as root: installs updates, watches probations, returns to the version before
  keep-browser           as root, from apt's hook: keeps the browser's packages
  restore-browser [VERSION]
                         as root: installs the kept packages of the browser that was good
  status [--json]        what runs and why

  --root DIR             the folder below which all other folders are. Default: /`;

async function main(argv: readonly string[]): Promise<void> {
  const isRooted = argv[0] === "--root";
  const [command = "--help", ...args] = argv.slice(isRooted ? 2 : 0);
  const folders = launcherFolders(isRooted ? (argv[1] ?? "/") : "/");
  const device = thisDevice(folders.bootId);
  const open = () => openLauncher(folders, device, logLine);
  switch (command) {
    case "before-start":
      return void (await beforeStart(await open()));
    case "start":
      return become(await playerProgram(folders, process.env));
    case "run":
      return become(await peoplesProgram(folders, args[0] === "--" ? args.slice(1) : args, process.env));
    case "watch":
      return new LauncherWatch(await open()).run(stopSignal());
    case "keep-browser":
      return void (await keepBrowser(await open(), process.stdin.isTTY ? [] : (await text(process.stdin)).split("\n"), false));
    case "restore-browser": {
      const launcher = await open();
      const version = args[0] ?? (await launcher.store.read()).browser.good;
      if (version === null) throw new Fault("refused", "No version of the browser is known to be good. Name one: restore-browser VERSION");
      return restoreBrowser(launcher, version);
    }
    case "status":
      return printStatus(folders.status, args.includes("--json"));
    case "--help":
    case "-h":
      return void process.stdout.write(`${help}\n`);
    default:
      throw new Fault("bad-config", `unknown command ${command}. All commands: launcher.mjs --help`);
  }
}

/** Replaces this process, so that systemd's messages and signals reach the program itself. */
function become({ file, args, env }: Program): void {
  process.execve!(file, args, env);
}

async function printStatus(path: string, asJson: boolean): Promise<void> {
  const json = await readFile(path, "utf8").catch((cause: unknown) => {
    if (hasErrorCode(cause, "ENOENT")) throw new Fault("refused", "The player has not been started since the machine booted");
    throw cause;
  });
  const status = LauncherStatus.parse(JSON.parse(json));
  process.stdout.write(`${asJson ? JSON.stringify(status) : describeStatus(status)}\n`);
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** One JSON line, which the journal keeps. To standard error: `run` and `status` print their results. */
function logLine(message: string, fields: Record<string, unknown> = {}): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), program: "launcher", msg: message, ...fields })}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!isAbort(error)) {
    process.stderr.write(`signage-player: ${reasonOf(error)}\n`);
    process.exitCode = isFault(error, "bad-config") ? 2 : 1;
  }
}
