// `npm run build`: builds the player's page, the console and the programs, or those that the arguments name, if they are missing or
// outdated.
import { buildIfStale, builds } from "./build/builds.ts";

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(builds, name));
if (unknown.length > 0) {
  process.stderr.write(`${unknown.join(", ")}: give none, or some of ${Object.keys(builds).join(", ")}\n`);
  process.exit(2);
}
const wanted = Object.entries(builds).filter(([name]) => names.length === 0 || names.includes(name));
await buildIfStale(
  wanted.map(([, build]) => build),
  (line) => process.stdout.write(`${line}\n`),
);
