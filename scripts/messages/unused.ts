// Finds the messages of the console that nothing uses, by the types of the keys that callers of `texts` pass.
import { join } from "node:path";
import { API, TypeFlags, type StringLiteralType, type Type, type UnionType } from "typescript/unstable/sync";
import type { Node, SourceFile } from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";
import { rootFolder } from "../../src/main/folders.ts";
import { argumentsOf, type Catalogue } from "./arguments.ts";

/** The keys and words of one file. */
interface Usage {
  /** First arguments of functions that `texts(...parts)` returned. */
  keys: { node: Node; parts: readonly string[] }[];
  /** String literals and names of properties. */
  words: string[];
}

/** The messages that no file of the console uses, as `part.key`. */
export function unusedMessages(catalogue: Catalogue): string[] {
  const keysOf = (part: string): string[] => Object.keys(catalogue[part]!);
  const api = new API({ cwd: rootFolder });
  try {
    const { program, checker } = api.updateSnapshot({ openProjects: [join(rootFolder, "renderer/tsconfig.json")] }).getProjects()[0]!;
    const files = program.getSourceFileNames().filter((name) => /\/(?:renderer\/console\/(?!i18n)|sdk\/typescript\/)/.test(name));
    const usages = files.map((name) => usageIn(program.getSourceFile(name)!));
    const words = new Set(usages.flatMap((usage) => usage.words));
    const used = new Set<string>();
    for (const { keys } of usages) {
      const types = checker.getTypeAtLocation(keys.map(({ node }) => node));
      for (const [index, { parts }] of keys.entries()) {
        const passed = literalsOf(types[index]!);
        // The type of a variable may be all keys of a part, but its values are words of the console or of the API.
        const isAny = parts.some((part) => plainKeys(catalogue[part]!).every((key) => passed?.includes(key)));
        const own = isAny ? passed?.filter((key) => words.has(key)) : passed;
        // A call without a key is `text.keys()`, which returns all of them.
        for (const key of own ?? parts.flatMap(keysOf)) used.add(`${parts.findLast((part) => key in catalogue[part]!)}.${key}`);
      }
    }
    return Object.keys(catalogue)
      .flatMap((part) => keysOf(part).map((key) => `${part}.${key}`))
      .filter((name) => !used.has(name));
  } finally {
    api.close();
  }
}

function plainKeys(messages: Readonly<Record<string, string>>): string[] {
  return Object.entries(messages).flatMap(([key, message]) => (argumentsOf(message).size === 0 ? key : []));
}

/** The strings of a union of literals; null for another type. */
function literalsOf(type: Type): string[] | null {
  const types = type.flags & TypeFlags.Union ? (type as UnionType).getTypes() : [type];
  if (types.some(({ flags }) => !(flags & TypeFlags.StringLiteral))) return null;
  return types.map((each) => (each as StringLiteralType).value);
}

function usageIn(file: SourceFile): Usage {
  const usage: Usage = { keys: [], words: [] };
  const partsOf = new Map<string, readonly string[]>();
  const visit = (node: Node): void => {
    if (is.isStringLiteral(node)) usage.words.push(node.text);
    if (is.isPropertyAssignment(node) && is.isIdentifier(node.name)) usage.words.push(node.name.text);
    if (is.isCallExpression(node)) {
      const { expression: callee, arguments: passed, parent } = node;
      const called = is.isPropertyAccessExpression(callee) && callee.name.text !== "has" ? callee.expression : callee;
      const parts = is.isIdentifier(called) ? partsOf.get(called.text) : undefined;
      if (parts !== undefined) usage.keys.push({ node: passed[0] ?? node, parts });
      else if (is.isIdentifier(called) && called.text === "texts" && is.isVariableDeclaration(parent) && is.isIdentifier(parent.name))
        partsOf.set(
          parent.name.text,
          passed.filter(is.isStringLiteral).map(({ text }) => text),
        );
    }
    node.forEachChild(visit);
  };
  file.forEachChild(visit);
  return usage;
}
