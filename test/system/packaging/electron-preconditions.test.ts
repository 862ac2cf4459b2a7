// What real Electron refuses ends the tests' stand-in too, and nothing that the player does is among it.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { bundleProgramsIfStale } from "../../support/programs/bundle.ts";
import { realBinary, standInBinary, startOnStandIn } from "../../support/programs/electron-player.ts";
import { rootFolder } from "../../../src/main/folders.ts";
import { startXvfb, type Xvfb } from "../../support/browser/xvfb.ts";

const wrongCalls = join(import.meta.dirname, "../../support/electron/apps/breaks-preconditions.ts");
let xvfb: Xvfb;

beforeAll(async () => {
  await bundleProgramsIfStale();
  xvfb = await startXvfb({ width: 640, height: 480 });
});
afterAll(() => xvfb[Symbol.asyncDispose]());

test.skipIf(realBinary !== null)("[ELE9] the tests' stand-in refuses each call that Electron's documentation refuses", async () => {
  await using folder = await temporaryFolder();
  await using program = startOnStandIn(wrongCalls, folder.path, xvfb.display);
  await program.line("tried");
  const said = program.lines.filter(({ msg }) => msg === "wrong call").map(({ call, said }) => [String(call), said] as const);
  expect(said.filter(([, reason]) => reason === null)).toEqual([]);
  expect(Object.fromEntries(said)).toMatchObject({
    "app.setPath relative": "Error: Path must be absolute",
    "app.setPath unknown": "Error: Failed to set path",
    "app.setPath missing": "Error: Failed to set path",
    "Menu.setApplicationMenu": "TypeError: Invalid menu",
    "session.fromPartition early": "Error: Session can only be received when app is ready",
    "session.setPermissionCheckHandler": "TypeError: Must pass null or function",
    "cookies.set sameSite": "Error: Failed to convert 'some' to an appropriate cookie same site value",
    "utilityProcess.fork path": "Error: Missing UtilityProcess entry script.",
    "window after its end": "TypeError: Object has been destroyed",
  });
});

test("[ELE9] the table of preconditions names each call to Electron that the sources make", async () => {
  const table = await readFile(join(dirname(standInBinary), "../preconditions.ts"), "utf8");
  const sources = ["app", "window", "host", "page", "page-window", "processes", "devtools"].map((name) => `src/host/electron/${name}.ts`);
  sources.push("src/main/electron/electron.ts", "src/main/electron/lifecycle.ts");
  const objects =
    "app|commandLine|Menu|utilityProcess|session|pages|cookies|nativeTheme|screen|powerSaveBlocker|webContents|debugger|contents|image";
  const call = new RegExp(String.raw`\b#?(?:${objects})(?:\.defaultSession|\.session)?\.(\w+)(?:\(| =)`, "g");
  const plain = ["on", "once", "off", "removeListener", "removeAllListeners"];
  const calls = new Set<string>();
  for (const source of sources) {
    for (const [, name] of (await readFile(join(rootFolder, source), "utf8")).matchAll(call)) if (!plain.includes(name!)) calls.add(name!);
  }
  expect(calls.size).toBeGreaterThan(20);
  expect([...calls].filter((name) => !table.includes(name))).toEqual([]);
});
