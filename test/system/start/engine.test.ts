// The choice of the engine by the real program.
import { execFile } from "node:child_process";
import { stat, utimes, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { temporaryFolder } from "../../support/folder.ts";
import { copyCheckout } from "../../support/programs/checkout.ts";
import { Program } from "../../support/programs/programs.ts";

/** A folder with a fake Electron that prints a line when it is started, and the environment that selects it. */
async function withElectron(): Promise<{ env: Record<string, string>; data: string } & AsyncDisposable> {
  const folder = await temporaryFolder();
  await writeFile(join(folder.path, "electron"), "#!/bin/sh\necho electron was started >&2\nexit 2\n", { mode: 0o755 });
  return {
    env: { ELECTRON_OVERRIDE_DIST_PATH: folder.path },
    data: join(folder.path, "data"),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const start = ["src/main/cli.ts", "start", "--server", "http://127.0.0.1:9"];

test("[ENG20] without a window, the player uses Chromium even if Electron's binary is installed, and the log says why", async () => {
  await using here = await withElectron();
  await using player = new Program([...start, "--data", here.data, "--headless", "--ozone-platform=wayland"], here.env);
  expect(await player.line("browser engine selected")).toMatchObject({
    engine: "chromium",
    why: expect.stringContaining("without a window"),
  });
  expect(await player.line(({ msg }) => msg.startsWith("these switches are only for Electron"))).toMatchObject({
    switches: ["--ozone-platform=wayland"],
  });
  await player.line("browser started");
  expect(await player.stop()).toBe(0);
  expect(player.output).not.toContain("electron was started");
});

test.each([
  ["the player", [...start, "--headless", "--engine", "electron"], "Electron cannot render without a window"],
  ["the demo", ["src/main/cli.ts", "demo", "--headless", "--engine", "electron"], "Electron cannot render without a window"],
  // Programs of tests have no display.
  ["the player without a display", [...start, "--engine", "electron"], "Electron needs a display"],
  ["a switch that would weaken the browser", [...start, "--no-sandbox"], "--no-sandbox"],
])("[ENG21] flags that Electron cannot follow print one line and exit with 2: %s", async (_, argv, words) => {
  await using here = await withElectron();
  await using program = new Program([...argv, "--data", here.data], here.env);
  expect(await program.exitCode).toBe(2);
  expect(program.output.trim().split("\n")).toHaveLength(1);
  expect(program.output).toContain(words);
});

test("[ENG22] npm builds what is outdated of the page and the programs before a start of the demo and of the player", async () => {
  expect(manifest.scripts.preplayer).toBe(manifest.scripts.prestart);
  // In a copy: other tests use this project's build meanwhile.
  await using folder = await temporaryFolder();
  await copyCheckout(folder.path);
  const stale = ["dist/main/electron.js", "dist/renderer/player/index.html", "dist/renderer/console/index.html"].map((name) =>
    join(folder.path, name),
  );
  for (const path of stale) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "stale");
    await utimes(path, 0, 0);
  }
  await promisify(execFile)("npm", ["run", "--silent", "prestart"], { cwd: folder.path });
  for (const path of stale) expect(await readFile(path, "utf8"), path).not.toBe("stale");
  // What is up to date stays as it is.
  const before = await Promise.all(stale.map(async (path) => (await stat(path)).mtimeMs));
  await promisify(execFile)("npm", ["run", "--silent", "prestart"], { cwd: folder.path });
  expect(await Promise.all(stale.map(async (path) => (await stat(path)).mtimeMs))).toEqual(before);
});
