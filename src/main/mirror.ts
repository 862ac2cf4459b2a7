// signage-player mirror: copies a release repository into a service's data folder once, such as from a USB stick.
import { join } from "node:path";
import { z } from "zod";
import { createSystemClock } from "../base/clock.ts";
import { badFlags, checkFlags, defineUsage, readFlags } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { defaultMirrorBytes, mirrorFolderName } from "../service/releases/mirror-limits.ts";
import { ExistingFile, Gigabytes } from "./flags.ts";
import { commandName, dataFolder } from "./folders.ts";

/** Its flags. */
export const usage = defineUsage({
  command: commandName("node_modules/.bin/node src/main/cli.ts mirror", "mirror"),
  summary: "Copies a release repository into the service's data folder, while the service runs or not, and offers it to its players.",
  positionals: "FOLDER|URL",
  flags: {
    data: { value: "SERVICE_DIR", help: `The service's data folder (default ${join(dataFolder(), "service")})` },
    "releases-root": { value: "FILE", help: "root.json that the releases are verified by (default: the first one that the source has)" },
    "releases-max-gb": { value: "GB", help: `How much of the releases is kept, the newest first (default ${defaultMirrorBytes / 1e9})` },
  },
});

const Flags = z.object({
  data: z.string().min(1, "must name a folder").default(join(dataFolder(), "service")),
  "releases-root": ExistingFile,
  "releases-max-gb": Gigabytes,
  positionals: z.array(z.string()),
});

export interface MirrorFlags {
  data: string;
  from: string;
  rootFile: string | null;
  maxBytes: number;
}

/** @throws Fault `bad-config` in one line. */
export function readMirrorConfig(argv: readonly string[]): MirrorFlags {
  const flags = checkFlags(Flags.safeParse(readFlags(argv, usage)), usage);
  const [from, ...others] = flags.positionals;
  if (from === undefined || others.length > 0) throw badFlags("name one folder or address with releases", usage);
  return { data: flags.data, from, rootFile: flags["releases-root"] ?? null, maxBytes: flags["releases-max-gb"] };
}

/** Refreshes the mirror once. @throws the reason when that fails: the files of the last refresh stay. */
export async function runMirror({ data, ...options }: MirrorFlags, log: Log, signal: AbortSignal): Promise<void> {
  const { MirrorFolder } = await import("../service/releases/mirror-folder.ts");
  const { refreshMirror } = await import("../service/releases/refresh.ts");
  const folder = new MirrorFolder(join(data, mirrorFolderName));
  await refreshMirror(folder, { ...options, now: Math.trunc(createSystemClock().now()), log, signal });
  const releases = await folder.published();
  const versions = [...new Set(releases?.bundles.map(({ manifest }) => manifest.version))];
  log.info({ data, versions, expires_at: new Date(releases!.expiresAt).toISOString() }, "releases mirrored");
}
