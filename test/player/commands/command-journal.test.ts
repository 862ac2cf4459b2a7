// A command journal that was lost or dropped commands: no command runs twice, and new ones still run.
import { mkdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DurableFile } from "../../../src/base/files/durable-file.ts";
import { createKeyPair } from "../../../src/base/jws.ts";
import { FakeClock } from "../../support/clock.ts";
import { countingExecutor, openCommands, pairedCommands, signedCommand, statusesIn, until, updatesIn } from "../../support/commands.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";

const signal = new AbortController().signal;
const day = 86_400_000;

/** Applies `damage` to both generations of a file. */
async function damageBoth(folder: string, name: string, damage: (path: string) => Promise<void>): Promise<void> {
  for (const path of [join(folder, name), join(folder, `${name}.previous`)]) await damage(path);
}

/** Runs one command, then loses the journal through `damage`. Returns the command. */
async function runOneThenLoseJournal(folder: string, clock: FakeClock, damage: (path: string) => Promise<void>): Promise<string> {
  const { runs, execute } = countingExecutor();
  const before = await pairedCommands(folder, clock, execute);
  const jws = signedCommand(clock, { ttlS: 604_800 });
  await before.commands.receive(jws, signal);
  await until(() => before.outbox.length >= 3);
  expect(runs).toHaveLength(1);
  await statusesIn(before.outbox);
  await damageBoth(folder, "commands.json", damage);
  return jws;
}

const damages: [string, (path: string) => Promise<void>][] = [
  ["truncated", (path) => truncate(path, 70)],
  ["overwritten", (path) => writeFile(path, "x".repeat(100))],
  ["emptied", (path) => truncate(path, 0)],
  ["deleted", (path) => rm(path, { force: true })],
];

test.each(damages)(
  "[CJN1] after both generations of the journal were %s, earlier commands are rejected with that reason and newer ones run",
  async (_how, damage) => {
    await using folder = await temporaryFolder();
    const clock = new FakeClock();
    const old = await runOneThenLoseJournal(folder.path, clock, damage);
    const unseen = signedCommand(clock);
    clock.advance(60_000);
    const { runs, execute } = countingExecutor();
    const { commands, outbox } = await openCommands(folder.path, clock, execute);
    await commands.receive(old, signal);
    await commands.receive(unseen, signal);
    await until(() => outbox.length >= 2);
    expect(runs).toEqual([]);
    expect(await updatesIn(outbox)).toMatchObject([
      { status: "rejected", error: { code: "journal-lost" } },
      { status: "rejected", error: { code: "journal-lost" } },
    ]);
    // A second delivery is rejected in the same way.
    await commands.receive(old, signal);
    expect(await statusesIn(outbox)).toEqual(["rejected"]);
    clock.advance(60_000);
    await commands.receive(signedCommand(clock), signal);
    await until(() => outbox.length >= 3);
    expect(runs).toHaveLength(1);
    expect(await statusesIn(outbox)).toEqual(["acknowledged", "running", "succeeded"]);
  },
);

test.each(damages)(
  "[CJN1] after only the newest generation was %s, the previous generation is used, and earlier commands that are not in it are rejected",
  async (_how, damage) => {
    await using folder = await temporaryFolder();
    const clock = new FakeClock();
    const path = join(folder.path, "commands.json");
    const { runs, execute } = countingExecutor();
    const before = await pairedCommands(folder.path, clock, execute);
    const [known, later] = [signedCommand(clock), signedCommand(clock)];
    await before.commands.receive(known, signal);
    await until(() => before.outbox.length >= 3);
    const older = await readFile(path);
    await before.commands.receive(later, signal);
    await until(() => before.outbox.length >= 6);
    await statusesIn(before.outbox);
    // If the newest generation is damaged repeatedly, the one before it becomes older and older.
    await writeFile(`${path}.previous`, older);
    await damage(path);
    clock.advance(60_000);
    const { commands, outbox } = await openCommands(folder.path, clock, execute);
    // That generation does not know that its last result was sent.
    expect(await statusesIn(outbox)).toEqual(["succeeded"]);
    await commands.receive(known, signal);
    await commands.receive(later, signal);
    expect(await statusesIn(outbox)).toEqual(["succeeded", "rejected"]);
    clock.advance(60_000);
    await commands.receive(signedCommand(clock), signal);
    await until(() => outbox.length >= 3);
    expect(runs).toHaveLength(3);
  },
);

test("[CJN2] a player that is paired for the first time runs commands that were issued before it learned of its pairing", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const early = signedCommand(clock, { issuedAt: clock.now() - 60_000 });
  const { runs, execute } = countingExecutor();
  const { commands, outbox } = await pairedCommands(folder.path, clock, execute);
  await commands.receive(early, signal);
  await until(() => outbox.length >= 3);
  expect(runs).toHaveLength(1);
});

test("[CJN2] a journal of a version without a marker is kept: its commands do not run again, new ones do", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const [known, fresh] = [newId("cmd"), newId("cmd")];
  const update = { status: "succeeded" as const, result: null, error: null };
  await new DurableFile<unknown>(join(folder.path, "commands.json"), (json) => json).write([
    { id: known, type: "identify", at: clock.now(), update },
  ]);
  const { runs, execute } = countingExecutor();
  const { commands, outbox } = await openCommands(folder.path, clock, execute);
  await commands.receive(signedCommand(clock, { id: known }), signal);
  await commands.receive(signedCommand(clock, { id: fresh }), signal);
  await until(() => outbox.length >= 4);
  expect(runs).toEqual([fresh]);
});

test.each([
  ["the mark's own file", "commands-mark.json"],
  ["the journal", "commands.json"],
])(
  "[CJN3] the marker of a lost journal is stored twice: without %s it still applies, at any setting of the clocks",
  async (_which, name) => {
    await using folder = await temporaryFolder();
    const clock = new FakeClock();
    const old = await runOneThenLoseJournal(folder.path, clock, (path) => truncate(path, 3));
    clock.advance(60_000);
    const { runs, execute } = countingExecutor();
    const second = await openCommands(folder.path, clock, execute);
    // The first command after the loss sets the marker's date.
    await second.commands.receive(signedCommand(clock, { issuedAt: clock.now() + 60_000 }), signal);
    await until(() => second.outbox.length >= 3);
    expect(runs).toHaveLength(1);
    await statusesIn(second.outbox);
    await damageBoth(folder.path, name, (path) => rm(path, { force: true }));
    // Now the clocks of device and service are earlier than when the command was issued.
    clock.step(-day);
    const third = await openCommands(folder.path, clock, execute);
    // The results of the run before are sent again: the journal does not know that the last one was sent.
    await statusesIn(third.outbox);
    await third.commands.receive(old, signal);
    expect([runs.length, await statusesIn(third.outbox)]).toEqual([1, ["rejected"]]);
  },
);

test("[CJN3] a power cut between writing the marker and the new journal loses neither, and with a full disk nothing runs", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const old = await runOneThenLoseJournal(folder.path, clock, (path) => rm(path, { force: true }));
  clock.advance(60_000);
  // A folder in place of the temporary file makes writing fail, as on a full disk.
  const blocked = join(folder.path, "commands.json.new");
  await mkdir(blocked);
  const { runs, execute } = countingExecutor();
  const during = await openCommands(folder.path, clock, execute);
  await during.commands.receive(old, signal);
  await during.commands.receive(signedCommand(clock, { issuedAt: clock.now() + 60_000 }), signal);
  expect(runs).toEqual([]);
  const notRecorded = { status: "failed", error: { code: "not-recorded", detail: expect.stringContaining("EISDIR") } };
  expect(await updatesIn(during.outbox)).toMatchObject([notRecorded, notRecorded]);
  await rm(blocked, { recursive: true });
  const { commands, outbox } = await openCommands(folder.path, clock, execute);
  await commands.receive(old, signal);
  expect([runs.length, await statusesIn(outbox)]).toEqual([0, ["rejected"]]);
});

test.each([
  ["is years behind until the service sends the time", -10 * 365 * day],
  ["was set back an hour", -3_600_000],
  ["is years ahead", 10 * 365 * day],
])("[CJN4] after a loss, a machine clock that %s neither lets an old command run nor blocks a new one", async (_how, stepMs) => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const old = await runOneThenLoseJournal(folder.path, clock, (path) => truncate(path, 3));
  clock.advance(60_000);
  clock.step(stepMs);
  const { runs, execute } = countingExecutor();
  const { commands, outbox, learn } = await openCommands(folder.path, clock, execute, { aheadMs: null });
  const now = () => clock.now() - stepMs;
  // The service has not sent the time yet, so no command is known to be newer than the loss.
  await commands.receive(old, signal);
  expect([runs.length, await statusesIn(outbox)]).toEqual([0, ["rejected"]]);
  clock.advance(60_000);
  learn(-stepMs);
  const unseen = signedCommand(clock, { issuedAt: now() - 100_000 });
  await commands.receive(unseen, signal);
  expect([runs.length, await statusesIn(outbox)]).toEqual([0, ["rejected"]]);
  // Issued after the player noticed the loss, but before it knew the time.
  await commands.receive(signedCommand(clock, { issuedAt: now() - 50_000 }), signal);
  await until(() => outbox.length >= 3);
  expect(runs).toHaveLength(1);
});

test("[CJN5] the journal holds the newest thousand commands; a command that it had to drop is rejected and does not run again", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await pairedCommands(folder.path, clock, countingExecutor().execute);
  const file = new DurableFile<{ mark: object; entries: object[] }>(join(folder.path, "commands.json"), (json) => json as never);
  const read = await file.read();
  if (read.is !== "found") throw new Error("there is no journal");
  const update = { status: "succeeded", result: null, error: null };
  const ids = Array.from({ length: 1_000 }, () => newId("cmd"));
  const start = clock.now();
  const entries = ids.map((id, index) => ({ id, type: "identify", at: start + index, issuedAt: start + index, update }));
  await file.write({ ...read.value, entries });
  clock.advance(60_000);
  const { runs, execute } = countingExecutor();
  const { commands, outbox } = await openCommands(folder.path, clock, execute);
  await commands.receive(signedCommand(clock), signal);
  await until(() => outbox.length >= 3);
  await statusesIn(outbox);
  const after = await file.read();
  if (after.is !== "found") throw new Error("the journal is gone");
  expect(after.value.entries).toHaveLength(1_000);
  expect(after.value.entries.map((entry) => (entry as { id: string }).id)).not.toContain(ids[0]);
  // The first was dropped, the third is still stored.
  await commands.receive(signedCommand(clock, { id: ids[0]!, issuedAt: start }), signal);
  expect(await statusesIn(outbox)).toEqual(["rejected"]);
  await commands.receive(signedCommand(clock, { id: ids[2]!, issuedAt: start + 2 }), signal);
  expect(await statusesIn(outbox)).toEqual(["succeeded"]);
  expect(runs).toHaveLength(1);
});

test("[CJN6] a player that was removed and is paired again runs no command of its earlier pairing, but runs every command of a different service", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { runs, execute } = countingExecutor();
  const first = await pairedCommands(folder.path, clock, execute);
  const old = signedCommand(clock, { ttlS: 604_800 });
  await first.commands.receive(old, signal);
  await until(() => first.outbox.length >= 3);
  await statusesIn(first.outbox);
  await first.commands.purge();
  clock.advance(1);
  const again = await pairedCommands(folder.path, clock, execute);
  await again.commands.receive(old, signal);
  expect([runs.length, await statusesIn(again.outbox)]).toEqual([1, ["rejected"]]);
  await again.commands.receive(signedCommand(clock), signal);
  await until(() => runs.length === 2);
  await until(() => again.outbox.length >= 3);
  await statusesIn(again.outbox);
  await again.commands.purge();
  const other = createKeyPair();
  const elsewhere = await pairedCommands(folder.path, clock, execute, other);
  await elsewhere.commands.receive(signedCommand(clock, { issuedAt: clock.now() - day, ttlS: 604_800 }, other), signal);
  await until(() => runs.length === 3);
  await until(() => elsewhere.outbox.length >= 3);
});
