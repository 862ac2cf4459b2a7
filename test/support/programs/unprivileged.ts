// How tests that run as root start what refuses root: as `nobody`, who is shown the checkout elsewhere where its own place is closed to him.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootFolder } from "../../../src/main/folders.ts";

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
const isOpen = isRoot && spawnSync("setpriv", [...asNobody, "test", "-r", join(rootFolder, "package.json")]).status === 0;
// In a mount namespace of its own: nobody else sees it, and it is gone with the program.
const showCheckout = 'mount --bind "$0" "$1" && cd "$1" && shift && exec "$@"';

let madeFolder: string | undefined;

/** A command and its arguments. */
export interface Command {
  executable: string;
  argv: string[];
}

/** The same command as an unprivileged user. Its process id is that of the process started. */
export function unprivileged({ executable, argv }: Command): Command {
  if (!isRoot) return { executable, argv };
  const command = [executable, ...argv].map(asSeenByNobody);
  if (isOpen) return { executable: "setpriv", argv: [...asNobody, ...command] };
  return {
    executable: "unshare",
    argv: ["--mount", "sh", "-c", showCheckout, rootFolder, openFolder(), "setpriv", ...asNobody, ...command],
  };
}

/** Where an {@link unprivileged} command finds a file of the checkout. */
export function asSeenByNobody(path: string): string {
  return !isRoot || isOpen ? path : path.replace(rootFolder, `${openFolder()}/`);
}

/** Gives a folder to the user that {@link unprivileged} commands run as. */
export function giveAway(folder: string): void {
  if (isRoot) chownSync(folder, nobody, nobody);
}

/** An empty folder that everybody may enter, removed when the tests end. */
function openFolder(): string {
  if (madeFolder !== undefined) return madeFolder;
  const folder = mkdtempSync(join(tmpdir(), "signage-checkout-"));
  chmodSync(folder, 0o755);
  process.once("exit", () => rmdirSync(folder));
  madeFolder = folder;
  return folder;
}
