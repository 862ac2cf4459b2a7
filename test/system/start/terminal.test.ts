// The demo's output at a terminal, which the program `script` provides.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { rootFolder } from "../../../src/main/folders.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { Api, Program } from "../../support/programs/programs.ts";

test("[FST4] at a terminal the demo reports its steps and the next ones in a few lines, by names, and nothing during normal operation", async () => {
  await using folder = await temporaryFolder();
  const command = `${process.execPath} ${join(rootFolder, "src/main/cli.ts")} demo --headless --engine chromium --port 0 --data ${folder.path}`;
  await using program = new Program(["-qefc", command, "/dev/null"], { TERM: "xterm" }, "script");
  const lines = () =>
    stripVTControlCharacters(program.output)
      .split(/\r?\n/)
      // A busy machine is too slow for transitions, and may be so at any time.
      .filter((line) => line !== "" && !line.includes("transitions are shown as cuts"));
  await eventually(() => lines().some((line) => line.startsWith("Ctrl+C")));
  const printed = lines().filter((line) => line.startsWith("["));
  expect(printed.join("\n")).not.toMatch(/(?:plr|ast|itm|zon|lay|pls|cmd|req)_[0-9a-z]{26}/);
  expect(printed.join("\n")).toMatch(/the page shows the pairing code/);
  expect(printed.length).toBeLessThan(15);
  // Publishing content and taking screenshots print nothing.
  const [, url] = /(http:\/\/\S+)\/docs/.exec(lines().join("\n"))!;
  const api = new Api(url!, (await readFile(join(folder.path, "service/admin-token"), "utf8")).trim());
  const before = lines();
  const [player] = (await api.ok("GET", "players"))["data"] as { id: string }[];
  await api.publish([{ type: "text", text: "written meanwhile" }]);
  expect(await api.command(player!.id, "screenshot")).toMatchObject({ status: "succeeded" });
  expect(lines()).toEqual(before);
});
