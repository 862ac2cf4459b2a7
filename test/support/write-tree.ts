// Writes recorded trees of /proc and /sys, for machines that the tests do not have.
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Writes files by their paths; a text that begins with "->" is a symbolic link. */
export async function writeTree(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    if (text.startsWith("->")) await symlink(text.slice(2), join(root, path));
    else await writeFile(join(root, path), text);
  }
}
