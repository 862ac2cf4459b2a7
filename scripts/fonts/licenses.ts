// The licences of the shipped fonts as one text: who made each font, and each licence once.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** @param packages those of the fonts, below `node_modules` of the repository in `root`. */
export function licensesText(packages: readonly string[], root: string): string {
  const fontsByLicense = new Map<string, string[]>();
  for (const name of packages) {
    const { copyright, license } = readLicense(readFileSync(join(root, "node_modules", name, "LICENSE"), "utf8"));
    fontsByLicense.set(license, [...(fontsByLicense.get(license) ?? []), `${name.slice(name.indexOf("/") + 1)}${copyright}`]);
  }
  const parts = [...fontsByLicense].map(([license, fonts]) => `${fonts.join("\n")}\n\n${license}\n`);
  return `The fonts of this page are used under the licences below them.\n\n${parts.join(`\n${"=".repeat(80)}\n\n`)}`;
}

/** Most licences begin with a line that differs from font to font. */
function readLicense(text: string): { copyright: string; license: string } {
  const [first, ...rest] = text.trim().split("\n");
  if (!/^Copyright/.test(first!)) return { copyright: "", license: text.trim() };
  return { copyright: `: ${first!.trim()}`, license: rest.join("\n").trim() };
}
