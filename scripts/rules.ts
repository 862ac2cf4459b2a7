// `npm run rules`: prints the rules of the project, which are the titles of its tests, by folder and id.
// `npm run rules -- WORD…` prints those that have all words in their file or title. A rule whose id stands in other folders too names them.
import { dirname } from "node:path";
import { rootFolder } from "../src/main/folders.ts";
import { idOf, readRules } from "./rules/titles.ts";

// A reader such as `head` may close the pipe early.
process.stdout.once("error", () => process.exit());
const words = process.argv.slice(2).map((word) => word.toLowerCase());
const rules = readRules(rootFolder);
const rulesById = Map.groupBy(rules, idOf);
const wanted = rules.filter(({ file, title }) => words.every((word) => `${file} ${title}`.toLowerCase().includes(word)));
for (const [folder, own] of Map.groupBy(wanted, ({ file }) => dirname(file))) {
  process.stdout.write(`\n${folder}\n`);
  for (const rule of own.toSorted((a, b) => a.title.localeCompare(b.title, "en", { numeric: true }))) {
    const others = new Set(rulesById.get(idOf(rule))?.map(({ file }) => dirname(file)));
    others.delete(folder);
    process.stdout.write(`  ${rule.title}${others.size === 0 ? "" : ` (also ${[...others].join(", ")})`}\n`);
  }
}
