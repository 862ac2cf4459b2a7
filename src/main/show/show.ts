// signage-player show: shows a file, a web page or a text on the screens of a service.
import { openAsBlob, statSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { createSystemClock, type Clock } from "../../base/clock.ts";
import { badFlags, checkFlags, readFlags, defineUsage } from "../../base/config.ts";
import { Fault, isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { dayMs, hourMs, minuteMs, secondMs } from "../../base/time.ts";
import type { NewShow, Show } from "../../protocol/operator/shows.ts";
import { readToken, WebAddress } from "../flags.ts";
import { commandName, dataFolder } from "../folders.ts";
import { ServiceClient } from "../service-client.ts";
import { forgetShow, ownShows, rememberShow } from "./own-shows.ts";
import { watchShow, type ScreenOutcome } from "./watch-show.ts";

/** Its flags. */
export const usage = defineUsage({
  command: commandName("npm run show --", "show"),
  summary: "Shows a picture, a video, a PDF, a web page or a text on your screens, in place of their usual content.",
  positionals: "FILE|URL|TEXT",
  flags: {
    on: { value: "NAME[,NAME]", help: "Only on the screens with these names (default: all)" },
    tag: { value: "TAG[,TAG]", help: "Only on screens with one of these tags" },
    for: { value: "DURATION", help: "Duration, such as 90s, 30m, 8h or 2d (default: until --clear)" },
    wait: { value: "DURATION", help: "How long to wait until every screen has shown it (default 60s)" },
    clear: { help: "End what you have shown by this command on this machine; shows of others stay" },
    server: { value: "URL", help: "The service (default http://127.0.0.1:8080)" },
    "token-file": { value: "FILE", help: `A file that holds an access token (default ${join(dataFolder(), "service/admin-token")})` },
  },
  notes: ["Exit code: 0 if every screen has shown it, else 1."],
});

const List = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine((parts) => parts.every((part) => part !== ""), "must be names separated by commas");
const units = { s: secondMs, m: minuteMs, h: hourMs, d: dayMs } as const;
const Duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, "must be a duration such as 90s, 30m, 8h or 2d")
  .transform((text) => Number(text.slice(0, -1)) * units[text.slice(-1) as keyof typeof units]);
const Flags = z.object({
  positionals: z.array(z.string()),
  on: List.optional(),
  tag: List.optional(),
  for: Duration.optional(),
  wait: Duration.default(minuteMs),
  clear: z.boolean().default(false),
  server: WebAddress.default("http://127.0.0.1:8080"),
  "token-file": z.string().min(1, "must name a file").default(join(dataFolder(), "service/admin-token")),
});

/** The content to show: a local file, a web address or a text. */
type Content = { path: string } | Pick<NewShow, "url"> | Pick<NewShow, "text">;

/** The content to show, the screens and the duration; `content: null` ends the shows that this command has begun. */
export interface ShowConfig {
  content: Content | null;
  target: Pick<NewShow, "players" | "tags"> | { everywhere: true };
  durationMs: number | null;
  /** How long to wait until the screens have shown it. */
  waitMs: number;
  server: string;
  token: string;
}

/** @throws Fault `bad-config` in one line. */
export function readShowConfig(argv: readonly string[]): ShowConfig {
  const flags = checkFlags(Flags.safeParse(readFlags(argv, usage)), usage);
  const { on: players, tag: tags, clear, positionals } = flags;
  if (clear !== (positionals.length === 0))
    throw badFlags(clear ? "--clear cannot be combined with content to show" : "name the content to show", usage);
  if (positionals.length > 1) throw badFlags(`show one thing at a time, not ${positionals.length}: put text in quotes`, usage);
  return {
    content: clear ? null : contentOf(positionals[0]!),
    target: players === undefined && tags === undefined ? { everywhere: true } : { players, tags },
    durationMs: flags.for ?? null,
    waitMs: flags.wait,
    server: flags.server,
    token: readToken(flags["token-file"], usage),
  };
}

/**
 * Shows the content and waits for the screens, or ends the shows of earlier calls. Logs the outcome on each screen.
 * @throws Fault `refused` with the service's explanation, or if a screen has not shown it.
 */
export async function runShow(config: ShowConfig, log: Log, signal: AbortSignal, clock: Clock = createSystemClock()): Promise<void> {
  const { content, target, durationMs, server, token, waitMs } = config;
  const client = new ServiceClient(server, token);
  if (content === null) return clearShows(client, server, log, signal);
  const when = durationMs === null ? { until: null } : { lasts_ms: durationMs };
  const source = "path" in content ? { asset_id: await upload(client, content.path, log) } : content;
  const show = await client.show({ ...source, ...target, ...when });
  await remember(show, server, log);
  // The last line says how to end it, by this command.
  for (const { code, message } of show.warnings) if (code !== "open-ended") log.warn(message);
  log.info({ name: show.name, show_id: show.id, screens: show.player_count }, "the service has it");
  const outcomes = await watchShow(show, { client, server, token, waitMs, clock, log }, signal).catch((error: unknown) => {
    if (!isAbort(error)) throw error;
    throw new Fault("refused", `stopped before every screen had shown it. The show stays: to end it, run ${usage.command} --clear`);
  });
  listOutcomes(outcomes, waitMs, durationMs === null, log);
}

/** Logs a line for each screen. @throws Fault `refused` unless all have shown it. */
function listOutcomes(outcomes: readonly ScreenOutcome[], waitMs: number, stays: boolean, log: Log): void {
  for (const { name, outcome } of outcomes) {
    if (outcome.is === "shown") log.info({ name, at: outcome.at }, "shown");
    else if (outcome.is === "failed") log.warn({ name, why: outcome.why }, "failed");
    else if (outcome.is === "display-off") log.warn({ name }, "display off: nobody sees it until the display is on");
    else if (outcome.is === "offline") log.warn({ name }, "offline: it has not shown it; it will try when it is back");
    else log.warn({ name, why: outcome.why }, `not shown within ${waitMs / 1_000} s`);
  }
  const shown = outcomes.filter(({ outcome }) => outcome.is === "shown").length;
  if (outcomes.length === 0)
    throw new Fault("refused", "nobody has seen it: no screen is selected. Pair a screen, or look at --on and --tag");
  if (shown < outcomes.length)
    throw new Fault("refused", `${shown} of ${outcomes.length} screens have shown it. The show stays: ${usage.command} --clear ends it`);
  log.info({ screens: shown }, `every screen has shown it${stays ? `, and it stays: ${usage.command} --clear ends it` : ""}`);
}

/** Without this, `--clear` would not know the show. */
async function remember({ id, name }: Show, server: string, log: Log): Promise<void> {
  try {
    await rememberShow({ id, name, server });
  } catch (error) {
    log.warn(
      { show_id: id, reason: reasonOf(error) },
      "--clear will not end this show, since it could not be noted: end it in the console",
    );
  }
}

async function upload(client: ServiceClient, path: string, log: Log): Promise<string> {
  const file = await openAsBlob(path);
  log.info({ name: basename(path), size_mb: Number((file.size / 1e6).toFixed(1)) }, "uploading");
  const { id } = await client.upload(basename(path), file);
  return id;
}

async function clearShows(client: ServiceClient, server: string, log: Log, signal: AbortSignal): Promise<void> {
  const shows = await ownShows(server);
  if (shows.length === 0) log.info({ server }, "there is nothing to end: you have shown nothing here by this command");
  for (const show of shows) {
    signal.throwIfAborted();
    const isEnded = await client.deleteShow(show.id);
    await forgetShow(show);
    log.info(
      { name: show.name },
      isEnded ? "ended: screens that are online return to what else is due, the others when they are back" : "had ended already",
    );
  }
}

function contentOf(argument: string): Content {
  if (/^https?:\/\//i.test(argument)) return { url: argument };
  if (statSync(argument, { throwIfNoEntry: false })?.isFile() === true) return { path: argument };
  // An argument such as menu.jpg or ./menu is meant as a file, not as text to show.
  if (/^\.{0,2}\/|^~|^\S+\.[a-z0-9]{2,4}$/i.test(argument)) throw new Fault("bad-config", `there is no file ${argument}`);
  return { text: argument };
}
