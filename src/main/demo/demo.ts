// The demo: runs a service and a player, pairs them and publishes content, using the same programs and API as any user.
import { createServer } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { unlessAborted } from "../../base/async/unless-aborted.ts";
import { checkFlags, readFlags, defineUsage } from "../../base/config.ts";
import { createSystemClock } from "../../base/clock.ts";
import { Fault, isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { ChildProgram, type LogLine } from "../child.ts";
import { publishDemo } from "./demo-content.ts";
import { createOwnerLink } from "../console-link.ts";
import { ServiceClient } from "../service-client.ts";
import { chooseEngine, type EngineChoice } from "../player/engine.ts";
import { Port } from "../flags.ts";
import { dataFolder, rootFolder } from "../folders.ts";
import { hasDisplay } from "../player/kiosk.ts";

/** Its flags. */
export const usage = defineUsage({
  command: "npm start --",
  summary:
    "Runs a service and a player on this machine, pairs them and shows a small demo. Ctrl+C stops everything; the next start continues.",
  flags: {
    data: {
      value: "DIR",
      help: `Folder for all data: DIR/service is the service's SERVICE_DIR, DIR/player the player's PLAYER_DIR (default ${dataFolder()})`,
    },
    port: { value: "PORT", help: "Port of the service (default 8080, or a free port if that is in use)" },
    engine: { value: "NAME", help: "Browser engine: electron or chromium (default: Electron if it can run, else the system's Chromium)" },
    headless: { help: "Render without a display; take a screenshot to see the picture" },
    window: { value: "WxH", help: "A window of this size, such as 1280x720, instead of the whole display" },
  },
});

const Flags = z.object({
  data: z.string().min(1).default(dataFolder()),
  port: Port.optional(),
  engine: z.enum(["electron", "chromium"]).optional(),
  headless: z.boolean().default(false),
  window: z
    .string()
    .regex(/^\d{2,5}x\d{2,5}$/, "must be a size such as 1920x1080")
    .optional(),
});
export type DemoConfig = z.infer<typeof Flags>;

/** @throws Fault `bad-config` in one line. */
export function readDemoConfig(argv: readonly string[]): DemoConfig {
  return checkFlags(Flags.safeParse(readFlags(argv, usage)), usage);
}

const defaultPort = 8080;
// Long enough to read the code: the demo shows the view of an installer.
const codeReadableMs = 3_000;

/** Runs service and player until `signal` aborts or one of them ends. */
export async function runDemo(config: DemoConfig, log: Log, signal: AbortSignal): Promise<void> {
  const engine = await chooseEngine(config, log, signal);
  log.info({ engine: engine.name, why: engine.why }, "browser engine selected");
  const port = config.port ?? ((await isFree(defaultPort)) ? defaultPort : 0);
  const serviceFolder = join(config.data, "service");
  await using service = new ChildProgram(process.execPath, [
    join(rootFolder, "src/main/cli.ts"),
    "serve",
    "--port",
    String(port),
    "--data",
    serviceFolder,
  ]);
  forwardLog(service, log);
  const { url } = z.object({ url: z.string() }).parse(await service.waitForLine("listening", signal));
  const tokenFile = join(serviceFolder, "admin-token");
  const client = await ServiceClient.open(url, tokenFile);

  await using player = startPlayer(engine, url, config);
  forwardLog(player, log);
  const playerId = await pairedPlayerId(player, client, log, signal);
  await publishDemo(client, playerId, log, signal);
  await player.waitForLine("presented", signal);
  const isHeadless = config.headless || !hasDisplay();
  const picture = isHeadless ? await firstPicture(client, playerId, log, signal) : null;
  const isDefault = config.data === dataFolder() && new URL(url).port === String(defaultPort);
  // The demo is run by hand, never as a unit whose journal others may read: its output belongs to whoever started it.
  const consoleLink = await createOwnerLink({ url, publicUrl: null, tokenFile }, log);
  printNextSteps(log, { url, tokenFile, playerId, isHeadless, picture, isDefault, consoleLink });

  const ended = Promise.race([
    service.ended.then((how) => `the service ended: ${service.fatalMessage ?? how}`),
    player.ended.then((how) => `the player ended: ${player.fatalMessage ?? how}`),
  ]);
  const reason = await unlessAborted(ended, signal);
  if (!signal.aborted) throw new Fault("refused", reason);
}

function startPlayer(engine: EngineChoice, url: string, config: DemoConfig): ChildProgram {
  const flags = [
    "--server",
    url,
    "--data",
    join(config.data, "player"),
    "--engine",
    engine.name,
    ...(config.headless ? ["--headless"] : []),
    ...(config.window === undefined ? [] : ["--window", config.window]),
  ];
  return new ChildProgram(process.execPath, [join(rootFolder, "src/main/cli.ts"), "start", ...flags]);
}

/** The URL of a screenshot; null if none can be taken, as on a very slow machine: the demo goes on. */
export async function firstPicture(client: ServiceClient, playerId: string, log: Log, signal: AbortSignal): Promise<string | null> {
  try {
    return await client.screenshot(playerId, createSystemClock(), signal);
  } catch (error) {
    if (isAbort(error)) throw error;
    log.warn({ reason: reasonOf(error) }, "no screenshot could be taken of the first picture");
    return null;
  }
}

/** The player's id. A player that is not paired yet is claimed after its code has been on the screen for three seconds. */
async function pairedPlayerId(player: ChildProgram, client: ServiceClient, log: Log, signal: AbortSignal): Promise<string> {
  const clock = createSystemClock();
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  const before = player.waitForLine("already paired", either).then(idOf);
  const now = player.waitForLine("paired", either).then(idOf);
  player.onLine((line) => {
    const shown = z.object({ msg: z.literal("screen shown"), code: z.string() }).safeParse(line);
    if (!shown.success) return;
    log.info({ code: shown.data.code }, "the page shows the pairing code; the demo claims the player in three seconds");
    void clock
      .wait(codeReadableMs, either)
      .then(() => client.pair(shown.data.code, "Demo screen"))
      .catch((error: unknown) => {
        // A person may have claimed the code in the meantime.
        if (!isAbort(error)) log.warn({ err: error }, "pairing code could not be claimed");
      });
  });
  try {
    return await Promise.race([before, now]);
  } finally {
    done.abort();
    await Promise.allSettled([before, now]);
  }
}

function idOf(line: LogLine): string {
  return z.object({ player_id: z.string() }).parse(line).player_id;
}

/** Forwards a child's log: all lines to another program, only warnings and errors to a terminal. */
function forwardLog(child: ChildProgram, log: Log): void {
  // Fatal messages are not forwarded: the demo ends with them.
  const notable = new Set(["warn", "error"]);
  child.onLine((line, raw) => {
    if (!process.stdout.isTTY) process.stdout.write(`${raw}\n`);
    else if (notable.has(line.level)) log.warn({ from: line["program"], ...detailsOf(line) }, line.msg);
  });
}

function detailsOf({ name, detail, reason }: LogLine): object {
  return { name, detail, reason };
}

function printNextSteps(
  log: Log,
  at: {
    url: string;
    tokenFile: string;
    playerId: string;
    isHeadless: boolean;
    picture: string | null;
    isDefault: boolean;
    consoleLink: string | null;
  },
): void {
  const auth = `-H "Authorization: Bearer $(cat '${at.tokenFile}')"`;
  const api = `${at.url}/api/v1`;
  const pair = `curl ${auth} --json '{"code": "WDJB-MJHT", "name": "Lobby"}' ${api}/players/pair`;
  const push = `curl ${auth} --data-binary @picture.jpg "${api}/assets?name=picture.jpg"`;
  const take_screenshot = `curl ${auth} --json '{"type": "screenshot"}' ${api}/players/${at.playerId}/commands`;
  const list_screenshots = `curl ${auth} ${api}/players/${at.playerId}/screenshots`;
  const get_screenshot = at.picture === null ? null : `curl ${auth} -o screen.jpg ${at.picture}`;
  const show = `npm run show --${at.isDefault ? "" : ` --server ${at.url} --token-file '${at.tokenFile}'`} picture.jpg`;
  if (!process.stdout.isTTY) {
    const about = {
      console: at.url,
      sign_in_link: at.consoleLink ?? undefined,
      docs: `${at.url}/docs`,
      token_file: at.tokenFile,
      player_id: at.playerId,
      screenshot: at.picture ?? undefined,
    };
    log.info(
      { ...about, show, curl: { pair, push, take_screenshot, list_screenshots, get_screenshot: get_screenshot ?? undefined } },
      "ready",
    );
    return;
  }
  process.stdout.write(
    [
      "",
      at.isHeadless
        ? "There is no display, so the screen is rendered without one."
        : "The player has presented its first picture on the display.",
      ...(get_screenshot === null ? [] : ["To see the picture:", `  ${get_screenshot}`]),
      "",
      ...(at.consoleLink === null
        ? [`The console is at ${at.url}`]
        : ["The console, where you run your screens. This link signs you in once, within an hour:", `  ${at.consoleLink}`]),
      "",
      "Show your own picture, from a second terminal (a web page or a text works too):",
      `  ${show}`,
      "Pair another player (with its code instead of WDJB-MJHT):",
      `  ${pair}`,
      "Take a screenshot, then list all screenshots; image_url is the picture:",
      `  ${take_screenshot}`,
      `  ${list_screenshots}`,
      "",
      `  API documentation   ${at.url}/docs`,
      `  Access token        ${at.tokenFile}`,
      "",
      "Ctrl+C stops everything.",
      "",
    ].join("\n"),
  );
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
