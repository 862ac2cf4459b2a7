// The program as it was before it could run on several nodes: taken from git into a folder, with this checkout's packages.
import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { rootFolder } from "../../../src/main/folders.ts";

const run = promisify(execFile);
const tag = "before-scale";
/** The commit of the tag, for checkouts without tags. */
const commit = "fd318229a";
const needed = ["src", "demo", "sdk/typescript", "package.json", "tsconfig.json", "vite.main.config.ts"];

/** Writes the sources into `folder`. @returns the commit's name. @throws Error when this is no git checkout with its history. */
export async function checkOutBefore(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const name = await git("rev-parse", "--verify", "--quiet", `${tag}^{commit}`).catch(() =>
    git("rev-parse", "--verify", `${commit}^{commit}`),
  );
  const archive = join(folder, "sources.tar");
  await git("archive", "--output", archive, name, ...needed);
  await run("tar", ["-xf", archive, "-C", folder]);
  await symlink(join(rootFolder, "node_modules"), join(folder, "node_modules"));
  return name;
}

async function git(...argv: string[]): Promise<string> {
  return (await run("git", argv, { cwd: rootFolder })).stdout.trim();
}
