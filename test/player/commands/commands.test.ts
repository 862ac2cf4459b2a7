import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createKeyPair, thumbprint } from "../../../src/base/jws.ts";
import type { Execute } from "../../../src/player/commands/commands.ts";
import { revocationJwsType } from "../../../src/protocol/device/commands.ts";
import { FakeClock } from "../../support/clock.ts";
import { counting, openCommands, pairedCommands, service, signed, told, until } from "../../support/commands.ts";
import { temporaryFolder } from "../../support/folder.ts";

const signal = new AbortController().signal;

test("[CMD1] a command delivered five times runs once and is answered each time", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = counting();
  const { commands, outbox } = await pairedCommands(folder.path, clock, execute);
  const jws = signed(clock);
  await commands.receive(jws, signal);
  await until(() => outbox.length >= 3);
  for (let time = 0; time < 4; time += 1) await commands.receive(jws, signal);
  expect(runs).toHaveLength(1);
  expect(await told(outbox)).toEqual(["acknowledged", "running", "succeeded", "succeeded", "succeeded", "succeeded", "succeeded"]);
});

test("[CMD1] a command known from before a restart does not run again", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const first = counting();
  const before = await pairedCommands(folder.path, clock, first.execute);
  const jws = signed(clock);
  await before.commands.receive(jws, signal);
  await until(() => before.outbox.length >= 3);
  const second = counting();
  const after = await openCommands(folder.path, clock, second.execute);
  await after.commands.receive(jws, signal);
  expect(second.runs).toEqual([]);
});

test.each([
  ["signed by another key", (clock: FakeClock) => signed(clock, {}, createKeyPair())],
  ["meant for another device", (clock: FakeClock) => signed(clock, { sub: thumbprint(createKeyPair().publicKey) })],
  ["of another type of signature", (clock: FakeClock) => signed(clock, {}, service, revocationJwsType)],
  ["that is no JWS", () => "reboot"],
])("[CMD2] a command %s is refused, not run and not answered", async (_what, make) => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = counting();
  const { commands, outbox } = await pairedCommands(folder.path, clock, execute);
  await commands.receive(make(clock), signal);
  expect(runs).toEqual([]);
  expect(outbox.length).toBe(0);
});

test("[CMD3] an expired command never runs late", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = counting();
  const { commands, outbox } = await pairedCommands(folder.path, clock, execute);
  const jws = signed(clock, { ttlS: 60 });
  clock.advance(61_000);
  await commands.receive(jws, signal);
  expect(runs).toEqual([]);
  expect(await told(outbox)).toEqual(["expired"]);
});

test("[CMD4] a type that this player does not know is rejected, with a reason", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = counting();
  const { commands, outbox } = await pairedCommands(folder.path, clock, execute);
  await commands.receive(signed(clock, { type: "fly" }), signal);
  await commands.receive(signed(clock, { type: "identify", args: { duration_ms: -1 } }), signal);
  expect(runs).toEqual([]);
  expect(await told(outbox)).toEqual(["rejected", "rejected"]);
});

test("[CMD5] a restart counts as done when the player has come up again; what else ran then has failed", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const never: Execute = async (command) => (command.type === "restart" ? { is: "later" } : new Promise<never>(() => undefined));
  const before = await pairedCommands(folder.path, clock, never);
  await before.commands.receive(signed(clock, { type: "screenshot" }), signal);
  await before.commands.receive(signed(clock, { type: "restart" }), signal);
  await until(() => before.outbox.length >= 4);
  expect(await told(before.outbox)).toHaveLength(4);
  const after = await openCommands(folder.path, clock, never);
  expect((await told(after.outbox)).toSorted()).toEqual(["failed", "succeeded"]);
});

test("[CMD6] a damaged journal costs its memory, not the player", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await writeFile(join(folder.path, "commands.json"), "rubbish");
  const { runs, execute } = counting();
  const { commands } = await openCommands(folder.path, clock, execute);
  clock.advance(60_000);
  await commands.receive(signed(clock), signal);
  await until(() => runs.length === 1);
});
