// One command to a screen with content on it: service, player, pairing and a first layout, by the same doors as everybody else.
import { createServer } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { checkFlags, readFlags, defineUsage } from "../../base/config.ts";
import { createSystemClock } from "../../base/clock.ts";
import { Fault, isAbort } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { ChildProgram, type LogLine } from "../child.ts";
import { publishDemo } from "./demo-content.ts";
import { ServiceClient } from "../service-client.ts";
import { chooseEngine, type EngineChoice } from "../engine.ts";
import { Port } from "../flags.ts";
import { dataFolder, rootFolder } from "../folders.ts";
import { hasDisplay } from "../kiosk.ts";

const usage = defineUsage({
  command: "npm start --",
  summary: "Service, player, pairing and a small demo, on this machine. Ctrl+C stops everything; the next start goes on.",
  flags: {
    data: { value: "DIR", help: `Where service and player keep everything (default ${dataFolder()})` },
    port: { value: "PORT", help: "Port of the service (default 8080, or a free one where that is taken)" },
    engine: { value: "NAME", help: "What draws: electron or chromium (default: Electron where it can run, else the system's Chromium)" },
    headless: { help: "Draw without a display; a screenshot shows the picture" },
    window: { value: "WxH", help: "A window of this size, such as 1280x720, in place of the whole display" },
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

const usualPort = 8080;
// Long enough to be read: the point of the demo is to show what an installer will see.
const codeReadableMs = 3_000;

/** Runs service and player until `signal` aborts or one of them ends. */
export async function runDemo(config: DemoConfig, log: Log, signal: AbortSignal): Promise<void> {
  const engine = await chooseEngine(config, log, signal);
  log.info({ engine: engine.name, why: engine.why }, "drawing with");
  const port = config.port ?? ((await isFree(usualPort)) ? usualPort : 0);
  const serviceFolder = join(config.data, "service");
  await using service = new ChildProgram(process.execPath, [
    join(rootFolder, "src/main/cli.ts"),
    "serve",
    "--port",
    String(port),
    "--data",
    serviceFolder,
  ]);
  passOn(service, log);
  const { url } = z.object({ url: z.string() }).parse(await service.waitForLine("listening", signal));
  const tokenFile = join(serviceFolder, "admin-token");
  const client = await ServiceClient.open(url, tokenFile);

  await using player = startPlayer(engine, url, config);
  passOn(player, log);
  const playerId = await paired(player, client, log, signal);
  await publishDemo(client, playerId, log, signal);
  await player.waitForLine("presented", signal);
  const isHeadless = config.headless || !hasDisplay();
  const picture = isHeadless ? await client.screenshot(playerId, createSystemClock(), signal) : null;
  const isUsual = config.data === dataFolder() && new URL(url).port === String(usualPort);
  tellHow(log, { url, tokenFile, playerId, picture, isUsual });

  const ended = await Promise.race([
    service.ended.then((how) => `the service ended: ${service.fatalMessage ?? how}`),
    player.ended.then((how) => `the player ended: ${player.fatalMessage ?? how}`),
    new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true })),
  ]);
  if (ended !== null && !signal.aborted) throw new Fault("refused", ended);
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

/** The player's id: at once when it was paired before, else after its code has been on the glass for three seconds. */
async function paired(player: ChildProgram, client: ServiceClient, log: Log, signal: AbortSignal): Promise<string> {
  const clock = createSystemClock();
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  const before = player.waitForLine("already paired", either).then(idOf);
  const now = player.waitForLine("paired", either).then(idOf);
  player.onLine((line) => {
    const shown = z.object({ msg: z.literal("screen shown"), code: z.string() }).safeParse(line);
    if (!shown.success) return;
    log.info({ code: shown.data.code }, "the pairing code is on the screen; it is claimed in three seconds");
    void clock
      .wait(codeReadableMs, either)
      .then(() => client.pair(shown.data.code, "Demo screen"))
      .catch((error: unknown) => {
        // The code may have been claimed by hand meanwhile, which is just as well.
        if (!isAbort(error)) log.warn({ err: error }, "the code could not be claimed");
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

/** Children's lines: as they are for a program, only what a person would want to know for a person. */
function passOn(child: ChildProgram, log: Log): void {
  // What ends a child is told when the demo ends for it.
  const notable = new Set(["warn", "error"]);
  child.onLine((line, raw) => {
    if (!process.stdout.isTTY) process.stdout.write(`${raw}\n`);
    else if (notable.has(line.level)) log.warn({ from: line["program"], ...detailsOf(line) }, line.msg);
  });
}

function detailsOf({ name, detail, reason }: LogLine): object {
  return { name, detail, reason };
}

function tellHow(log: Log, at: { url: string; tokenFile: string; playerId: string; picture: string | null; isUsual: boolean }): void {
  const auth = `-H "Authorization: Bearer $(cat '${at.tokenFile}')"`;
  const api = `${at.url}/api/v1`;
  const pair = `curl ${auth} --json '{"code": "WDJB-MJHT", "name": "Lobby"}' ${api}/players/pair`;
  const push = `curl ${auth} --data-binary @picture.jpg "${api}/assets?name=picture.jpg"`;
  const shoot = `curl ${auth} --json '{"type": "screenshot"}' ${api}/players/${at.playerId}/commands`;
  const look = `curl ${auth} ${api}/players/${at.playerId}/screenshots`;
  const see = at.picture === null ? null : `curl ${auth} -o screen.jpg ${at.picture}`;
  const show = `npm run show --${at.isUsual ? "" : ` --server ${at.url} --token-file '${at.tokenFile}'`} picture.jpg`;
  if (!process.stdout.isTTY) {
    const about = { docs: `${at.url}/docs`, token_file: at.tokenFile, player_id: at.playerId, screenshot: at.picture ?? undefined };
    log.info({ ...about, show, curl: { pair, push, shoot, look, see: see ?? undefined } }, "ready");
    return;
  }
  process.stdout.write(
    [
      "",
      ...(see === null
        ? ["The screen is on."]
        : ["There is no display here: the screen is drawn without one. To see the picture:", `  ${see}`]),
      "",
      "Put your own picture on it, from a second terminal (a page or a text goes too):",
      `  ${show}`,
      "Pair another player (its code instead of WDJB-MJHT):",
      `  ${pair}`,
      "Take a screenshot, then list them; image_url is the picture:",
      `  ${shoot}`,
      `  ${look}`,
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
