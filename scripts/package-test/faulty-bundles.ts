// Bundles for the matrix of updates: the good bundle of a higher version with one small fault each, signed like any other.
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ReleaseManifest } from "../../src/protocol/device/updates.ts";

const execute = promisify(execFile);
const entry = "dist/main/cli.js";
const page = "dist/renderer/player";
// Only the program that plays is faulty: people's commands are not.
const onStart = (code: string): string => `if (process.argv[2] === "start") { ${code} }\n`;
const fiveMinutesMs = 5 * 60_000;
const twoMinutesMs = 2 * 60_000;
// Far more than any budget, and less than makes this machine swap.
const leakBytes = 3 * 2 ** 30;

/** What each fault does to the unpacked bundle. */
export const faults = {
  "crashes at start": (folder: string) => prepend(join(folder, entry), onStart("process.exit(1);")),
  "crashes after five minutes": (folder: string) =>
    prepend(join(folder, entry), onStart(`setTimeout(() => process.exit(1), ${fiveMinutesMs});`)),
  hangs: (folder: string) => prepend(join(folder, entry), onStart(`setTimeout(() => { for (;;); }, ${twoMinutesMs});`)),
  leaks: (folder: string) =>
    prepend(
      join(folder, entry),
      onStart(
        `const kept = []; setInterval(() => { if (kept.length < ${leakBytes / 2 ** 25}) kept.push(Buffer.alloc(${2 ** 25}, 1)); }, 500);`,
      ),
    ),
  async "presents no frames"(folder: string): Promise<void> {
    for (const name of await readdir(join(folder, page), { recursive: true }))
      if (name.endsWith(".js")) await writeFile(join(folder, page, name), "");
  },
} as const satisfies Record<string, (folder: string) => Promise<void>>;
export type Fault = keyof typeof faults;

/** A bundle as it is published. */
export interface Bundle {
  bytes: Buffer;
  /** As its release.json says. */
  launcherNeeded: string;
}

export class Bundles {
  readonly #good: string;
  readonly #work: string;

  /** @param good the bundle of the higher version. @param work a folder for what is unpacked. */
  constructor(good: string, work: string) {
    this.#good = good;
    this.#work = work;
  }

  /** @param version another version than the bundle's own. @returns the bundle with the fault; the good one for null. */
  async make(fault: Fault | null, version?: string): Promise<Bundle> {
    const { stdout } = await execute("tar", ["--extract", "--zstd", "--to-stdout", `--file=${this.#good}`, "release.json"]);
    const { launcher_needed: launcherNeeded } = ReleaseManifest.parse(JSON.parse(stdout));
    if (fault === null && version === undefined) return { bytes: await readFile(this.#good), launcherNeeded };
    const folder = join(this.#work, `bundle-${(fault ?? "good").replaceAll(" ", "-")}`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await execute("tar", ["--extract", "--zstd", `--file=${this.#good}`, `--directory=${folder}`]);
    if (fault !== null) await faults[fault](folder);
    if (version !== undefined) await changeVersion(folder, version);
    const output = `${folder}.tar.zst`;
    const owner = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"];
    await execute("tar", ["--create", ...owner, "--use-compress-program=zstd -3", `--file=${output}`, ...(await tops(folder))], {
      cwd: folder,
    });
    const bytes = await readFile(output);
    await rm(folder, { recursive: true, force: true });
    await rm(output, { force: true });
    return { bytes, launcherNeeded };
  }
}

async function tops(folder: string): Promise<string[]> {
  return (await readdir(folder)).toSorted();
}

async function changeVersion(folder: string, version: string): Promise<void> {
  for (const name of ["release.json", "package.json"]) {
    const path = join(folder, name);
    await writeFile(path, JSON.stringify({ ...(JSON.parse(await readFile(path, "utf8")) as object), version }));
  }
}

async function prepend(path: string, code: string): Promise<void> {
  await writeFile(path, code + (await readFile(path, "utf8")));
}
