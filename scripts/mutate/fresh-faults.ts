// Chooses faults that nobody wrote tests for: two in each folder of `src`, at random places. The seed repeats the choice.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Random } from "../soak/random.ts";
import type { Fault } from "./fault.ts";

const perFolder = 2;

/** How an expression is broken: each finds one place in a line, and what stands there instead. */
const changes: readonly (readonly [RegExp, (match: string) => string])[] = [
  [/ (?:<=|>=) /, (match) => match.replace("=", "")],
  [/ (?:<|>) (?=[\w"(.])(?!.*=>)/, (match) => `${match.trimEnd()}= `],
  [/ === /, () => " !== "],
  [/ !== /, () => " === "],
  [/ && /, () => " || "],
  [/ \|\| /, () => " && "],
  [/ \+ 1\b/, () => " - 1"],
  [/ - 1\b/, () => " + 1"],
  [/\bif \((?=[\w!])/, () => "if (!!0 && "],
  [/\breturn true;/, () => "return false;"],
  [/\breturn false;/, () => "return true;"],
  [/\.some\(/, () => ".every("],
  [/\.every\(/, () => ".some("],
  [/Math\.max\(/, () => "Math.min("],
  [/Math\.min\(/, () => "Math.max("],
];

/** Two faults in each folder of `files` that has code, or as many as it has places for. */
export function chooseFreshFaults(root: string, files: readonly string[], seed: number): Fault[] {
  const random = new Random(seed);
  const sources = files.filter((file) => /^src\/.*\.ts$/.test(file)).toSorted();
  const folders = Map.groupBy(sources, (file) => dirname(file));
  return [...folders.values()].flatMap((own) => {
    const places = random.shuffled(own.flatMap((file) => placesIn(file, readFileSync(join(root, file), "utf8"))));
    const first = places[0];
    if (first === undefined) return [];
    // In two files, if the folder has two with places.
    const second = places.find(({ file }) => file !== first.file) ?? places[1];
    return [first, ...(second === undefined ? [] : [second])].slice(0, perFolder);
  });
}

/** Every place in `text` where a fault can be planted: in a line that occurs once, outside comments, imports and types. */
function placesIn(file: string, text: string): Fault[] {
  const lines = text.split("\n");
  return lines.flatMap((line) => {
    if (/^\s*(?:\/\/|\/?\*|import |export type |type |interface )|[`]/.test(line)) return [];
    const code = line.replace(/\/\/.*$/, "");
    if (text.indexOf(line.trim()) !== text.lastIndexOf(line.trim())) return [];
    return changes.flatMap(([pattern, change]) => {
      const match = pattern.exec(code);
      if (match === null) return [];
      const replace = line.slice(0, match.index) + change(match[0]) + line.slice(match.index + match[0].length);
      return [{ file, find: line, replace }];
    });
  });
}
