// How tests that run as root start what refuses root: as `nobody`, and where nobody may not enter the checkout, with leave to read it.
import { spawnSync } from "node:child_process";
import { chownSync } from "node:fs";
import { rootFolder } from "../../src/main/folders.ts";

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
const readsAll = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"];

/** A command and its arguments. */
export interface Command {
  executable: string;
  argv: string[];
}

/** The same command as an unprivileged user. */
export function unprivileged({ executable, argv }: Command): Command {
  if (!isRoot) return { executable, argv };
  const mayRead = spawnSync("setpriv", [...asNobody, "test", "-r", `${rootFolder}/package.json`]).status === 0;
  return { executable: "setpriv", argv: [...asNobody, ...(mayRead ? [] : readsAll), executable, ...argv] };
}

/** Gives a folder to the user that {@link unprivileged} commands run as. */
export function giveAway(folder: string): void {
  if (isRoot) chownSync(folder, nobody, nobody);
}
