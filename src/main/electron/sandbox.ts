// Tells whether Electron's sandbox can work on this Linux: by user namespaces, or else by the setuid helper beside its binary.
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Whether the sandbox can work. Where not: the kernel's setting that forbids user namespaces, and what is wrong with the helper. */
export type SandboxState =
  | { is: "usable" }
  | { is: "blocked"; setting: string; value: string; helper: string; helperIs: "missing" | "not-setuid-root" };

// The values of the kernel's settings with which an unprivileged program gets no user namespaces. A kernel without the
// setting does not restrict them by it.
const restrictions = [
  { setting: "sys/kernel/unprivileged_userns_clone", value: "0" }, // Debian's kernels
  { setting: "sys/user/max_user_namespaces", value: "0" },
  // Ubuntu since 23.10. An AppArmor profile may except a program; nothing tells so without starting that program.
  { setting: "sys/kernel/apparmor_restrict_unprivileged_userns", value: "1" },
];

/**
 * Reads what Chromium's sandbox needs (Chromium's zygote_host_impl_linux.cc): user namespaces, else `chrome-sandbox`
 * beside `executable`, owned by root with mode 4755. Chromium aborts without either.
 * @param procFolder `/proc`.
 */
export async function readSandbox(procFolder: string, executable: string): Promise<SandboxState> {
  for (const { setting, value } of restrictions) {
    const path = join(procFolder, setting);
    if ((await readFile(path, "utf8").catch(ifUnknown))?.trim() !== value) continue;
    const helper = join(dirname(executable), "chrome-sandbox");
    const found = await stat(helper).catch(ifUnknown);
    if (found !== null && found.uid === 0 && (found.mode & 0o7777) === 0o4755) return { is: "usable" };
    return { is: "blocked", setting: path, value, helper, helperIs: found === null ? "missing" : "not-setuid-root" };
  }
  return { is: "usable" };
}

/** What makes the sandbox work, as the end of a sentence. */
export function sandboxRemedy({ helper, helperIs }: SandboxState & { is: "blocked" }): string {
  if (helperIs === "missing") return `fetch Electron anew: rm -r ${quoted(dirname(helper))} && npx install-electron`;
  return `run: sudo chown root:root ${quoted(helper)} && sudo chmod 4755 ${quoted(helper)}`;
}

/** The path as a shell takes it. */
function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function ifUnknown(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "EACCES") return null;
  throw error;
}
