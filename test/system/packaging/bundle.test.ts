// The bundled programs, as Electron runs them.
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleProgramsIfStale } from "../../support/programs/bundle.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Program } from "../../support/programs/programs.ts";

test("[PRG7] the bundled programs, which Electron runs, find their files and start", async () => {
  await bundleProgramsIfStale();
  await using folder = await temporaryFolder();
  await using service = new Program(["dist/main/cli.js", "serve", "--port", "0", "--data", join(folder.path, "service")]);
  const { url } = await service.line("listening");
  expect((await fetch(`${String(url)}/claim`, { headers: { accept: "text/html" } })).status).toBe(200);
  expect((await fetch(`${String(url)}/docs`)).status).toBe(200);
  const flags = ["start", "--server", String(url), "--data", join(folder.path, "player"), "--engine", "chromium", "--headless"];
  await using player = new Program(["dist/main/cli.js", ...flags]);
  await player.line(({ msg, code }) => msg === "screen shown" && code !== undefined);
});
