// Whole programs that are killed: nothing that they started may go on.
import { expect, test } from "vitest";
import { descendantsOf } from "../../host/processes.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { Program, startService } from "../../support/programs/programs.ts";
import { expectNoSurvivors, survivorsOf } from "../../support/programs/survivors.ts";

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
