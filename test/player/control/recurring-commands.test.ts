// Recurring commands on a fake clock with real files: each run once, also over restarts, clock steps, faults and limits.
import { expect, test } from "vitest";
import { Fault } from "../../../src/base/fault.ts";
import { DisplayHours } from "../../../src/protocol/device/display-hours.ts";
import type { CommandType } from "../../../src/protocol/device/command-request.ts";
import { done, type CommandModule } from "../../../src/player/commands/command-module.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { openControl, stateWith } from "./open-control.ts";

const minute = 60_000;
const hour = 60 * minute;
/** Monday, 23 November 2026. */
const night = Date.UTC(2026, 10, 23, 3, 20);

/** A module that records when it ran. @param run what it does; by default it succeeds. */
function recorder(type: CommandType, clock: FakeClock, ran: string[], more: Partial<CommandModule> = {}): CommandModule {
  const run = async (...parts: Parameters<CommandModule["run"]>) => {
    ran.push(`${type} ${new Date(clock.now()).toISOString().slice(5, 16)}`);
    return more.run === undefined ? done() : more.run(...parts);
  };
  return { deadlineMs: 30_000, ...more, type, run } as CommandModule;
}

function recurring(name: string, type: string, at: string[], more: object = {}) {
  return { name, command: { type, args: type === "audio.volume" ? { percent: 20 } : {} }, at, enabled: true, ...more };
}

const stateOf = (...commands: object[]) => stateWith({ recurring_commands: commands as Record<string, unknown>[] });

test("[RCM3] a recurring command runs at its times, day after day, without a network; a disabled one never", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(night);
  const ran: string[] = [];
  const desired = stateOf(
    recurring("reload", "reload", ["03:30", "15:00"]),
    recurring("quiet", "audio.volume", ["22:00"], { weekdays: ["MO", "WE"] }),
    recurring("not now", "reload", ["04:00"], { enabled: false }),
  );
  const modules = [recorder("reload", clock, ran), recorder("audio.volume", clock, ran)];
  await using control = await openControl(folder.path, clock, { desired, modules });
  await control.pass(3 * 24 * hour, 10 * minute);
  expect(ran).toEqual([
    "reload 11-23T03:30",
    "reload 11-23T15:00",
    "audio.volume 11-23T22:00",
    "reload 11-24T03:30",
    "reload 11-24T15:00",
    "reload 11-25T03:30",
    "reload 11-25T15:00",
    "audio.volume 11-25T22:00",
  ]);
});

test("[RCM4] a restart is recorded before it happens: a player that comes up right after it does not restart again", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(night);
  const ran: string[] = [];
  const desired = stateOf(recurring("nightly", "restart", ["03:30"]));
  const modules = [recorder("restart", clock, ran, { run: async () => ({ is: "later" }) })];
  {
    await using control = await openControl(folder.path, clock, { desired, modules });
    await control.pass(10 * minute);
    expect(ran).toEqual(["restart 11-23T03:30"]);
  }
  clock.advance(40_000);
  await using control = await openControl(folder.path, clock, { desired, modules });
  await control.pass(20 * hour, 10 * minute);
  expect(ran).toEqual(["restart 11-23T03:30"]);
  await control.pass(8 * hour, 10 * minute);
  expect(ran).toEqual(["restart 11-23T03:30", "restart 11-24T03:30"]);
});

test("[RCM5] a player that was off at the time runs a command up to five minutes late; later it does not, and logs that", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(night);
  const ran: string[] = [];
  const desired = stateOf(recurring("early", "reload", ["03:30"]), recurring("late", "reload", ["03:36"]));
  const modules = [recorder("reload", clock, ran)];
  await (await openControl(folder.path, clock, { desired, modules }))[Symbol.asyncDispose]();
  clock.advance(20 * minute);
  await using control = await openControl(folder.path, clock, { desired, modules });
  expect([ran, control.logged(40)]).toEqual([["reload 11-23T03:40"], ["a recurring command is not run, because its time has passed"]]);
  await control.pass(hour);
  expect([ran.length, control.logged(40).length]).toEqual([1, 1]);
});

test("[RCM6] a command that is new or was changed does not make up for times of before", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(night);
  const ran: string[] = [];
  await using control = await openControl(folder.path, clock, { desired: stateOf(), modules: [recorder("reload", clock, ran)] });
  control.desired.set(stateOf(recurring("reload", "reload", ["03:19"])));
  await control.pass(hour);
  control.desired.set(stateOf(recurring("reload", "reload", ["04:18"])));
  await control.pass(hour);
  expect(ran).toEqual([]);
});

test("[RCM7] a command that fails, hangs or is not supported stops no other and no hours, and is a problem until it succeeds or is removed", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(night);
  const ran: string[] = [];
  let isBroken = true;
  const desired = stateWith({
    display_hours: DisplayHours.parse({ open: [{ from: "03:00", until: "03:31" }] }),
    recurring_commands: [
      recurring("broken", "audio.volume", ["03:30", "05:00"]),
      recurring("unknown", "serial.write", ["03:30"], { command: { type: "serial.write", args: { port: "panel", text: "on" } } }),
      recurring("hangs", "content.refresh", ["03:30"]),
      { name: "from a newer version", command: { type: "sing" }, at: ["03:30"] },
      recurring("works", "reload", ["03:30"]),
      recurring("ends", "restart", ["03:30"]),
    ],
  });
  const fail = async () => {
    if (isBroken) throw new Fault("not-applied", "no sound card");
    return done();
  };
  const modules = [
    recorder("audio.volume", clock, ran, { run: fail }),
    recorder("content.refresh", clock, ran, { run: () => new Promise(() => undefined) }),
    recorder("reload", clock, ran),
    recorder("restart", clock, ran),
  ];
  await using control = await openControl(folder.path, clock, { desired, modules });
  await control.pass(12 * minute);
  // The restart follows when everything else has ended, which is the deadline of the one that hangs.
  expect(ran).toEqual(["audio.volume 11-23T03:30", "content.refresh 11-23T03:30", "reload 11-23T03:30", "restart 11-23T03:31"]);
  expect(control.power.value).toBe("off");
  expect(control.logged(50)).toHaveLength(4);
  expect(control.recurring.problems).toMatchObject([{ code: "recurring-failed", since: "2026-11-23T03:30:00.000Z" }]);
  const { detail } = control.recurring.problems[0]!;
  for (const part of ["broken (audio.volume): no sound card", "unknown (serial.write): ", "hangs (content.refresh): it did not end"]) {
    expect(detail).toContain(part);
  }
  isBroken = false;
  await control.pass(2 * hour);
  expect(control.recurring.problems[0]!.detail).not.toContain("broken");
  control.desired.set(stateOf());
  await control.settle();
  expect(control.recurring.problems).toEqual([]);
});

test("[RCM8] the limit of a command's type applies, also over a restart", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(night);
  const ran: string[] = [];
  const desired = stateOf(recurring("often", "reload", ["03:21", "03:22", "03:23", "03:24", "05:00"]));
  const modules = [recorder("reload", clock, ran, { limit: { count: 2, perMs: hour } })];
  {
    await using control = await openControl(folder.path, clock, { desired, modules });
    await control.pass(3 * minute);
  }
  await using control = await openControl(folder.path, clock, { desired, modules });
  await control.pass(2 * hour);
  expect(ran).toEqual(["reload 11-23T03:21", "reload 11-23T03:22", "reload 11-23T05:00"]);
});

test("[RCM9] a clock that is set back runs nothing twice, one that is set forward runs nothing that is long past, and a wrong year is forgotten", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(night);
  const ran: string[] = [];
  const desired = stateOf(recurring("reload", "reload", ["03:30", "12:00"]));
  await using control = await openControl(folder.path, clock, { desired, modules: [recorder("reload", clock, ran)] });
  await control.pass(15 * minute);
  clock.step(-20 * minute);
  await control.pass(30 * minute, 10_000);
  expect(ran).toEqual(["reload 11-23T03:30"]);
  clock.step(10 * hour);
  await control.pass(minute, 1_000);
  expect(ran).toEqual(["reload 11-23T03:30"]);
  clock.step(400 * 24 * hour);
  await control.pass(minute, 1_000);
  clock.step(-400 * 24 * hour);
  await control.pass(24 * hour);
  expect(ran).toEqual(["reload 11-23T03:30", "reload 11-24T03:30", "reload 11-24T12:00"]);
});

test("[RCM10] while the disk cannot record it nothing restarts the player, and everything else runs", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(night);
  const ran: string[] = [];
  const desired = stateOf(recurring("nightly", "reboot", ["03:30"]), recurring("reload", "reload", ["03:30"]));
  const modules = [recorder("reboot", clock, ran), recorder("reload", clock, ran)];
  await using control = await openControl(folder.path, clock, { desired, modules });
  control.disk.isBroken = true;
  await control.pass(20 * minute);
  expect(ran).toEqual(["reload 11-23T03:30"]);
  expect(control.recurring.problems[0]!.detail).toContain("nightly (reboot): the disk cannot record that it ran");
});
