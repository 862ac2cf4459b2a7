// Adds a kind of item to a copy of the tree: the compiler and the linter name what lacks it.
import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "../src/main/folders.ts";
import { temporaryFolder } from "./support/folder.ts";
import { lintPlanted } from "./support/lint.ts";

const kinds = "src/protocol/content/item-kinds.ts";
const records = ["renderer/console/items/item-kinds.ts", "renderer/player/items/item-kinds.ts", "src/playback/scene-item.ts"];

test("[ITK1] a new kind of item needs an entry in one record of player, page and console each, and nothing else", async () => {
  await using folder = await temporaryFolder();
  for (const each of ["src", "renderer", "sdk", "tsconfig.json", "package.json"])
    await cp(join(rootFolder, each), join(folder.path, each), { recursive: true });
  await symlink(join(rootFolder, "node_modules"), join(folder.path, "node_modules"));
  const source = await readFile(join(folder.path, kinds), "utf8");
  const planted = source.replace(
    "\n  html: kind({",
    "\n  weather: kind({ fields: { ...duration, url: Url }, scene: { url: z.string() } }),$&",
  );
  expect(planted).not.toBe(source);
  await writeFile(join(folder.path, kinds), planted);
  const output = await new Promise<string>((resolve) => {
    const tsc = join(rootFolder, "node_modules/typescript/bin/tsc");
    execFile(process.execPath, [tsc, "-p", "renderer", "--pretty", "false"], { cwd: folder.path }, (_error, stdout) => resolve(stdout));
  });
  const errors = output.split("\n").flatMap((line) => /^(\S+)\(\d+,\d+\): error TS\d+: (.*)/.exec(line)?.slice(1) ?? []);
  expect(errors.filter((_, index) => index % 2 === 0).toSorted()).toEqual(records);
  expect(errors.filter((text) => text.startsWith("Property 'weather' is missing"))).toHaveLength(records.length);
});

test("[ITK2] the linter refuses a comparison of an item's type outside the records, and accepts one of a message's", async () => {
  const files = new Map([
    ["src/player/planted-1.ts", `export const isVideo = (item) => item.type === "video";`],
    ["renderer/console/planted-2.ts", `export const isText = ({ type }) => "text" !== type;`],
    ["renderer/player/planted-3.ts", `export function f(item) { switch (item.type) { case "pdf": return 1; default: return 2; } }`],
    ["renderer/player/planted-4.ts", `export const isClock = (message) => message.type === "clock" || message.kind === "text";`],
  ]);
  const refused = (await lintPlanted(files)).filter(({ code }) => code === "item-kinds(no-comparison)").map(({ filename }) => filename);
  expect(refused.toSorted()).toEqual([...files.keys()].slice(0, 3).toSorted());
});
