// The life of a command on the player: deadlines, limits, turns and cancellation, with a real journal.
import { expect, test } from "vitest";
import { Fault } from "../../../src/base/fault.ts";
import { done, type CommandModule, type CommandOutcome } from "../../../src/player/commands/command-module.ts";
import { CommandSet } from "../../../src/player/commands/command-set.ts";
import type { CommandUpdate } from "../../../src/protocol/device/commands.ts";
import { FakeClock } from "../../support/clock.ts";
import { openCommands, pairedCommands, signedCommand, until, updatesIn } from "../../support/commands.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";

const signal = new AbortController().signal;

/** A module that runs until the test ends it, or until it is aborted. */
function heldModule(type: CommandModule["type"], more: Partial<CommandModule> = {}) {
  const runs: string[] = [];
  const held = new Map<string, PromiseWithResolvers<CommandOutcome>>();
  const module: CommandModule = {
    type,
    deadlineMs: 30_000,
    run({ id }, end) {
      runs.push(id);
      const outcome = Promise.withResolvers<CommandOutcome>();
      held.set(id, outcome);
      end.addEventListener("abort", () => outcome.reject(end.reason), { once: true });
      return outcome.promise;
    },
    ...more,
  };
  return { module, runs, held };
}

function last(updates: readonly CommandUpdate[]): CommandUpdate {
  return updates.at(-1)!;
}

test("[CTL1] a command that does not end within its deadline is aborted and fails with timeout, also if it ignores the abort", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const polite = heldModule("reload");
  let stubbornAborted = false;
  const stubborn: CommandModule = {
    type: "identify",
    deadlineMs: 5_000,
    run: (_, end) => {
      end.addEventListener("abort", () => (stubbornAborted = true));
      return new Promise(() => undefined);
    },
  };
  const { commands, outbox } = await pairedCommands(folder.path, clock, new CommandSet([polite.module, stubborn]));
  for (const type of ["reload", "identify"]) {
    await commands.receive(signedCommand(clock, { type }), signal);
    await until(() => clock.pendingWaits > 0);
    clock.advance(type === "reload" ? 30_000 : 5_000);
    await until(() => outbox.length === 3);
    expect(last(await updatesIn(outbox))).toMatchObject({ status: "failed", error: { code: "timeout" } });
  }
  expect(stubbornAborted).toBe(true);
});

test("[CTL2] more starts of a type than its limit allows are rejected as rate-limited with the time from which it may run, also after a restart", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  let runs = 0;
  const module: CommandModule = {
    type: "reload",
    deadlineMs: 30_000,
    limit: { count: 2, perMs: 60_000 },
    run: async () => {
      runs += 1;
      return done();
    },
  };
  const set = new CommandSet([module]);
  const before = await pairedCommands(folder.path, clock, set);
  const again = new Date(clock.now() + 60_000).toISOString();
  for (let time = 0; time < 2; time += 1) {
    await before.commands.receive(signedCommand(clock, { type: "reload" }), signal);
    await until(() => before.outbox.length === 3);
    expect(last(await updatesIn(before.outbox)).status).toBe("succeeded");
    clock.advance(10_000);
  }
  const after = await openCommands(folder.path, clock, set);
  // A start sends the last result again.
  await updatesIn(after.outbox);
  await after.commands.receive(signedCommand(clock, { type: "reload" }), signal);
  await until(() => after.outbox.length === 2);
  const rejected = last(await updatesIn(after.outbox));
  expect(rejected).toMatchObject({ status: "rejected", error: { code: "rate-limited" } });
  expect(rejected.error?.detail).toContain(again);
  expect(runs).toBe(2);
  clock.advance(41_000);
  await after.commands.receive(signedCommand(clock, { type: "reload" }), signal);
  await until(() => after.outbox.length === 3);
  expect(last(await updatesIn(after.outbox)).status).toBe("succeeded");
});

test("[CTL3] a command that the player is not able to carry out is rejected as unsupported with what it lacks", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const lacking: CommandModule = { ...heldModule("display.power").module, missing: () => "no tool switches the display" };
  const { commands, outbox } = await pairedCommands(folder.path, clock, new CommandSet([lacking]));
  await commands.receive(signedCommand(clock, { type: "display.power", args: { power: "off" } }), signal);
  await commands.receive(signedCommand(clock, { type: "audio.mute", args: { muted: true } }), signal);
  const [power, mute] = await updatesIn(outbox);
  expect(power).toMatchObject({ status: "rejected", error: { code: "unsupported" } });
  expect(power!.error?.detail).toContain("no tool switches the display");
  expect(mute).toMatchObject({ status: "rejected", error: { code: "unsupported" } });
});

test("[CTL4] commands that change the machine run one after another, others beside them, and one that expires while it waits never runs", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const [mode, reboot, ping] = [heldModule("display.mode", { deadlineMs: 900_000 }), heldModule("reboot"), heldModule("ping")];
  const { commands, outbox } = await pairedCommands(folder.path, clock, new CommandSet([mode.module, reboot.module, ping.module]));
  const first = newId("cmd");
  await commands.receive(signedCommand(clock, { id: first, type: "display.mode", args: { mode: null } }), signal);
  await until(() => mode.runs.length === 1);
  await commands.receive(signedCommand(clock, { type: "reboot", ttlS: 60 }), signal);
  await commands.receive(signedCommand(clock, { type: "ping" }), signal);
  await until(() => ping.runs.length === 1);
  await until(() => outbox.length === 5);
  await updatesIn(outbox);
  clock.advance(61_000);
  mode.held.get(first)!.resolve(done());
  await until(() => outbox.length >= 2 + 1);
  const statuses = (await updatesIn(outbox)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual(["expired", "failed", "succeeded"]);
  expect(reboot.runs).toEqual([]);
});

test("[CTL4] a command that waits begins when the one before it has ended", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const [mode, reboot] = [heldModule("display.mode"), heldModule("reboot")];
  const { commands } = await pairedCommands(folder.path, clock, new CommandSet([mode.module, reboot.module]));
  const first = newId("cmd");
  await commands.receive(signedCommand(clock, { id: first, type: "display.mode", args: { mode: null } }), signal);
  await commands.receive(signedCommand(clock, { type: "reboot" }), signal);
  await until(() => mode.runs.length === 1);
  expect(reboot.runs).toEqual([]);
  mode.held.get(first)!.reject(new Fault("not-applied", "no such mode"));
  await until(() => reboot.runs.length === 1);
});

test("[CTL5] a cancelled command that runs is aborted and ends as cancelled; the cancellation has succeeded", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const reload = heldModule("reload");
  const { commands, outbox } = await pairedCommands(folder.path, clock, new CommandSet([reload.module]));
  const id = newId("cmd");
  await commands.receive(signedCommand(clock, { id, type: "reload" }), signal);
  await until(() => reload.runs.length === 1);
  await updatesIn(outbox);
  await commands.receive(signedCommand(clock, { type: "cancel", args: { command_id: id } }), signal);
  await until(() => outbox.length === 4);
  const updates = await updatesIn(outbox);
  expect(updates.map(({ status }) => status).toSorted()).toEqual(["acknowledged", "cancelled", "running", "succeeded"]);
  expect(updates.find(({ status }) => status === "succeeded")?.result).toEqual({ command_id: id, status: "cancelled" });
});

test("[CTL5] a command that waits for its turn is cancelled at once and never begins", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const [mode, reboot] = [heldModule("display.mode"), heldModule("reboot")];
  const { commands, outbox } = await pairedCommands(folder.path, clock, new CommandSet([mode.module, reboot.module]));
  const id = newId("cmd");
  await commands.receive(signedCommand(clock, { type: "display.mode", args: { mode: null } }), signal);
  await commands.receive(signedCommand(clock, { id, type: "reboot" }), signal);
  await commands.receive(signedCommand(clock, { type: "cancel", args: { command_id: id } }), signal);
  await until(() => outbox.length === 7);
  expect((await updatesIn(outbox)).map(({ status }) => status)).toContain("cancelled");
  mode.held.values().next().value!.resolve(done());
  await until(() => outbox.length === 1);
  expect(reboot.runs).toEqual([]);
});

test("[CTL6] a cancellation that arrives first is remembered, over a restart too: the command is refused as cancelled when it comes", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const reload = heldModule("reload");
  const set = new CommandSet([reload.module]);
  const before = await pairedCommands(folder.path, clock, set);
  const id = newId("cmd");
  const jws = signedCommand(clock, { id, type: "reload" });
  await before.commands.receive(signedCommand(clock, { type: "cancel", args: { command_id: id } }), signal);
  await until(() => before.outbox.length === 4);
  await updatesIn(before.outbox);
  const after = await openCommands(folder.path, clock, set);
  // A start sends the last result again.
  await updatesIn(after.outbox);
  await after.commands.receive(jws, signal);
  expect((await updatesIn(after.outbox)).map(({ status }) => status)).toEqual(["cancelled"]);
  expect(reload.runs).toEqual([]);
});

test("[CTL7] the cancellation of a command that has ended fails with its status, and changes nothing", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const module: CommandModule = { type: "reload", deadlineMs: 1_000, run: async () => done() };
  const { commands, outbox } = await pairedCommands(folder.path, clock, new CommandSet([module]));
  const id = newId("cmd");
  await commands.receive(signedCommand(clock, { id, type: "reload" }), signal);
  await until(() => outbox.length === 3);
  await updatesIn(outbox);
  await commands.receive(signedCommand(clock, { type: "cancel", args: { command_id: id } }), signal);
  await until(() => outbox.length === 3);
  const failed = last(await updatesIn(outbox));
  expect(failed).toMatchObject({ status: "failed", error: { code: "too-late" } });
  expect(failed.error?.detail).toContain("succeeded");
});

test("[CTL7] of an end and a cancellation at the same instant, the command's own result stands if it had ended", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const reload = heldModule("reload");
  const { commands, outbox } = await pairedCommands(folder.path, clock, new CommandSet([reload.module]));
  const id = newId("cmd");
  await commands.receive(signedCommand(clock, { id, type: "reload" }), signal);
  await until(() => reload.runs.length === 1);
  await updatesIn(outbox);
  reload.held.get(id)!.resolve(done({ done: true }));
  await commands.receive(signedCommand(clock, { type: "cancel", args: { command_id: id } }), signal);
  await until(() => outbox.length === 4);
  const updates = await updatesIn(outbox);
  expect(updates.filter(({ status }) => status === "cancelled")).toEqual([]);
  expect(updates.find(({ result }) => result?.["done"] === true)?.status).toBe("succeeded");
  expect(updates.find(({ status }) => status === "failed")?.error?.code).toBe("too-late");
});

test("[CTL7] a restart that has begun can no longer be cancelled", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const module: CommandModule = { type: "restart", deadlineMs: 1_000, run: async () => ({ is: "later" }) };
  const { commands, outbox } = await pairedCommands(folder.path, clock, new CommandSet([module]));
  const id = newId("cmd");
  await commands.receive(signedCommand(clock, { id, type: "restart" }), signal);
  await until(() => outbox.length === 2);
  await updatesIn(outbox);
  await commands.receive(signedCommand(clock, { type: "cancel", args: { command_id: id } }), signal);
  await until(() => outbox.length === 3);
  expect(last(await updatesIn(outbox))).toMatchObject({ status: "failed", error: { code: "too-late" } });
});

test("[CTL8] several deliveries of a command at the same instant run it once", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const reload = heldModule("reload");
  const { commands } = await pairedCommands(folder.path, clock, new CommandSet([reload.module]));
  const jws = signedCommand(clock, { type: "reload" });
  await Promise.all(Array.from({ length: 5 }, () => commands.receive(jws, signal)));
  await until(() => reload.runs.length > 0);
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(reload.runs).toHaveLength(1);
});

test("[CTL9] a command that was journalled when the player was killed fails as interrupted, and is not run again", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const [mode, reboot] = [heldModule("display.mode"), heldModule("reboot")];
  const set = new CommandSet([mode.module, reboot.module]);
  const before = await pairedCommands(folder.path, clock, set);
  const all = [signedCommand(clock, { type: "display.mode", args: { mode: null } }), signedCommand(clock, { type: "reboot" })];
  for (const jws of all) await before.commands.receive(jws, signal);
  await until(() => before.outbox.length === 3);
  await updatesIn(before.outbox);
  // Nothing of the first run is ended, as after kill -9.
  const after = await openCommands(folder.path, clock, set);
  for (const jws of all) await after.commands.receive(jws, signal);
  const updates = await updatesIn(after.outbox);
  expect(updates.map(({ error }) => error?.code)).toEqual(["interrupted", "interrupted", "interrupted", "interrupted"]);
  expect([mode.runs.length, reboot.runs.length]).toEqual([1, 0]);
});
