// `npm run -s test:days -- scale PART [AMOUNT] [--seed N]`: the long proofs of several nodes, by name. Prints JSON lines, the summary last.
// Exits with 1 after any violation. Ctrl+C ends a run early, with its summary.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { consistency } from "./scale/consistency.ts";
import { embedded } from "./scale/embedded.ts";
import { faults } from "./scale/faults.ts";
import { figures } from "./scale/figures.ts";
import { networks } from "./scale/networks.ts";
import type { ScalePart } from "./scale/scale-part.ts";
import { storm } from "./scale/storm.ts";
import { transactions } from "./scale/transactions.ts";
import { upgrade } from "./scale/upgrade.ts";
import { runNamedPart } from "./soak/run-part.ts";

const parts: ReadonlyMap<string, ScalePart> = new Map(
  Object.entries({ faults, consistency, figures, upgrade, networks, storm, embedded, transactions }),
);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean" },
    seed: { type: "string" },
    short: { type: "boolean" },
    only: { type: "string" },
    engines: { type: "string" },
    nodes: { type: "string" },
    players: { type: "string" },
    work: { type: "string" },
  },
});
await runNamedPart("scale", parts, { positionals, values }, (part, name) => {
  const base = resolve(values.work ?? "/var/tmp/signage-scale-test");
  mkdirSync(base, { recursive: true });
  const work = mkdtempSync(join(base, `${name}-`));
  // PostgreSQL runs as another user.
  chmodSync(work, 0o755);
  const engines = (values.engines ?? "postgres,nats,s3").split(",");
  return {
    work,
    run: (run) =>
      part.run({
        run,
        work,
        engines: { postgres: engines.includes("postgres"), nats: engines.includes("nats"), s3: engines.includes("s3") },
        nodes: Number(values.nodes ?? (engines.includes("postgres") ? 2 : 1)),
        isShort: values.short === true,
        only: values.only?.split(",") ?? null,
        players: values.players === undefined ? null : Number(values.players),
      }),
    // After a violation the programs' output explains it.
    clean: () => rmSync(work, { recursive: true, force: true }),
  };
});
