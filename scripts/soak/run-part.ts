// Runs one part of a set of long proofs, by its name on the command line. Prints JSON lines, the summary last.
import { Random } from "./random.ts";
import { SoakRun } from "./soak-run.ts";

/** What `--list` says of a part. */
interface ListedPart {
  about: string;
  /** What the amount counts, such as `kills`. */
  unit: string;
  /** The amount unless another one is given. */
  usual: number;
}

interface CommandLine {
  /** The name of the part and, if it is not the usual one, the amount. */
  positionals: readonly string[];
  values: { list?: boolean | undefined; seed?: string | undefined };
}

/** One run of a part. */
interface Prepared {
  /** The folder of its files, if it has one; the first line names it. */
  work?: string;
  /** @returns why this machine cannot run the part; null after it ran. */
  run: (run: SoakRun) => Promise<string | null>;
  /** Called at the end of a run without a violation. */
  clean?: () => void;
}

/**
 * Lists the parts, or runs one until it ends or Ctrl+C stops it. Sets the exit code: 1 after any violation, 2 for an unknown part.
 * @param suite names the kind of run in each line
 * @throws Error for an amount or a seed that is no number.
 */
export async function runNamedPart<P extends ListedPart>(
  suite: string,
  parts: ReadonlyMap<string, P>,
  { positionals, values }: CommandLine,
  prepare: (part: P, name: string) => Prepared,
): Promise<void> {
  const [name = "", amount] = positionals;
  const part = parts.get(name);
  if (values.list === true || part === undefined) {
    const width = Math.max(...[...parts.keys()].map((each) => each.length));
    for (const [each, { about, unit, usual }] of parts) process.stdout.write(`${each.padEnd(width)} ${about} (${usual} ${unit})\n`);
    process.exitCode = values.list === true ? 0 : 2;
    return;
  }
  const wanted = Number(amount ?? part.usual);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
  if (!(wanted > 0) || !Number.isSafeInteger(seed)) throw new Error("The amount must be a number above 0, the seed a whole number.");
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const run = new SoakRun(name, wanted, new Random(seed), stop.signal, suite);
  const prepared = prepare(part, name);
  run.print({ seed, amount: wanted, ...(prepared.work === undefined ? {} : { work: prepared.work }) });
  const skipped = await prepared.run(run).catch((error: unknown) => {
    if (!stop.signal.aborted) run.violate(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return null;
  });
  if (skipped !== null) return run.print({ summary: true, skipped });
  run.print({ summary: true, ...run.summary(), ...(stop.signal.aborted ? { stopped: true } : {}) });
  process.exitCode = run.violations.length > 0 ? 1 : 0;
  if (run.violations.length === 0) prepared.clean?.();
}
