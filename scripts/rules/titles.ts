// Reads the rules of the project, which are the titles of its tests.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor, type ESTree } from "vite";

/** The title of a test, and the file of the test from the root. */
export interface Rule {
  file: string;
  title: string;
}

/** The rules of all test files below `root`, in the order of the files. */
export function readRules(root: string): Rule[] {
  const files = globSync(["test/**/*.test.ts", "test/**/contract.ts"], { cwd: root, exclude: ["**/node_modules/**"] }).toSorted();
  return files.flatMap((file) => titlesIn(readFileSync(join(root, file), "utf8")).map((title) => ({ file, title })));
}

/** The id at the beginning of a title, such as `PLB2`; null without one. */
export function idOf({ title }: Rule): string | null {
  return /^\[([A-Z]{3}\d+)\] /.exec(title)?.[1] ?? null;
}

/** The titles of the tests in the text of a file. A title that is no plain string is given as it is written. */
export function titlesIn(text: string): string[] {
  const titles: string[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [title, body] }) {
      // `test.each(table)` and `test.skipIf(reason)` have one argument; what they return takes title and body.
      if (title === undefined || body === undefined || !isTest(callee)) return;
      const isPlain = title.type === "Literal" && typeof title.value === "string";
      titles.push(isPlain ? String(title.value) : text.slice(title.start, title.end).replaceAll(/^`|`$/g, ""));
    },
  }).visit(parseSync("file.ts", text).program);
  return titles;
}

/** Tells whether a function is `test`, a variant of it such as `test.each(table)`, or one with a name of its own such as `standInTest`. */
function isTest(callee: ESTree.Expression): boolean {
  if (callee.type === "CallExpression") return isTest(callee.callee);
  if (callee.type === "MemberExpression") return isTest(callee.object);
  return callee.type === "Identifier" && /(?:^t|T)est$/.test(callee.name);
}
