// `node scripts/openapi.ts` writes docs/openapi.json and the client's types; with --check it only reports breaking changes.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readVersion, rootFolder } from "../src/main/folders.ts";
import { describeService } from "../src/service/openapi/document.ts";
import { allowsBreaking, breakingChanges, type Description } from "./breaking-changes.ts";
import { installLongToolsIfStale, longTool } from "./test/long-tools.ts";

/** The committed description, relative to the root. */
export const descriptionFile = "docs/openapi.json";
/** The client's types, relative to the root. */
export const typesFile = "sdk/typescript/types.ts";

/** The current description, formatted for the commit. */
export function descriptionText(): string {
  return `${JSON.stringify(describeService(readVersion()), null, 2)}\n`;
}

/**
 * The types that openapi-typescript generates from a description, below a first line with the digests of both: `npm test` compares them
 * without the generator, see `isGeneratedFrom`.
 */
export function typesText(description: string): string {
  installLongToolsIfStale();
  const folder = mkdtempSync(join(tmpdir(), "signage-types-"));
  try {
    const input = join(folder, "openapi.json");
    const output = join(folder, "types.ts");
    writeFileSync(input, description);
    execFileSync(
      process.execPath,
      [longTool("openapi-typescript/bin/cli.js"), input, "--output", output, "--alphabetize", "--default-non-nullable", "false"],
      {
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    const types = readFileSync(output, "utf8");
    return `${firstLine(description, types)}\n${types}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether `text` is what `typesText` returned for a description: neither has changed since. */
export function isGeneratedFrom(description: string, text: string): boolean {
  const end = text.indexOf("\n");
  return text.slice(0, end) === firstLine(description, text.slice(end + 1));
}

function firstLine(description: string, types: string): string {
  const [from, to] = [description, types].map((text) => createHash("sha256").update(text).digest("hex"));
  return `// \`node scripts/openapi.ts\` wrote this from the description ${from}; the lines below are ${to} (SHA-256).`;
}

/** The description that clients rely on: of the newest release that has one, else the last commit; null if there is none. */
export function baseline(): { from: string; description: Description } | null {
  const tags = git("tag", "--list", "v*", "--sort=-version:refname", "--merged", "HEAD")?.split("\n") ?? [];
  for (const from of [...tags.filter((tag) => tag !== ""), "HEAD"]) {
    const text = git("show", `${from}:${descriptionFile}`);
    if (text !== null) return { from, description: JSON.parse(text) as Description };
  }
  return null;
}

/** The breaking changes since the baseline that the version does not announce. */
export function unannouncedBreaks(base: Description, now: Description): string[] {
  return allowsBreaking(base.info.version, now.info.version) ? [] : breakingChanges(base, now);
}

/** The output of a git command; null if it fails, for example outside a repository. */
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
