// Commands while the disk cannot be written: they are answered, none runs twice, and the player starts with an unfinished one.
import { join } from "node:path";
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { countingExecutor, openCommands, pairedCommands, signedCommand, statusesIn, until, updatesIn } from "../../support/commands.ts";
import { breakDisk } from "../../support/disk.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { smallDisk } from "../../support/small-disk.ts";

const signal = new AbortController().signal;
const answer = { status: "failed", error: { code: "not-recorded", detail: expect.stringContaining("could not record it") } };

test.each(["ENOSPC", "EROFS", "EIO"])(
  "[DSK4] a command that the disk cannot record (%s) fails without running, is answered, and never runs",
  async (code) => {
    await using folder = await temporaryFolder();
    const clock = new FakeClock();
    const { runs, execute } = countingExecutor();
    const { commands, outbox, disk } = await pairedCommands(folder.path, clock, execute);
    const jws = signedCommand(clock);
    {
      using _broken = await breakDisk(code);
      await commands.receive(jws, signal);
      expect(await updatesIn(outbox)).toEqual([{ ...answer, result: null }]);
      expect(disk.condition.unwritten.map(({ what }) => what)).toContain("command journal");
    }
    // A second delivery gets the same response, before and after the disk is repaired and the player has restarted.
    await commands.receive(jws, signal);
    await commands.save();
    expect(disk.condition.unwritten.map(({ what }) => what)).not.toContain("command journal");
    await commands.receive(signedCommand(clock), signal);
    await until(() => outbox.length >= 4);
    expect(await statusesIn(outbox)).toEqual(["failed", "acknowledged", "running", "succeeded"]);
    const again = await openCommands(folder.path, clock, execute);
    await statusesIn(again.outbox);
    await again.commands.receive(jws, signal);
    expect([await statusesIn(again.outbox), runs.length]).toEqual([["failed"], 1]);
  },
);

test("[DSK4] a command that runs while the disk fills up ends, and its result is delivered", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const finish = Promise.withResolvers<void>();
  const { commands, outbox } = await pairedCommands(folder.path, clock, async () => {
    await finish.promise;
    return { is: "done", result: { done: true } };
  });
  await commands.receive(signedCommand(clock), signal);
  await until(() => outbox.length >= 2);
  using _broken = await breakDisk("ENOSPC");
  finish.resolve();
  await until(() => outbox.length >= 3);
  expect((await updatesIn(outbox)).at(-1)).toMatchObject({ status: "succeeded", result: { done: true } });
});

test("[DSK4] a player with an unfinished command and a full disk starts, answers it and does not run it again", async (context) => {
  await using disk = await smallDisk(1);
  if (disk === null) return context.skip("only root can mount a small disk");
  const folder = join(disk.path, "player");
  const clock = new FakeClock();
  const endless = await pairedCommands(folder, clock, () => new Promise(() => undefined));
  const jws = signedCommand(clock);
  await endless.commands.receive(jws, signal);
  await until(() => endless.outbox.length >= 2);
  await statusesIn(endless.outbox);
  await disk.fill();
  const { runs, execute } = countingExecutor();
  for (let start = 0; start < 3; start += 1) {
    const { commands, outbox } = await openCommands(folder, clock, execute);
    expect(await updatesIn(outbox)).toMatchObject([{ status: "failed", error: { code: "interrupted" } }]);
    await commands.receive(jws, signal);
    expect(await statusesIn(outbox)).toEqual(["failed"]);
  }
  await disk.free();
  const { commands, outbox } = await openCommands(folder, clock, execute);
  await commands.receive(jws, signal);
  await commands.receive(signedCommand(clock), signal);
  await until(() => runs.length >= 1);
  expect(runs).toHaveLength(1);
  expect((await statusesIn(outbox)).slice(0, 2)).toEqual(["failed", "failed"]);
});
