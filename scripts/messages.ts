// `node scripts/messages.ts` writes the types of the console's messages; with --check it reports faults of the catalogue instead.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import en from "../renderer/console/i18n/en.json" with { type: "json" };
import { rootFolder } from "../src/main/folders.ts";
import { argumentsModule, faultsOf, type Catalogue } from "./messages/arguments.ts";
import { unusedMessages } from "./messages/unused.ts";

const folder = join(rootFolder, "renderer/console/i18n");
const types = join(folder, "arguments.ts");

if (process.argv.includes("--check")) {
  const faults = unusedMessages(en).map((name) => `en.json: nothing uses ${name}`);
  if (readFileSync(types, "utf8") !== argumentsModule(en)) faults.push("arguments.ts is old: run node scripts/messages.ts");
  for (const name of globSync("*.json", { cwd: folder })) {
    const catalogue = JSON.parse(readFileSync(join(folder, name), "utf8")) as Catalogue;
    faults.push(...faultsOf(catalogue, en).map((fault) => `${name}: ${fault}`));
  }
  for (const fault of faults) process.stderr.write(`renderer/console/i18n/${fault}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} else writeFileSync(types, argumentsModule(en));
