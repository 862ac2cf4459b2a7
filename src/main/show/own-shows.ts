// Remembers which shows this user's command has made, so that it ends those and nobody else's.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hasErrorCode } from "../../base/fault.ts";
import { id } from "../../protocol/common.ts";
import { stateFolder } from "../folders.ts";

const OwnShow = z.object({ id: id("shw"), name: z.string(), server: z.string() });
export type OwnShow = z.infer<typeof OwnShow>;

/** One file for each show: two commands at the same time write two files. */
const folder = (): string => join(stateFolder(), "shows");

/** Keeps a show. Rejects if the user's folder cannot be written. */
export async function rememberShow(show: OwnShow): Promise<void> {
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  await writeFile(fileOf(show), `${JSON.stringify(show)}\n`, { mode: 0o600 });
}

/** The shows that this user's command has made at a service, oldest first. A file that another program wrote is left alone. */
export async function ownShows(server: string): Promise<OwnShow[]> {
  const shows: OwnShow[] = [];
  for (const name of await namesIn(folder())) {
    const parsed = OwnShow.safeParse(parseJson(await readFile(join(folder(), name), "utf8")));
    if (parsed.success && parsed.data.server === server) shows.push(parsed.data);
  }
  // Ids begin with their time.
  return shows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

export async function forgetShow(show: OwnShow): Promise<void> {
  await rm(fileOf(show), { force: true });
}

function fileOf({ id: showId }: OwnShow): string {
  return join(folder(), `${showId}.json`);
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).filter((name) => name.endsWith(".json"));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}

/** Undefined, which no schema accepts, if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
