// Checks whether Electron's sandbox can work on this Linux: by user namespaces, or by the setuid helper beside Electron's binary.
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The sandbox works, or a kernel setting forbids user namespaces and the helper is missing or not setuid root. */
export type SandboxState =
  | { is: "usable" }
  | { is: "blocked"; setting: string; value: string; helper: string; helperIs: "missing" | "not-setuid-root" };

// Values of kernel settings that forbid user namespaces to unprivileged programs. Not every kernel has every setting.
const restrictions = [
  { setting: "sys/kernel/unprivileged_userns_clone", value: "0" }, // Debian's kernels
  { setting: "sys/user/max_user_namespaces", value: "0" },
  // Ubuntu since 23.10. An AppArmor profile may allow a program nevertheless, but that only shows when it is started.
  { setting: "sys/kernel/apparmor_restrict_unprivileged_userns", value: "1" },
];

/**
 * Checks the requirements of Chromium's sandbox (zygote_host_impl_linux.cc): user namespaces, or `chrome-sandbox` beside
 * `executable`, owned by root with mode 4755. Chromium aborts without either.
 * @param procFolder `/proc`.
 */
export async function readSandbox(procFolder: string, executable: string): Promise<SandboxState> {
  for (const { setting, value } of restrictions) {
    const path = join(procFolder, setting);
    if ((await readFile(path, "utf8").catch(nullIfUnreadable))?.trim() !== value) continue;
    const helper = join(dirname(executable), "chrome-sandbox");
    const found = await stat(helper).catch(nullIfUnreadable);
    if (found !== null && found.uid === 0 && (found.mode & 0o7777) === 0o4755) return { is: "usable" };
    return { is: "blocked", setting: path, value, helper, helperIs: found === null ? "missing" : "not-setuid-root" };
  }
  return { is: "usable" };
}

/** How to make the sandbox work, as the end of a sentence. */
export function sandboxRemedy({ helper, helperIs }: SandboxState & { is: "blocked" }): string {
  if (helperIs === "missing") return `download Electron again: rm -r ${quoted(dirname(helper))} && npx install-electron`;
  return `run: sudo chown root:root ${quoted(helper)} && sudo chmod 4755 ${quoted(helper)}`;
}

/** The path, quoted for a shell if necessary. */
function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function nullIfUnreadable(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "EACCES") return null;
  throw error;
}
