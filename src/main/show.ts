// signage-player show: shows a file, a web page or a text on the screens of a service.
import { openAsBlob, statSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { badFlags, checkFlags, readFlags, defineUsage } from "../base/config.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { NewShow, Show } from "../protocol/operator/shows.ts";
import { readToken, WebAddress } from "./flags.ts";
import { commandName, dataFolder } from "./folders.ts";
import { ServiceClient } from "./service-client.ts";

/** Its flags. */
export const usage = defineUsage({
  command: commandName("npm run show --", "show"),
  summary: "Shows a picture, a video, a PDF, a web page or a text on your screens, in place of their usual content.",
  positionals: "FILE|URL|TEXT",
  flags: {
    on: { value: "NAME[,NAME]", help: "Only on the screens with these names (default: all)" },
    tag: { value: "TAG[,TAG]", help: "Only on screens with one of these tags" },
    for: { value: "DURATION", help: "Duration, such as 90s, 30m, 8h or 2d (default: until --clear)" },
    clear: { help: "End everything that was shown by this command" },
    server: { value: "URL", help: "The service (default http://127.0.0.1:8080)" },
    "token-file": { value: "FILE", help: `A file that holds an access token (default ${join(dataFolder(), "service/admin-token")})` },
  },
});

const List = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine((parts) => parts.every((part) => part !== ""), "must be names separated by commas");
const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const Duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, "must be a duration such as 90s, 30m, 8h or 2d")
  .transform((text) => Number(text.slice(0, -1)) * units[text.slice(-1) as keyof typeof units]);
const Flags = z.object({
  positionals: z.array(z.string()),
  on: List.optional(),
  tag: List.optional(),
  for: Duration.optional(),
  clear: z.boolean().default(false),
  server: WebAddress.default("http://127.0.0.1:8080"),
  "token-file": z.string().min(1, "must name a file").default(join(dataFolder(), "service/admin-token")),
});

/** The content to show: a local file, a web address or a text. */
type Content = { path: string } | Pick<NewShow, "url"> | Pick<NewShow, "text">;

/** What to show, where and for how long; `content: null` ends everything shown before. */
export interface ShowConfig {
  content: Content | null;
  target: Pick<NewShow, "players" | "tags"> | { everywhere: true };
  durationMs: number | null;
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
    server: flags.server,
    token: readToken(flags["token-file"], usage),
  };
}

/** Shows the content, or ends everything shown before, and logs the screens. @throws Fault `refused` with the service's explanation. */
export async function runShow({ content, target, durationMs, server, token }: ShowConfig, log: Log, signal: AbortSignal): Promise<void> {
  const client = new ServiceClient(server, token);
  if (content === null) return clearShows(client, log, signal);
  const when = durationMs === null ? { until: null } : { lasts_ms: durationMs };
  const source = "path" in content ? { asset_id: await upload(client, content.path, log) } : content;
  const show = await client.show({ ...source, ...target, ...when });
  logShow(show, log);
}

async function upload(client: ServiceClient, path: string, log: Log): Promise<string> {
  const file = await openAsBlob(path);
  log.info({ name: basename(path), size_mb: Number((file.size / 1e6).toFixed(1)) }, "uploading");
  const { id } = await client.upload(basename(path), file);
  return id;
}

async function clearShows(client: ServiceClient, log: Log, signal: AbortSignal): Promise<void> {
  for (const { id, name, status } of await client.shows()) {
    signal.throwIfAborted();
    if (status !== "due" && status !== "planned") continue;
    await client.deleteShow(id);
    log.info({ name }, "show ended");
  }
}

function logShow({ id, name, players, warnings, player_count }: Show, log: Log): void {
  for (const { message } of warnings) log.warn(message);
  for (const player of players) log.info({ name: player.name, status: player.status }, "shown on screen");
  log.info({ name, show_id: id, screens: player_count }, "shown");
}

function contentOf(argument: string): Content {
  if (/^https?:\/\//i.test(argument)) return { url: argument };
  if (statSync(argument, { throwIfNoEntry: false })?.isFile() === true) return { path: argument };
  // An argument such as menu.jpg or ./menu is meant as a file, not as text to show.
  if (/^\.{0,2}\/|^~|^\S+\.[a-z0-9]{2,4}$/i.test(argument)) throw new Fault("bad-config", `there is no file ${argument}`);
  return { text: argument };
}
