// Commands with a real journal: each runs at most once, and only if it is valid.
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createKeyPair, thumbprint } from "../../../src/base/jws.ts";
import { revocationJwsType } from "../../../src/protocol/device/commands.ts";
import { FakeClock } from "../../support/clock.ts";
import {
  type CommandExecutor,
  countingExecutor,
  openCommands,
  pairedCommands,
  service,
  signedCommand,
  statusesIn,
  until,
} from "../../support/commands.ts";
import { temporaryFolder } from "../../support/folder.ts";

const signal = new AbortController().signal;

test("[CMD1] a command that is delivered five times runs once and is answered each time", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = countingExecutor();
  const { commands, outbox } = await pairedCommands(folder.path, clock, execute);
  const jws = signedCommand(clock);
  await commands.receive(jws, signal);
  await until(() => outbox.length >= 3);
  for (let time = 0; time < 4; time += 1) await commands.receive(jws, signal);
  expect(runs).toHaveLength(1);
  expect(await statusesIn(outbox)).toEqual(["acknowledged", "running", "succeeded", "succeeded", "succeeded", "succeeded", "succeeded"]);
});

test("[CMD1] a command that ran before a restart does not run again", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const first = countingExecutor();
  const before = await pairedCommands(folder.path, clock, first.execute);
  const jws = signedCommand(clock);
  await before.commands.receive(jws, signal);
  await until(() => before.outbox.length >= 3);
  const second = countingExecutor();
  const after = await openCommands(folder.path, clock, second.execute);
  await after.commands.receive(jws, signal);
  expect(second.runs).toEqual([]);
});

test.each([
  ["signed by another key", (clock: FakeClock) => signedCommand(clock, {}, createKeyPair())],
  ["meant for another device", (clock: FakeClock) => signedCommand(clock, { sub: thumbprint(createKeyPair().publicKey) })],
  ["of another type of signature", (clock: FakeClock) => signedCommand(clock, {}, service, revocationJwsType)],
  ["that is no JWS", () => "reboot"],
])("[CMD2] a command %s is rejected, does not run and is not answered", async (_what, make) => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = countingExecutor();
  const { commands, outbox } = await pairedCommands(folder.path, clock, execute);
  await commands.receive(make(clock), signal);
  expect(runs).toEqual([]);
  expect(outbox.length).toBe(0);
});

test("[CMD3] an expired command never runs", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = countingExecutor();
  const { commands, outbox } = await pairedCommands(folder.path, clock, execute);
  const jws = signedCommand(clock, { ttlS: 60 });
  clock.advance(61_000);
  await commands.receive(jws, signal);
  expect(runs).toEqual([]);
  expect(await statusesIn(outbox)).toEqual(["expired"]);
});

test("[CMD4] a command of an unknown type is rejected with a reason", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = countingExecutor();
  const { commands, outbox } = await pairedCommands(folder.path, clock, execute);
  await commands.receive(signedCommand(clock, { type: "fly" }), signal);
  await commands.receive(signedCommand(clock, { type: "identify", args: { duration_ms: -1 } }), signal);
  expect(runs).toEqual([]);
  expect(await statusesIn(outbox)).toEqual(["rejected", "rejected"]);
});

test("[CMD5] a restart command succeeds when the player has started again; any other running command has failed", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const never: CommandExecutor = async (command) => (command.type === "restart" ? { is: "later" } : new Promise<never>(() => undefined));
  const before = await pairedCommands(folder.path, clock, never);
  await before.commands.receive(signedCommand(clock, { type: "screenshot" }), signal);
  await before.commands.receive(signedCommand(clock, { type: "restart" }), signal);
  await until(() => before.outbox.length >= 4);
  expect(await statusesIn(before.outbox)).toHaveLength(4);
  const after = await openCommands(folder.path, clock, never);
  expect((await statusesIn(after.outbox)).toSorted()).toEqual(["failed", "succeeded"]);
});

test("[CMD7] a result that the player had recorded, but not queued yet, when it was killed is sent once by the next run", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = countingExecutor();
  const before = await pairedCommands(folder.path, clock, execute);
  await before.commands.receive(signedCommand(clock), signal);
  await until(() => before.outbox.length === 3);
  const outbox = join(folder.path, "outbox");
  for (const name of await readdir(outbox)) if (name.includes("result")) await rm(join(outbox, name));
  const second = await openCommands(folder.path, clock, execute);
  expect((await statusesIn(second.outbox)).toSorted()).toEqual(["acknowledged", "running", "succeeded"]);
  const third = await openCommands(folder.path, clock, execute);
  expect(await statusesIn(third.outbox)).toEqual([]);
  expect(runs).toHaveLength(1);
});

test("[CMD6] a damaged journal loses its entries and does not stop the player", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await writeFile(join(folder.path, "commands.json"), "rubbish");
  const { runs, execute } = countingExecutor();
  const { commands, outbox } = await openCommands(folder.path, clock, execute);
  clock.advance(60_000);
  await commands.receive(signedCommand(clock), signal);
  await until(() => outbox.length === 3);
  expect(runs).toHaveLength(1);
});
