// Electron becomes ready only after the entry module is evaluated, so no module that the entry imports may await at top level.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { beforeAll, expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { rootFolder } from "../../../src/main/folders.ts";
import { readModules, syntaxNodes, type LoadedModule, type SyntaxNode } from "../../support/bundled-programs.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { bundleProgramsIfStale } from "../../support/programs/bundle.ts";

beforeAll(() => bundleProgramsIfStale());

// electron-store is checked too, even if it is loaded on demand later, because it runs before the window opens.
test.each(["src/main/electron/electron.ts", manifest.main, "node_modules/electron-store/index.js"])(
  "[PCK7] no module that %s imports statically awaits at its top level",
  async (entry) => {
    const modules = await staticModules(join(rootFolder, entry));
    expect(modules.size).toBeGreaterThan(20);
    expect(waitsOf(modules)).toEqual([]);
  },
);

test.each([
  ["await", "await Promise.resolve();"],
  ["await in a block", "if (globalThis.x !== 1) {\n  await Promise.resolve();\n}"],
  ["for await", "for await (const one of []) console.log(one);"],
  ["await using", "await using held = null;"],
])("[PCK7] %s at the top level is found in a chunk or a package that another chunk imports", async (_what, fault) => {
  const code = `${fault}\nexport const value = 1;`;
  const [wait] = /(for )?await .*;/.exec(fault)!;
  expect(await waitsBehind({ "chunks/last.js": code })).toEqual([`chunks/last.js: ${wait}`]);
  const inPackage = {
    "chunks/last.js": `export { value } from "late";`,
    "node_modules/late/package.json": `{ "name": "late", "type": "module", "exports": "./index.js" }`,
    "node_modules/late/index.js": code,
  };
  expect(await waitsBehind(inPackage)).toEqual([`node_modules/late/index.js: ${wait}`]);
});

test.each([
  ["an async function", "export async function value() { await 1; for await (const one of []) console.log(one); }"],
  ["an async arrow function", "export const value = async () => { await 1; };"],
  ["an async method", "export class Value { async run() { await using held = null; await 1; } }; export const value = 1;"],
  ["a chunk that is imported on demand", `export const value = () => import("./on-demand.js");`],
])("[PCK7] await in %s is accepted", async (_what, code) => {
  expect(await waitsBehind({ "chunks/last.js": code, "chunks/on-demand.js": "await Promise.resolve();" })).toEqual([]);
});

/** The top-level awaits in a small bundle: an entry, a chunk that it imports, and `chunks/last.js`, which that chunk imports. */
async function waitsBehind(files: Record<string, string>): Promise<string[]> {
  await using folder = await temporaryFolder();
  const all = {
    "entry.js": `import { value } from "./chunks/between.js";\nconsole.log(value);\n`,
    "chunks/between.js": `export { value } from "./last.js";\n`,
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), text);
  }
  return waitsOf(await staticModules(join(folder.path, "entry.js")), folder.path);
}

/** `entry` and all modules that it imports statically. */
async function staticModules(entry: string): Promise<Map<string, LoadedModule>> {
  const { modules } = await readModules([entry]);
  const reached = new Map<string, LoadedModule>();
  const queue = [entry];
  for (const id of queue) {
    const module = modules.get(id);
    if (module === undefined || reached.has(id)) continue;
    reached.set(id, module);
    queue.push(...module.imports);
  }
  return reached;
}

/** The awaits at top level: the file and the beginning of the statement. */
function waitsOf(modules: ReadonlyMap<string, LoadedModule>, folder = rootFolder): string[] {
  return [...modules].flatMap(([id, { code }]) =>
    syntaxNodes(code, isFunction)
      .filter(waits)
      .map(({ start }) => `${relative(folder, id)}: ${code.slice(start, code.indexOf("\n", start))}`),
  );
}

function isFunction({ type }: SyntaxNode): boolean {
  return ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(type);
}

function waits(node: SyntaxNode): boolean {
  return node.type === "AwaitExpression" || (node.type === "ForOfStatement" && node["await"] === true) || node["kind"] === "await using";
}
