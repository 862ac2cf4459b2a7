// The choice of the engine by the real program.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { builds } from "../../../scripts/build/builds.ts";
import { temporaryFolder } from "../../support/folder.ts";
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

test("[ENG22] npm builds what is outdated of the page and the programs before a start of the demo and of the player", () => {
  const { scripts } = manifest;
  expect([scripts.prestart, scripts.preplayer]).toEqual(["npm run --silent build", "npm run --silent build"]);
  // Without names it builds all that are outdated.
  expect(scripts.build).toBe("node scripts/build.ts");
  const outputs = ["dist/main/electron.js", "dist/renderer/player/index.html", "dist/renderer/console/index.html"];
  expect(Object.values(builds).map(({ output }) => output)).toEqual(expect.arrayContaining(outputs));
});
