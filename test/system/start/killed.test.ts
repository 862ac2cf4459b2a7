// Whole programs that are killed: nothing that they started may go on.
import { afterAll, beforeAll, expect, test } from "vitest";
import { descendantsOf } from "../../host/processes.ts";
import { startXvfb, type Xvfb } from "../../support/browser/xvfb.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { startElectronPlayer, startSupervisedPlayer } from "../../support/programs/electron-player.ts";
import { Program, startService } from "../../support/programs/programs.ts";
import { expectNoSurvivors, survivorsOf } from "../../support/programs/survivors.ts";

const unreachable = "http://127.0.0.1:9";
let xvfb: Xvfb;

beforeAll(async () => void (xvfb = await startXvfb({ width: 1280, height: 720 })));
afterAll(() => xvfb[Symbol.asyncDispose]());

test("[KIL1] a service that is killed leaves no process that examines media", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(folder.path);
  await service.api.upload("picture.png", await plainImage([1, 2, 3]));
  const examining = await descendantsOf(service.program.pid);
  expect(examining).not.toEqual([]);
  await expectNoSurvivors(service.program, [examining[0]!.name]);
});

test("[KIL2] npm passes a signal on to the program that it has started", async () => {
  await using folder = await temporaryFolder();
  const flags = ["run", "--ignore-scripts", "service", "--", "--port", "0", "--data", folder.path];
  await using npm = new Program(flags, {}, "npm");
  await npm.line("listening");
  const started = await descendantsOf(npm.pid);
  await npm.stop("SIGTERM");
  await eventually(async () => (await survivorsOf(started)).length === 0);
});

test("[KIL1] an Electron player that is killed leaves neither its service nor its browser, and one that is supervised ends with its parent", async () => {
  for (const start of [startElectronPlayer, startSupervisedPlayer]) {
    await using folder = await temporaryFolder();
    await using player = start(folder.path, xvfb.display, ["--server", unreachable]);
    await player.line("screen shown");
    await expectNoSurvivors(player, ["chrom"]);
  }
});
