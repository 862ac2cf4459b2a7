// `node scripts/openapi.ts` writes docs/openapi.json and the client's types; with --check it only says what would break clients.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readVersion, rootFolder } from "../src/main/folders.ts";
import { describeService } from "../src/service/openapi/document.ts";
import { allowsBreaking, breakingChanges, type Description } from "./breaking-changes.ts";

/** Where the committed copy of the description is, from the root. */
export const descriptionFile = "docs/openapi.json";
/** Where the client's types are. */
export const typesFile = "sdk/typescript/types.ts";

/** The description as it is committed. */
export function descriptionText(): string {
  return `${JSON.stringify(describeService(readVersion()), null, 2)}\n`;
}

/** The types that openapi-typescript makes of a description. It needs the TypeScript of its own workspace. */
export function typesText(description: string): string {
  const folder = mkdtempSync(join(tmpdir(), "signage-types-"));
  try {
    const input = join(folder, "openapi.json");
    const output = join(folder, "types.ts");
    writeFileSync(input, description);
    const program = join(rootFolder, "sdk/typescript/node_modules/openapi-typescript/bin/cli.js");
    execFileSync(process.execPath, [program, input, "--output", output, "--alphabetize", "--default-non-nullable", "false"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    return readFileSync(output, "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What clients may rely on: the description of the newest release that has one, else the last one committed; null: none. */
export function baseline(): { from: string; description: Description } | null {
  const tags = git("tag", "--list", "v*", "--sort=-version:refname", "--merged", "HEAD")?.split("\n") ?? [];
  for (const from of [...tags.filter((tag) => tag !== ""), "HEAD"]) {
    const text = git("show", `${from}:${descriptionFile}`);
    if (text !== null) return { from, description: JSON.parse(text) as Description };
  }
  return null;
}

/** What breaks the clients of the baseline without the version saying so. */
export function unannouncedBreaks(base: Description, now: Description): string[] {
  return allowsBreaking(base.info.version, now.info.version) ? [] : breakingChanges(base, now);
}

/** A git command's output, null where it fails: outside a repository, or for what is not there. */
function git(...argv: string[]): string | null {
  try {
    return execFileSync("git", argv, { cwd: rootFolder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 64 * 1024 ** 2 });
  } catch {
    return null;
  }
}

if (import.meta.main) {
  const description = descriptionText();
  const base = baseline();
  const broken = base === null ? [] : unannouncedBreaks(base.description, JSON.parse(description) as Description);
  for (const each of broken) process.stderr.write(`${each}\n`);
  if (broken.length > 0) {
    process.stderr.write(
      `\n${broken.length} breaking changes since ${base!.from} (${base!.description.info.version}): raise the major version, or the minor below 1.0\n`,
    );
  }
  if (process.argv.includes("--check")) process.exitCode = broken.length > 0 ? 1 : 0;
  else {
    writeFileSync(join(rootFolder, descriptionFile), description);
    writeFileSync(join(rootFolder, typesFile), typesText(description));
  }
}
