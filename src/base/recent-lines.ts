// Keeps the newest lines of a program's log in memory, so that they can be collected from a machine that nobody can visit.

/** Levels by their severity. */
const severity: Readonly<Record<string, number>> = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 };
const beginning = /^\{"level":"([a-z]+)","time":"([^"]{1,40})"/;

/** Some of the newest lines, oldest first. `from` and `to`: when the first and last were written; null without lines. */
export interface CollectedLines {
  lines: readonly string[];
  from: string | null;
  to: string | null;
}

export class RecentLines {
  readonly #maxBytes: number;
  #lines: string[] = [];
  /** How many of the first lines are given up. They are removed together, because removing one by one is slow. */
  #first = 0;
  #bytes = 0;

  /** @param maxBytes the limit of all lines together, in bytes of UTF-8. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a line of JSON, with or without its line break. */
  add(text: string): void {
    const line = text.endsWith("\n") ? text.slice(0, -1) : text;
    this.#lines.push(line);
    this.#bytes += sizeOf(line);
    while (this.#bytes > this.#maxBytes && this.#first < this.#lines.length) {
      this.#bytes -= sizeOf(this.#lines[this.#first]!);
      this.#first += 1;
    }
    if (this.#first < this.#lines.length / 2) return;
    this.#lines = this.#lines.slice(this.#first);
    this.#first = 0;
  }

  /** The newest lines of this level and above, as many as fit into `maxBytes`. */
  newest(level: string, maxBytes: number): CollectedLines {
    const least = severity[level] ?? 0;
    const newestFirst: string[] = [];
    let remaining = maxBytes;
    for (let at = this.#lines.length - 1; at >= this.#first; at -= 1) {
      const line = this.#lines[at]!;
      if ((severity[beginning.exec(line)?.[1] ?? ""] ?? Number.POSITIVE_INFINITY) < least) continue;
      remaining -= sizeOf(line);
      if (remaining < 0) break;
      newestFirst.push(line);
    }
    const lines = newestFirst.toReversed();
    return { lines, from: timeOf(lines[0]), to: timeOf(lines.at(-1)) };
  }
}

function sizeOf(line: string): number {
  return Buffer.byteLength(line) + 1;
}

function timeOf(line: string | undefined): string | null {
  return line === undefined ? null : (beginning.exec(line)?.[2] ?? null);
}
