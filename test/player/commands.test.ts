import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createKeyPair, signJws, thumbprint } from "../../src/base/jws.ts";
import { silentLog } from "../../src/base/log.ts";
import { Commands, type Execute } from "../../src/player/commands.ts";
import { Outbox, type Letter } from "../../src/player/outbox.ts";
import { commandJwsType, revocationJwsType } from "../../src/protocol/command.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { newId } from "../support/states.ts";

const service = createKeyPair();
const device = createKeyPair();
const signal = new AbortController().signal;

async function open(folder: string, clock: FakeClock, execute: Execute) {
  const outbox = await Outbox.open(join(folder, "outbox"), clock, silentLog);
  const parts = { folder, thumbprint: thumbprint(device.publicKey), serviceKey: service.publicKey, clock, outbox, execute, log: silentLog };
  return { commands: await Commands.open(parts), outbox };
}

function signed(
  clock: FakeClock,
  about: { id?: string; type?: string; args?: object; ttlS?: number; sub?: string } = {},
  keys = service,
  typ: string = commandJwsType,
) {
  const iat = clock.now() / 1_000;
  const { id = newId("cmd"), type = "identify", args = {}, ttlS = 600, sub = thumbprint(device.publicKey) } = about;
  return signJws(typ, { sub, jti: id, iat, exp: iat + ttlS, type, args }, keys);
}

/** The statuses told so far, in order: read from the outbox as the service would hear them. */
async function told(outbox: Outbox): Promise<string[]> {
  const statuses: string[] = [];
  const done = new AbortController();
  const deliver = async (letter: Letter) => {
    if (letter.is === "command-status") statuses.push(letter.update.status);
    if (outbox.length <= 1) done.abort();
  };
  if (outbox.length === 0) return [];
  await outbox.run(deliver, done.signal).catch(() => undefined);
  return statuses;
}

function counting() {
  const runs: string[] = [];
  let finished: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (finished = resolve));
  const execute: Execute = async (command) => {
    runs.push(command.id);
    queueMicrotask(finished);
    return { is: "done", result: null };
  };
  return { runs, execute, ended };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

test("[CM1] a command delivered five times runs once and is answered each time", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = counting();
  const { commands, outbox } = await open(folder.path, clock, execute);
  const jws = signed(clock);
  await commands.receive(jws, signal);
  await until(() => outbox.length >= 3);
  for (let time = 0; time < 4; time += 1) await commands.receive(jws, signal);
  expect(runs).toHaveLength(1);
  expect(await told(outbox)).toEqual(["acknowledged", "running", "succeeded", "succeeded", "succeeded", "succeeded", "succeeded"]);
});

test("[CM1] a command known from before a restart does not run again", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const first = counting();
  const before = await open(folder.path, clock, first.execute);
  const jws = signed(clock);
  await before.commands.receive(jws, signal);
  await until(() => before.outbox.length >= 3);
  const second = counting();
  const after = await open(folder.path, clock, second.execute);
  await after.commands.receive(jws, signal);
  expect(second.runs).toEqual([]);
});

test.each([
  ["signed by another key", (clock: FakeClock) => signed(clock, {}, createKeyPair())],
  ["meant for another device", (clock: FakeClock) => signed(clock, { sub: thumbprint(createKeyPair().publicKey) })],
  ["of another type of signature", (clock: FakeClock) => signed(clock, {}, service, revocationJwsType)],
  ["that is no JWS", () => "reboot"],
])("[CM2] a command %s is refused, not run and not answered", async (_what, make) => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = counting();
  const { commands, outbox } = await open(folder.path, clock, execute);
  await commands.receive(make(clock), signal);
  expect(runs).toEqual([]);
  expect(outbox.length).toBe(0);
});

test("[CM3] an expired command never runs late", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = counting();
  const { commands, outbox } = await open(folder.path, clock, execute);
  const jws = signed(clock, { ttlS: 60 });
  clock.advance(61_000);
  await commands.receive(jws, signal);
  expect(runs).toEqual([]);
  expect(await told(outbox)).toEqual(["expired"]);
});

test("[CM4] a type that this player does not know is rejected, with a reason", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = counting();
  const { commands, outbox } = await open(folder.path, clock, execute);
  await commands.receive(signed(clock, { type: "fly" }), signal);
  await commands.receive(signed(clock, { type: "identify", args: { duration_ms: -1 } }), signal);
  expect(runs).toEqual([]);
  expect(await told(outbox)).toEqual(["rejected", "rejected"]);
});

test("[CM5] a restart counts as done when the player has come up again; what else ran then has failed", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const never: Execute = async (command) => (command.type === "restart" ? { is: "later" } : new Promise<never>(() => undefined));
  const before = await open(folder.path, clock, never);
  await before.commands.receive(signed(clock, { type: "screenshot" }), signal);
  await before.commands.receive(signed(clock, { type: "restart" }), signal);
  await until(() => before.outbox.length >= 4);
  expect(await told(before.outbox)).toHaveLength(4);
  const after = await open(folder.path, clock, never);
  expect((await told(after.outbox)).toSorted()).toEqual(["failed", "succeeded"]);
});

test("[CM6] a damaged journal costs its memory, not the player", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await writeFile(join(folder.path, "commands.json"), "rubbish");
  const { runs, execute, ended } = counting();
  const { commands } = await open(folder.path, clock, execute);
  await commands.receive(signed(clock), signal);
  await ended;
  expect(runs).toHaveLength(1);
});
