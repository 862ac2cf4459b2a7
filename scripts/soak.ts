// `npm run -s test:days -- soak PART [AMOUNT] [--seed N]`: the long proofs, by name. Prints JSON lines, the summary last. Exits with 1 after
// any violation. Ctrl+C ends a run early, with its summary.
import { parseArgs } from "node:util";
import { changes } from "./soak/changes.ts";
import { commands } from "./soak/commands.ts";
import { cuts } from "./soak/cuts.ts";
import { days } from "./soak/days.ts";
import { disk } from "./soak/disk.ts";
import { flips } from "./soak/flips.ts";
import { hours } from "./soak/hours.ts";
import { kills } from "./soak/kills.ts";
import { malformed } from "./soak/malformed.ts";
import { network } from "./soak/network.ts";
import { offline } from "./soak/offline.ts";
import { runNamedPart } from "./soak/run-part.ts";
import type { SoakPart } from "./soak/soak-run.ts";
import { units } from "./soak/units.ts";

const parts: ReadonlyMap<string, SoakPart> = new Map(
  Object.entries({ kills, cuts, flips, disk, offline, days, hours, network, units, malformed, changes, commands }),
);

const commandLine = parseArgs({ allowPositionals: true, options: { list: { type: "boolean" }, seed: { type: "string" } } });
await runNamedPart("soak", parts, commandLine, (part) => ({ run: (run) => part.run(run) }));
