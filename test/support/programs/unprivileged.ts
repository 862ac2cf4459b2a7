// Runs commands as `nobody` when the tests run as root, and makes the checkout readable for that user.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootFolder } from "../../../src/main/folders.ts";

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
const isOpen = isRoot && spawnSync("setpriv", [...asNobody, "test", "-r", join(rootFolder, "package.json")]).status === 0;
// In a separate mount namespace, which ends with the program.
const showCheckout = 'mount --bind "$0" "$1" && cd "$1" && shift && exec "$@"';

let madeFolder: string | undefined;

/** A command and its arguments. */
export interface Command {
  executable: string;
  argv: string[];
}

/** The command as an unprivileged user. It keeps the started process's id. */
export function unprivileged({ executable, argv }: Command): Command {
  if (!isRoot) return { executable, argv };
  const command = [executable, ...argv].map(asSeenByNobody);
  if (isOpen) return { executable: "setpriv", argv: [...asNobody, ...command] };
  return {
    executable: "unshare",
    argv: ["--mount", "sh", "-c", showCheckout, rootFolder, openFolder(), "setpriv", ...asNobody, ...command],
  };
}

/** The path at which an {@link unprivileged} command finds a file of the checkout. */
export function asSeenByNobody(path: string): string {
  return !isRoot || isOpen ? path : path.replace(rootFolder, `${openFolder()}/`);
}

/** Makes the user of {@link unprivileged} commands the owner of a folder. */
export function giveAway(folder: string): void {
  if (isRoot) chownSync(folder, nobody, nobody);
}

/** An empty folder that all users may enter, removed when the tests end. */
function openFolder(): string {
  if (madeFolder !== undefined) return madeFolder;
  const folder = mkdtempSync(join(tmpdir(), "signage-checkout-"));
  chmodSync(folder, 0o755);
  process.once("exit", () => rmdirSync(folder));
  madeFolder = folder;
  return folder;
}
