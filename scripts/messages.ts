// `node scripts/messages.ts` writes the types of the console's messages; with --check it reports old types and unused messages.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import en from "../renderer/console/i18n/en.json" with { type: "json" };
import { rootFolder } from "../src/main/folders.ts";
import { argumentsModule } from "./messages/arguments.ts";
import { unusedMessages } from "./messages/unused.ts";

const file = join(rootFolder, "renderer/console/i18n/arguments.ts");

if (process.argv.includes("--check")) {
  const faults = unusedMessages(en).map((name) => `nothing uses the message ${name} of renderer/console/i18n/en.json`);
  if (readFileSync(file, "utf8") !== argumentsModule(en)) faults.push(`${file} is old: run node scripts/messages.ts`);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} else writeFileSync(file, argumentsModule(en));
