// The figures of `npm run house`, taken of a small checkout.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { measure } from "../scripts/house/measure.ts";
import { temporaryFolder } from "./support/folder.ts";

test("[HSE1] npm run house counts code without comments, blank lines and messages", async () => {
  const figures = await measureFiles({
    "src/base/a.ts": "// What it does.\n\nexport const kept = 1; // why\n/**\n * Whether it is.\n */\nexport const b = 2;\n",
    "renderer/console/i18n/arguments.ts": 'export const a = "A message";\n',
    "renderer/console/a.css": "a {\n  color: red;\n}\n",
  });
  expect(figures).toMatchObject({
    "lines of code in src and renderer": 2,
    "  src/base": 2,
    "files in src and renderer": 2,
    'comment lines with "what"': 1,
    "comment lines that begin with What, Whether or Who": 2,
    "names that are a participle or an adverb": 1,
    "lines of CSS": 3,
  });
});

test("[HSE2] npm run house counts an interface of nine dependencies, a small file with one importer and equal lines in two files", async () => {
  const fields = Array.from({ length: 9 }, (_, index) => `  field${index}: number;`).join("\n");
  const figures = await measureFiles({
    "src/base/a.ts": `import "./small.ts";\nexport interface PlayerDependencies {\n${fields}\n}\n`,
    "src/base/b.ts": `export interface PlayerState {\n${fields}\n}\n`,
    "src/base/small.ts": "export const small = 1;\n",
  });
  expect(figures).toMatchObject({
    "interfaces of dependencies with over 8 fields": 1,
    "files under 30 lines with one importer": 1,
    "pairs of places that share 6 lines": 1,
  });
});

async function measureFiles(files: Record<string, string>): Promise<Record<string, number>> {
  await using root = await temporaryFolder();
  const all = { "package-lock.json": '{"packages":{"":{}}}', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(join(root.path, dirname(path)), { recursive: true });
    writeFileSync(join(root.path, path), text);
  }
  return measure(root.path, Object.keys(files));
}
