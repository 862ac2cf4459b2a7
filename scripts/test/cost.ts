// Measures the CPU time of each test file: of its worker, and of all programs that the worker starts. For `npm test -- --cost`.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";

/** The environment variable that names the folder in which workers note their test file (test/support/cost.ts). */
export const costVariable = "SIGNAGE_TEST_COST";

/** What is known of a process: its own CPU time and that of the children it has waited for, in ticks. */
interface Process {
  pid: number;
  parent: number;
  started: string;
  own: number;
  waitedFor: number;
  /** The worker that started it or one of its ancestors; null: none, so it belongs to the runner. */
  worker: number | null;
}

const amountHeading = "CPU seconds";
const costPage = join(rootFolder, "test/cost.md");
const ticksPerSecond = 100; // Linux's USER_HZ, the same on all architectures that Debian supports (proc(5)).
const sampleInterval = 250;

/** CPU seconds by test file, and those of the runner and whatever else it starts. */
export interface Costs {
  files: Map<string, number>;
  rest: number;
}

/**
 * Samples the processes below this one until it is ended. Processes that start and end between two samples are counted by what their
 * parent reports of them, except orphans: these are lost.
 */
export class CostMeter implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "signage-cost-"));
  readonly #ticks = new Map<string, number>();
  #known = new Map<number, Process>();
  readonly #timer: NodeJS.Timeout;
  /** What the variable was before: the tests of this meter run below another one. */
  readonly #outer = process.env[costVariable];

  constructor() {
    process.env[costVariable] = this.#folder;
    this.#timer = setInterval(() => this.sample(), sampleInterval);
  }

  /** Ends the measurement. */
  end(): Costs {
    this.sample();
    clearInterval(this.#timer);
    const seconds = (ticks: number): number => ticks / ticksPerSecond;
    const rest = seconds(this.#ticks.get("") ?? 0);
    this.#ticks.delete("");
    return { files: new Map([...this.#ticks].map(([path, ticks]) => [path, seconds(ticks)])), rest };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#outer === undefined) delete process.env[costVariable];
    else process.env[costVariable] = this.#outer;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Counts what has been used since the last sample. */
  sample(): void {
    const files = new Map(readdirSync(this.#folder).map((pid) => [Number(pid), readFileSync(join(this.#folder, pid), "utf8")]));
    const current = this.#readProcesses(files);
    const add = (worker: number | null | undefined, ticks: number): void => {
      const path = files.get(worker ?? 0) ?? "";
      this.#ticks.set(path, (this.#ticks.get(path) ?? 0) + ticks);
    };
    const isGone = ({ pid }: Process): boolean => !current.has(pid);
    const endedBelow = Map.groupBy([...this.#known.values()].filter(isGone), (process) => this.#livingAncestor(process, current));
    for (const found of current.values()) {
      const before = this.#known.get(found.pid);
      const same = before?.started === found.started ? before : null;
      add(found.worker, found.own - (same?.own ?? 0));
      // What children used that ended since the last sample, less what was counted of them, and of theirs, while they ran.
      const ended = endedBelow.get(found.pid) ?? [];
      const counted = ended.reduce((sum, { own, waitedFor }) => sum + own + waitedFor, 0);
      const rest = Math.max(0, found.waitedFor - (same?.waitedFor ?? 0) - counted);
      add(found.worker ?? ended.find(({ worker }) => worker !== null)?.worker, rest);
    }
    this.#known = current;
  }

  /** The pid of the nearest process above one that has ended; null: nothing is known of what was above it. */
  #livingAncestor({ parent }: Process, current: ReadonlyMap<number, Process>): number | null {
    if (current.has(parent)) return parent;
    const above = this.#known.get(parent);
    return above === undefined ? null : this.#livingAncestor(above, current);
  }

  /** This process and its descendants, also those whose parent has ended since they were first seen. */
  #readProcesses(files: ReadonlyMap<number, string>): Map<number, Process> {
    const all = new Map<number, Process>();
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      const found = Number.isInteger(pid) ? readProcess(pid) : null;
      if (found !== null) all.set(pid, found);
    }
    const ours = new Map<number, Process>();
    const visit = (found: Process): Process | null => {
      const done = ours.get(found.pid);
      if (done !== undefined) return done;
      const before = this.#known.get(found.pid);
      const parent = all.get(found.parent);
      const owner = parent === undefined || found.pid === process.pid ? null : visit(parent);
      const isKnown = before?.started === found.started;
      if (found.pid !== process.pid && owner === null && !isKnown) return null;
      found.worker = files.has(found.pid) ? found.pid : (owner?.worker ?? (isKnown ? before.worker : null));
      ours.set(found.pid, found);
      return found;
    };
    for (const found of all.values()) visit(found);
    return ours;
  }
}

/** Null if there is no such process any more. */
function readProcess(pid: number): Process | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null; // It ended since the folder was listed.
  }
  // The name, in brackets, may contain spaces and brackets (proc_pid_stat(5)); fields 3 and on follow it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]);
  const worker = null;
  return { pid, parent: field(4), started: fields[22 - 3]!, own: field(14) + field(15), waitedFor: field(16) + field(17), worker };
}

/** The table of `costs`, most expensive first, as Markdown. */
export function costTable({ files, rest }: Costs): string {
  const rows = [...files].map(([path, seconds]) => [relative(rootFolder, path), seconds] as const);
  const total = rows.reduce((sum, [, seconds]) => sum + seconds, 0);
  const folders = Map.groupBy(rows, ([path]) => dirname(path).split("/").slice(0, 2).join("/"));
  const sum = (list: readonly (readonly [string, number])[]): number => list.reduce((all, [, seconds]) => all + seconds, 0);
  // Aligned as oxfmt wants it, which `npm run check` asks for.
  const table = (heading: string, list: readonly (readonly [string, number])[]): string => {
    const sorted = list.toSorted((one, other) => other[1] - one[1] || one[0].localeCompare(other[0]));
    const cells = sorted.map(([name, seconds]) => [`\`${name}\``, seconds.toFixed(1)] as const);
    const width = Math.max(heading.length, ...cells.map(([name]) => name.length));
    const rightAligned = `${"-".repeat(amountHeading.length - 1)}:`;
    const all = [[heading, amountHeading], ["-".repeat(width), rightAligned], ...cells] as const;
    return all.map(([name, seconds]) => `| ${name.padEnd(width)} | ${seconds.padStart(amountHeading.length)} |\n`).join("");
  };
  const byFolder = [...folders].map(([name, list]) => [name, sum(list)] as const);
  return `# What the tests cost

CPU seconds of each test file of \`npm test\`, with all programs and browsers that it starts, measured by \`npm test -- --cost\`, which
writes this page. A file that shares a worker with others does not pay again for modules that they have loaded.

All files: ${total.toFixed(0)} s. The runner, the builds and whatever is not a test file: ${rest.toFixed(0)} s.

${table("folder", byFolder)}
${table("file", rows)}`;
}

/** CPU seconds by test file, relative to the root, as `test/cost.md` has them; empty if there is no such page. */
export function knownCosts(): Map<string, number> {
  return existsSync(costPage) ? costsIn(readFileSync(costPage, "utf8")) : new Map();
}

/** Reads a table that {@link costTable} wrote. */
export function costsIn(table: string): Map<string, number> {
  const rows = [...table.matchAll(/^\| `(test\/\S+\.ts)` *\| *([\d.]+) \|$/gm)];
  return new Map(rows.map(([, path, seconds]) => [path!, Number(seconds)]));
}

/** Writes the table to `test/cost.md`. Of files that did not run, the figures that it has stay. */
export function writeCosts({ files, rest }: Costs): void {
  const known = [...knownCosts()].map(([path, seconds]) => [join(rootFolder, path), seconds] as const);
  const all = new Map([...known.filter(([path]) => existsSync(path)), ...files]);
  writeFileSync(costPage, costTable({ files: all, rest }));
}
