// The notices of third parties: every package in the bundle and in the page, with its license, and Node.js.
import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

const Package = z.object({
  name: z.string(),
  version: z.string(),
  license: z.union([z.string(), z.object({ type: z.string() }).transform(({ type }) => type)]).optional(),
  licenses: z.array(z.object({ type: z.string() })).optional(),
});

/** A package, as the notices list it. */
export interface Notice {
  name: string;
  version: string;
  license: string;
  /** Its license files. */
  texts: string[];
}

const licenseFile = /^(licen[sc]e|copying|notice|third[-_ ]?party)/i;

/**
 * The packages in a folder `node_modules`, and those in further folders, each version once, in the order of their names.
 * @throws ZodError for a package without a name or a version.
 */
export function noticesOf(modules: string, further: readonly string[] = []): Notice[] {
  const notices = new Map<string, Notice>();
  const installed = globSync("**/package.json", { cwd: modules }).filter(isPackageRoot);
  for (const folder of [...installed.map((path) => join(modules, dirname(path))), ...further]) {
    const { name, version, license, licenses } = Package.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
    const stated = license ?? licenses?.map(({ type }) => type).join(" OR ") ?? "see below";
    notices.set(`${name}@${version}`, { name, version, license: stated, texts: licenseTexts(folder) });
  }
  return [...notices.values()].toSorted((a, b) => compare(`${a.name}@${a.version}`, `${b.name}@${b.version}`));
}

/** The text for people. @param nodeLicense the license file of Node.js. */
export function noticesText(notices: readonly Notice[], nodeVersion: string, nodeLicense: string): string {
  const rule = "=".repeat(80);
  const parts = notices.map(({ name, version, license, texts }) =>
    [`${name} ${version}`, `License: ${license}`, ...texts.map((text) => `\n${text.trim()}`)].join("\n"),
  );
  const node = `Node.js ${nodeVersion}\nLicense: MIT, and those of the parts below\n\n${readFileSync(nodeLicense, "utf8").trim()}`;
  const head = "signage-player contains the software below, each under its own license.";
  return `${[head, ...parts, node].join(`\n\n${rule}\n\n`)}\n`;
}

/** Whether the path below node_modules is a package's own manifest: `NAME/package.json` or `@SCOPE/NAME/package.json`. */
function isPackageRoot(path: string): boolean {
  const inside = path.split("node_modules/").at(-1)!;
  return /^(@[^/]+\/)?[^/@]+\/package\.json$/.test(inside);
}

function licenseTexts(folder: string): string[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && licenseFile.test(entry.name));
  return names
    .map(({ name }) => name)
    .toSorted(compare)
    .map((name) => readFileSync(join(folder, name), "utf8"));
}

// Not the locale's order, which differs between machines.
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
