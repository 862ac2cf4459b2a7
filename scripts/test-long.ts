// `npm run test:long [-- PART…]`: the long tests, part by part, each by its own run of Vitest, and one summary. `--list` names the
// parts. Exits with 1 if a test failed or a part could not run.
import { parseArgs } from "node:util";
import { createLog } from "../src/base/log.ts";
import { provideLabwc } from "./test/labwc-root.ts";
import { installLongToolsIfStale } from "./test/long-tools.ts";
import { filesOf, longParts, type LongPart } from "./test/long-parts.ts";
import { judge, listText, type Outcome } from "./test/outcome.ts";
import { ensureInstalled, gateRequirements, longRequirements } from "./test/requirements.ts";
import { runVitest } from "./test/run-vitest.ts";

/** The outcome of a part, with its duration in seconds; `missing`: why it could not run. */
type PartOutcome = (Outcome & { seconds: number }) | { missing: string };

const { positionals, values } = parseArgs({ allowPositionals: true, options: { list: { type: "boolean" } } });
const unknown = positionals.filter((name) => longParts.every((part) => part.name !== name));
if (values.list === true) process.stdout.write(longParts.map(({ name, about }) => `${name.padEnd(16)} ${about}\n`).join(""));
else if (unknown.length > 0) refuse(unknown);
else process.exitCode = await runParts(longParts.filter(({ name }) => positionals.length === 0 || positionals.includes(name)));

function refuse(names: readonly string[]): void {
  process.stderr.write(`There is no part ${names.join(", ")}. The parts: ${longParts.map(({ name }) => name).join(", ")}\n`);
  process.exitCode = 1;
}

/** Runs the parts in turn and prints the summary. Returns the exit code. */
async function runParts(parts: readonly LongPart[]): Promise<number> {
  const log = await createLog("test");
  await ensureInstalled([...gateRequirements, ...longRequirements], log, new AbortController().signal);
  const outcomes = new Map<string, PartOutcome>();
  for (const part of parts) {
    process.stdout.write(`\nPart ${outcomes.size + 1} of ${parts.length}: ${part.name}, ${part.about}\n`);
    outcomes.set(part.name, await runPart(part));
  }
  return summarize(outcomes);
}

async function runPart(part: LongPart): Promise<PartOutcome> {
  const labwc = part.needsLabwc === true ? provideLabwc() : {};
  if ("missing" in labwc) return { missing: labwc["missing"]! };
  if (part.needsTools === true) installLongToolsIfStale();
  const from = performance.now();
  const run = await runVitest(["--config", part.config, ...filesOf(part)], { ...part.env, ...labwc });
  return { ...judge(run), seconds: Math.round((performance.now() - from) / 1_000) };
}

function summarize(outcomes: ReadonlyMap<string, PartOutcome>): number {
  const ran = [...outcomes.values()].filter((outcome) => "passed" in outcome);
  process.stdout.write(
    listText(
      "Failed",
      ran.flatMap(({ failures }) => failures),
    ),
  );
  process.stdout.write("\nLong tests:\n");
  for (const [name, outcome] of outcomes) {
    const text =
      "missing" in outcome
        ? `NOT RUN. ${outcome.missing}`
        : `${outcome.passed} passed, ${outcome.failed} failed, ${outcome.skipped} skipped, ${outcome.seconds} s`;
    process.stdout.write(`  ${name.padEnd(16)} ${text}\n`);
  }
  const sum = (field: "passed" | "failed" | "skipped" | "seconds"): number => ran.reduce((all, outcome) => all + outcome[field], 0);
  process.stdout.write(
    `  ${"all".padEnd(16)} ${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped, ${sum("seconds")} s\n`,
  );
  return ran.length === outcomes.size && ran.every(({ exitCode }) => exitCode === 0) ? 0 : 1;
}
