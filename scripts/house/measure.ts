// Measures a checkout: one figure for each habit that issue 18 wants fewer of.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { countLines, readSourceFile, type SourceFile } from "./source-file.ts";

/** Figures by name, in the order in which they are printed. */
export type Figures = Record<string, number>;

const typescript = /\.tsx?$/;
const messages = /^renderer\/console\/i18n\//;
/** An interface of parts that are handed in, by the names that the code gives such interfaces. */
const dependencies = /(Dependencies|Options|Parts|Context|Services)$/;
const mostDependencies = 8;
const smallLines = 30;
const duplicateLines = 6;
/** An item type and a command whose words mean nothing else in this code. */
const itemKind = "ticker";
const command = "content.clear_cache";
/** Words that only look like a participle or an adverb. */
const plainWords = new Set("feed speed seed need embed bed red shed led deed exceed proceed succeed apply reply supply family".split(" "));
const participle =
  /^([a-z]*ed|known|kept|told|held|taken|given|made|found|shown|seen|left|lost|sent|built|written|said|done|gone|got|put|begun|chosen|drawn|[a-z]+ly)$/;

/**
 * Measures the tracked files of a checkout.
 * @param root the checkout's folder
 * @param tracked paths from the root, as `git ls-files` prints them
 */
export function measure(root: string, tracked: readonly string[]): Figures {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const all = tracked.filter((path) => typescript.test(path)).map((path) => readSourceFile(path, read(path)));
  const product = all.filter(({ path }) => /^(src|renderer)\//.test(path));
  const code = product.filter(({ path }) => !messages.test(path));
  const sheets = tracked.filter((path) => path.startsWith("renderer/") && path.endsWith(".css"));
  const sizes = product.map(({ lines }) => lines).toSorted((a, b) => a - b);
  const importers = countImporters(all.filter(({ path }) => !path.startsWith("test/")));
  const words = (word: string): SourceFile[] => code.filter(({ words: own }) => own.includes(word));
  const commentLines = product.flatMap((file) => file.commentLines);
  const names = product.flatMap((file) => file.names);
  return {
    "lines of code in src and renderer": total(code, (file) => file.code.length),
    ...folderFigures(code),
    "files in src and renderer": product.length,
    "median lines of a file": sizes[Math.floor(sizes.length / 2)] ?? 0,
    "longest file, lines": sizes.at(-1) ?? 0,
    [`files under ${smallLines} lines with one importer`]: product.filter(
      ({ path, lines }) => lines < smallLines && importers.get(path) === 1,
    ).length,
    "folders with over 15 files": [...folderSizes(product).values()].filter((files) => files > 15).length,
    [`interfaces of dependencies with over ${mostDependencies} fields`]: product
      .flatMap(({ interfaces }) => interfaces)
      .filter(({ name, fields }) => dependencies.test(name) && fields > mostDependencies).length,
    [`pairs of places that share ${duplicateLines} lines`]: countDuplicates(product),
    "names that are a participle or an adverb": names.filter((name) => participle.test(name) && !plainWords.has(name)).length,
    'comment lines with "what"': commentLines.filter((line) => /\bwhat\b/i.test(line)).length,
    "comment lines that begin with What, Whether or Who": commentLines.filter((line) => /^(What|Whether|Who)\b/.test(line)).length,
    "files that name one kind of item": words(itemKind).length,
    "files that name one command": words(command).length,
    "lines of CSS": total(sheets, linesOf),
    "style sheets": sheets.length,
    "entries of the root": new Set(tracked.map((path) => path.split("/")[0])).size,
    "lines of README.md": linesOf("README.md"),
    "bytes of CONTRIBUTING.md": byteLength("CONTRIBUTING.md"),
    "lines of docs/rules.md": linesOf("docs/rules.md"),
    "lines of CHANGELOG.md": linesOf("CHANGELOG.md"),
    "packages in package-lock.json": Object.keys((JSON.parse(read("package-lock.json")) as { packages: object }).packages).length - 1,
  };

  function linesOf(path: string): number {
    return existsSync(join(root, path)) ? countLines(read(path)) : 0;
  }

  function byteLength(path: string): number {
    return existsSync(join(root, path)) ? Buffer.byteLength(read(path)) : 0;
  }
}

function total<T>(list: readonly T[], size: (entry: T) => number): number {
  return list.reduce((sum, entry) => sum + size(entry), 0);
}

/** Lines of code of each folder directly under src and renderer. */
function folderFigures(files: readonly SourceFile[]): Figures {
  const figures: Figures = {};
  for (const { path, code } of files) {
    const name = `  ${path.split("/").slice(0, 2).join("/")}`;
    figures[name] = (figures[name] ?? 0) + code.length;
  }
  return figures;
}

function folderSizes(files: readonly SourceFile[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { path } of files) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return sizes;
}

function countImporters(files: readonly SourceFile[]): Map<string, number> {
  const importers = new Map<string, number>();
  for (const path of files.flatMap(({ imports }) => imports)) importers.set(path, (importers.get(path) ?? 0) + 1);
  return importers;
}

/** Counts the runs of equal lines of code that stand in two places; imports and lines of brackets alone say nothing. */
function countDuplicates(files: readonly SourceFile[]): number {
  const lines = files.flatMap(({ code }) => [...code.filter((line) => /\w/.test(line) && !/^(import|export \{)/.test(line)), null]);
  const first = new Map<string, number>();
  let pairs = 0;
  let runEnd = -1;
  let runOffset = 0;
  for (let at = 0; at + duplicateLines <= lines.length; at += 1) {
    const window = lines.slice(at, at + duplicateLines);
    if (window.includes(null)) continue;
    const key = window.join("\n");
    const before = first.get(key);
    if (before === undefined) first.set(key, at);
    else if (at > before + duplicateLines) {
      // A longer run is one pair: its next window is as far from the first place as the window before.
      if (at > runEnd + 1 || at - before !== runOffset) pairs += 1;
      runEnd = at;
      runOffset = at - before;
    }
  }
  return pairs;
}
