// Runs the linter on planted files, with this project's settings.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import { temporaryFolder } from "./folder.ts";

/** What the linter says of a file: `code` is the rule, such as `eslint(no-restricted-imports)`; `offset` counts bytes. */
export interface Complaint {
  code: string;
  filename: string;
  labels: { span: { offset: number; line: number } }[];
}

/** Lints files, by path and text, in a folder of their own. The rules that need the compiler are left out. */
export async function lintPlanted(files: ReadonlyMap<string, string>): Promise<Complaint[]> {
  await using folder = await temporaryFolder();
  const text = await readFile(join(rootFolder, ".oxlintrc.json"), "utf8");
  const { options: _, jsPlugins, ...settings } = JSON.parse(text) as { options: unknown; jsPlugins: string[] };
  const plugins = jsPlugins.map((path) => join(rootFolder, path));
  for (const [file, content] of [...files, [".oxlintrc.json", JSON.stringify({ ...settings, jsPlugins: plugins })] as const]) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true });
    await writeFile(join(folder.path, file), content);
  }
  const output = await new Promise<string>((resolve, reject) => {
    const options = { cwd: folder.path, maxBuffer: 256 * 1024 * 1024 };
    // By this Node, because the one of PATH may be too old for the linter's plugins.
    execFile(process.execPath, [join(rootFolder, "node_modules/oxlint/bin/oxlint"), "--format", "json"], options, (error, stdout) => {
      // The exit code is 1 if the linter found something.
      if (error !== null && error.code !== 1) reject(error);
      else resolve(stdout);
    });
  });
  return (JSON.parse(output) as { diagnostics: Complaint[] }).diagnostics;
}
