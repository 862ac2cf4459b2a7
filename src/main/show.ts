// signage-player show: puts a file, a web page or a text on the screens of a service, by the same request as everybody else.
import { openAsBlob, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { badFlags, checkFlags, readFlags, defineUsage } from "../base/config.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { NewShow, Show } from "../protocol/operator/shows.ts";
import { ServiceClient } from "./service-client.ts";
import { dataFolder } from "./folders.ts";

const usage = defineUsage({
  command: "npm run show --",
  summary: "Shows a picture, a clip, a PDF, a web page or a text on your screens, above what else they play.",
  positionals: "FILE|URL|TEXT",
  flags: {
    on: { value: "NAME[,NAME]", help: "Only on the screens with these names (default: all)" },
    tag: { value: "TAG[,TAG]", help: "Only on screens with one of these tags" },
    for: { value: "TIME", help: "How long, such as 90s, 30m, 8h or 2d (default: until --clear)" },
    clear: { help: "Take back what was shown in this way, in place of showing something" },
    server: { value: "URL", help: "The service (default http://127.0.0.1:8080)" },
    "token-file": { value: "FILE", help: `A file that holds an access token (default ${join(dataFolder(), "service/admin-token")})` },
  },
});

const List = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine((parts) => parts.every((part) => part !== ""), "must be names with commas between them");
const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const Duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, "must be a time such as 90s, 30m, 8h or 2d")
  .transform((text) => Number(text.slice(0, -1)) * units[text.slice(-1) as keyof typeof units]);
const Flags = z.object({
  words: z.array(z.string()),
  on: List.optional(),
  tag: List.optional(),
  for: Duration.optional(),
  clear: z.boolean().default(false),
  server: z.url({ protocol: /^https?$/, message: "must be an http:// or https:// address" }).default("http://127.0.0.1:8080"),
  "token-file": z.string().min(1, "must name a file").default(join(dataFolder(), "service/admin-token")),
});

/** What is shown: a file of this machine, or what the request itself carries. */
type Matter = { path: string } | Pick<NewShow, "url"> | Pick<NewShow, "text">;

/** What is shown where and how long; `matter: null` takes all back. */
export interface ShowConfig {
  content: Matter | null;
  target: Pick<NewShow, "players" | "tags"> | { everywhere: true };
  durationMs: number | null;
  server: string;
  token: string;
}

/** @throws Fault `bad-config` in one line. */
export function readShowConfig(argv: readonly string[]): ShowConfig {
  const flags = checkFlags(Flags.safeParse(readFlags(argv, usage)), usage);
  const { on: players, tag: tags, clear, words } = flags;
  if (clear !== (words.length === 0)) throw badFlags(clear ? "--clear goes without anything to show" : "say what to show", usage);
  if (words.length > 1) throw badFlags(`one thing at a time, not ${words.length}: put a text in quotes`, usage);
  return {
    content: clear ? null : matterOf(words[0]!),
    target: players === undefined && tags === undefined ? { everywhere: true } : { players, tags },
    durationMs: flags.for ?? null,
    server: flags.server,
    token: readToken(flags["token-file"]),
  };
}

/** Shows it, or takes back what was shown, and tells on which screens. @throws Fault `refused` with the service's own words. */
export async function runShow(
  { content: matter, target: where, durationMs: lastsMs, server, token }: ShowConfig,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const client = new ServiceClient(server, token);
  if (matter === null) return clearShows(client, log, signal);
  const when = lastsMs === null ? { until: null } : { lasts_ms: lastsMs };
  const what = "path" in matter ? { asset_id: await upload(client, matter.path, log) } : matter;
  const show = await client.show({ ...what, ...where, ...when });
  tell(show, log);
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
    log.info({ name }, "taken back");
  }
}

function tell({ id, name, players, warnings, player_count }: Show, log: Log): void {
  for (const { message } of warnings) log.warn(message);
  for (const player of players) log.info({ name: player.name, status: player.status }, "on this screen");
  log.info({ name, show_id: id, screens: player_count }, "shown");
}

function matterOf(word: string): Matter {
  if (/^https?:\/\//i.test(word)) return { url: word };
  if (statSync(word, { throwIfNoEntry: false })?.isFile() === true) return { path: word };
  // A word such as menu.jpg or ./menu is meant as a file; nobody wants its name on a screen.
  if (/^\.{0,2}\/|^~|^\S+\.[a-z0-9]{2,4}$/i.test(word)) throw new Fault("bad-config", `there is no file ${word}`);
  return { text: word };
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw badFlags(`--token-file: ${file} cannot be read: is the service this machine's?`, usage, { cause: error });
  }
}
