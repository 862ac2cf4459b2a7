// `npm run house`: prints the figures of the code's size and habits. `-- --against REV` prints those of a revision beside them,
// `-- --json` prints JSON. It reads tracked files only and changes nothing.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rootFolder } from "../src/main/folders.ts";
import { measure, type Figures } from "./house/measure.ts";

const { values } = parseArgs({ options: { against: { type: "string" }, json: { type: "boolean", default: false } } });
const deleted = new Set(git("ls-files", "--deleted"));
const now = measure(
  rootFolder,
  git("ls-files").filter((path) => !deleted.has(path)),
);
const before = values.against === undefined ? null : measureRevision(values.against);
process.stdout.write(values.json ? `${JSON.stringify({ before, now })}\n` : table(now, before));

function git(...words: string[]): string[] {
  return execFileSync("git", words, { cwd: rootFolder, encoding: "utf8", maxBuffer: 1e8 }).split("\n").filter(Boolean);
}

/** Measures the files of a revision, in a copy that is removed again. */
function measureRevision(revision: string): Figures {
  const copy = mkdtempSync(join(tmpdir(), "house-"));
  try {
    const archive = execFileSync("git", ["archive", revision], { cwd: rootFolder, maxBuffer: 1e9 });
    execFileSync("tar", ["-x", "-C", copy], { input: archive });
    return measure(copy, git("ls-tree", "-r", "--name-only", revision));
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** One line a figure; with a revision: before, now and the change in per cent. */
function table(figures: Figures, earlier: Figures | null): string {
  const names = [...new Set([...Object.keys(earlier ?? {}), ...Object.keys(figures)])];
  const width = Math.max(...names.map((name) => name.length));
  const cell = (value: number | undefined): string => (value ?? 0).toLocaleString("en").padStart(9);
  const lines = names.map((name) => {
    if (earlier === null) return `${name.padEnd(width)}${cell(figures[name])}`;
    const [from, to] = [earlier[name] ?? 0, figures[name] ?? 0];
    const change = from === 0 ? "" : `${to > from ? "+" : ""}${(((to - from) / from) * 100).toFixed(1)} %`;
    return `${name.padEnd(width)}${cell(from)}${cell(to)}  ${change.padStart(8)}`;
  });
  return `${lines.join("\n")}\n`;
}
