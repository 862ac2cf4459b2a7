// Reboot and shutdown through the real command runner and its journal, on a machine whose runs a test begins.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { Fault } from "../../../src/base/fault.ts";
import { createKeyPair, signJws, thumbprint } from "../../../src/base/jws.ts";
import { silentLog } from "../../../src/base/log.ts";
import { CommandJournal } from "../../../src/player/commands/command-journal.ts";
import { CommandRunner } from "../../../src/player/commands/command-runner.ts";
import { CommandSet } from "../../../src/player/commands/command-set.ts";
import { powerModules } from "../../../src/player/commands/modules/power.ts";
import type { Machine } from "../../../src/player/machine.ts";
import { Outbox } from "../../../src/player/outbox/outbox.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { commandJwsType, type CommandUpdate, finalStatuses } from "../../../src/protocol/device/commands.ts";
import { FakeClock } from "../../support/clock.ts";
import { until, updatesIn } from "../../support/commands.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { fakeMachine } from "../../support/player.ts";
import { newId } from "../../support/states.ts";

const [service, device] = [createKeyPair(), createKeyPair()];

/** A machine that counts how often it was restarted and switched off. */
class RestartableMachine {
  restarts = 0;
  shutdowns = 0;
  run: Machine["run"] = { id: "first", ageMs: () => 0 };
  /** What logind answers. */
  answer: () => Promise<void> = async () => undefined;

  get machine(): Machine {
    const { controls, ...rest } = fakeMachine();
    const restart = async (): Promise<void> => this.answer().then(() => void (this.restarts += 1));
    const shutdown = async (): Promise<void> => this.answer().then(() => void (this.shutdowns += 1));
    return { ...rest, run: this.run, restart, controls: { ...controls, shutdown, powerObstacles: { restart: null, shutdown: null } } };
  }
}

/** A run of the player, until it is stopped. */
async function startPlayer(folder: string, clock: FakeClock, { machine }: RestartableMachine, isInstalling = false) {
  const isFirst = !existsSync(join(folder, "commands.json"));
  const corrected = new CorrectedClock(clock);
  const at = corrected.raw();
  corrected.learn({ t0: at, t1: at, t2: at, t3: at });
  const disk = new DiskHealth(silentLog);
  const outbox = await Outbox.open(`${folder}/outbox`, corrected, silentLog, disk);
  const commands = new CommandSet(powerModules({ machine, isInstalling: () => isInstalling, clock: corrected, log: silentLog }));
  const about = { folder, serviceKey: service.publicKey, clock: corrected, log: silentLog, disk };
  if (isFirst) await CommandJournal.create(about);
  const runner = await CommandRunner.open({ ...about, thumbprint: thumbprint(device.publicKey), outbox, commands });
  const stop = new AbortController();
  const receive = async (type: string, id = newId("cmd")): Promise<void> => {
    const iat = Math.trunc(clock.now() / 1_000);
    const claims = { sub: thumbprint(device.publicKey), jti: id, iat, exp: iat + 600, made_at: clock.now(), type, args: {} };
    return runner.receive(await signJws(commandJwsType, claims, service), stop.signal);
  };
  return { receive, outbox, stop: () => stop.abort() };
}

/** The final statuses in the outbox, which all have to be the same one. */
async function outcomesIn(outbox: Outbox): Promise<CommandUpdate[]> {
  const updates = await updatesIn(outbox);
  const outcomes = updates.filter(({ status }) => finalStatuses.includes(status));
  expect(new Set(outcomes.map(({ status }) => status)).size).toBe(1);
  return outcomes;
}

for (const [type, counter] of [
  ["reboot", "restarts"],
  ["shutdown", "shutdowns"],
] as const) {
  test(`[PWR5] ${type} happens once, and has succeeded once the machine runs again, however often it is delivered`, async () => {
    await using folder = await temporaryFolder();
    const [clock, machine, id] = [new FakeClock(), new RestartableMachine(), newId("cmd")];
    clock.advance(10_000);
    const before = await startPlayer(folder.path, clock, machine);
    clock.advance(10_000);
    for (const _ of [1, 2, 3, 4, 5]) await before.receive(type, id);
    await until(() => machine[counter] > 0);
    before.stop();
    machine.run = { id: "second", ageMs: () => 0 };
    clock.advance(60_000);
    const after = await startPlayer(folder.path, clock, machine);
    for (const _ of [1, 2, 3, 4, 5]) await after.receive(type, id);
    expect(await outcomesIn(after.outbox)).toContainEqual({ status: "succeeded", result: {}, error: null });
    expect(machine[counter]).toBe(1);
    after.stop();
  });
}

test("[PWR6] a reboot during which only the player ended has failed, and is not tried again", async () => {
  await using folder = await temporaryFolder();
  const [clock, machine, id] = [new FakeClock(), new RestartableMachine(), newId("cmd")];
  const before = await startPlayer(folder.path, clock, machine);
  clock.advance(10_000);
  await before.receive("reboot", id);
  await until(() => machine.restarts === 1);
  before.stop();
  const after = await startPlayer(folder.path, clock, machine);
  await after.receive("reboot", id);
  expect(await outcomesIn(after.outbox)).toContainEqual(
    expect.objectContaining({ status: "failed", error: expect.objectContaining({ code: "not-applied" }) }),
  );
  expect(machine.restarts).toBe(1);
});

test("[PWR7] a machine that accepts a reboot but still runs two minutes later, or refuses it, fails the command", async () => {
  await using folder = await temporaryFolder();
  const [clock, machine] = [new FakeClock(), new RestartableMachine()];
  const player = await startPlayer(folder.path, clock, machine);
  clock.advance(10_000);
  await player.receive("reboot");
  await until(() => machine.restarts === 1 && clock.pendingWaits > 0);
  clock.advance(121_000);
  await until(() => player.outbox.length > 0);
  machine.answer = () => Promise.reject(new Fault("not-applied", "busctl: Call failed: active block inhibitor"));
  const ended = async (): Promise<unknown[]> =>
    (await updatesIn(player.outbox)).filter(({ error }) => error !== null).map(({ error }) => error);
  await expect.poll(ended).toMatchObject([{ code: "not-applied", detail: expect.stringContaining("two minutes later") }]);
  clock.advance(300_000);
  await player.receive("reboot");
  await expect.poll(ended).toMatchObject([{ code: "not-applied", detail: expect.stringContaining("block inhibitor") }]);
});

test("[PWR8] while an update is being installed, reboot and shutdown are refused as busy", async () => {
  await using folder = await temporaryFolder();
  const [clock, machine] = [new FakeClock(), new RestartableMachine()];
  const player = await startPlayer(folder.path, clock, machine, true);
  clock.advance(10_000);
  await player.receive("shutdown");
  const errors = async () => (await updatesIn(player.outbox)).map(({ error }) => error?.code ?? null);
  await expect.poll(errors).toContain("busy");
  expect(machine.shutdowns).toBe(0);
});

test("[PWR9] each begins at most once in five minutes, and a machine that does not allow them announces why", () => {
  const about = { isInstalling: () => false, clock: new FakeClock(), log: silentLog };
  for (const { limit } of powerModules({ ...about, machine: new RestartableMachine().machine })) {
    expect(limit).toEqual({ count: 1, perMs: 300_000 });
  }
  const { commands, unavailable } = new CommandSet(powerModules({ ...about, machine: fakeMachine() })).announce();
  expect(commands).toEqual([]);
  expect(unavailable).toEqual(["reboot", "shutdown"].map((type) => ({ type, reason: expect.stringMatching(/cannot be restarted/) })));
});
