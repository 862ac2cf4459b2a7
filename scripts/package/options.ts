// The flags of `npm run package`, and what a build derives from them.
import { join, resolve } from "node:path";
import { homedir } from "node:os";
import { z } from "zod";
import { checkFlags, defineUsage, readFlags } from "../../src/base/config.ts";
import { readVersion, rootFolder } from "../../src/main/folders.ts";
import { Architecture, ReleaseVersion } from "../../src/protocol/device/updates.ts";
import { run } from "./run-program.ts";

const usage = defineUsage({
  command: "npm run package --",
  summary: "Builds the Debian packages, the application bundles and a signed apt repository, reproducibly.",
  flags: {
    arch: { value: "NAME", help: "amd64, arm64 or all (default all)" },
    output: { value: "DIR", help: "Where packages/ and apt/ are written (default dist)" },
    version: { value: "VERSION", help: "Another version than that of package.json, for trials of updates" },
    key: { value: "FILE", help: "Secret OpenPGP key that signs the apt repository (default: a new one for trials, which is not kept)" },
    root: { value: "FILE", help: "root.json of the releases that players accept; without it they refuse updates" },
    quick: { help: "Compress fast, for trials" },
    twice: { help: "Build everything a second time elsewhere and compare" },
    lint: { help: "Check the packages with lintian" },
  },
  notes: ["SOURCE_DATE_EPOCH sets the time of all files (default: that of the newest commit)."],
});

const file = z
  .string()
  .min(1, "must name a file")
  .transform((path) => resolve(path))
  .optional();
const Flags = z.object({
  arch: z.enum([...Architecture.options, "all"], "must be amd64, arm64 or all").default("all"),
  output: z
    .string()
    .min(1, "must name a folder")
    .default(join(rootFolder, "dist"))
    .transform((path) => resolve(path)),
  version: ReleaseVersion.default(readVersion()),
  key: file,
  root: file,
  quick: z.boolean().default(false),
  twice: z.boolean().default(false),
  lint: z.boolean().default(false),
});

/** What a build makes. */
export interface BuildOptions {
  version: string;
  /** Time of every file, in seconds since the epoch. */
  epoch: number;
  /** The trust anchor for releases that the package brings; undefined for none. */
  root: string | undefined;
  quick: boolean;
  /** Downloads that later builds use again. */
  cacheFolder: string;
}

/** @throws Fault `bad-config` in one line that names every invalid flag. */
export function readOptions(argv: readonly string[]): z.infer<typeof Flags> & { architectures: Architecture[]; build: BuildOptions } {
  const flags = checkFlags(Flags.safeParse(readFlags(argv, usage)), usage);
  const { version, root, quick } = flags;
  const cacheFolder = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "signage-player/packages");
  return {
    ...flags,
    architectures: flags.arch === "all" ? [...Architecture.options] : [flags.arch],
    build: { version, epoch: sourceTime(), root, quick, cacheFolder },
  };
}

/** SOURCE_DATE_EPOCH (reproducible-builds.org), else the time of the newest commit, in seconds. */
function sourceTime(): number {
  const seconds = Number(process.env["SOURCE_DATE_EPOCH"] ?? run("git", ["log", "-1", "--format=%ct"], { cwd: rootFolder }));
  if (Number.isSafeInteger(seconds) && seconds > 0) return seconds;
  throw new Error("SOURCE_DATE_EPOCH must be a time in seconds since 1970");
}
