// The display's power on a fake clock and a fake display: opening hours, by hand, overrides, restarts, faults of the tool.
import { expect, test } from "vitest";
import { DisplayHours } from "../../../src/protocol/device/display-hours.ts";
import type { Override } from "../../../src/schedule/interventions.ts";
import { FakeClock } from "../../support/clock.ts";
import { FakePower } from "../../support/fake-power.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";
import { openControl, stateWith } from "./open-control.ts";

const hour = 3_600_000;
const evening = Date.UTC(2026, 10, 23, 19, 30);
const shop = { display_hours: DisplayHours.parse({ open: [{ from: "08:00", until: "20:00" }] }) };

function override(level: Override["level"], at: number, until: number | null): Override {
  return { is: "override", id: newId("cmd"), at, until, level, show: { layoutId: newId("lay") } };
}

test("[DHR8] a display goes off and on at its hours without a network, and what is asked and read back is told", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(evening);
  await using control = await openControl(folder.path, clock, { desired: stateWith(shop) });
  const { displayPower, power } = control;
  const closes = Date.UTC(2026, 10, 23, 20);
  expect(displayPower.state.value).toEqual({ asked: "on", reason: "hours", until: closes, power: "on", by: "fake-power" });
  await control.pass(hour / 2);
  expect([power.value, displayPower.isOffOnPurpose]).toEqual(["off", true]);
  expect(displayPower.state.value).toMatchObject({ asked: "off", reason: "hours", power: "off", until: closes + 12 * hour });
  await control.pass(12 * hour);
  expect([power.value, displayPower.isOffOnPurpose]).toEqual(["on", false]);
  // Set at the start and at each change, not again and again.
  expect(power.sets).toEqual(["on", "off", "on"]);
});

test("[DHR9] after a restart in the night the display stays off, or is switched off at once", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(evening + 3 * hour);
  const power = new FakePower();
  for (let start = 0; start < 2; start += 1) {
    await using control = await openControl(folder.path, clock, { desired: stateWith(shop), power });
    expect([power.value, control.displayPower.isOffOnPurpose]).toEqual(["off", true]);
  }
  expect(power.sets).toEqual(["off", "off"]);
});

test("[DHR10] changed hours apply at once; a display of which nothing is asked any more is switched on once and then left alone", async () => {
  await using folder = await temporaryFolder();
  await using control = await openControl(folder.path, new FakeClock(evening + hour), { desired: stateWith(shop) });
  const { power, displayPower } = control;
  control.desired.set(stateWith({ display_hours: DisplayHours.parse({ open: [{ from: "08:00", until: "21:00" }] }) }));
  await control.settle();
  expect(power.sets).toEqual(["off", "on"]);
  await control.pass(hour);
  expect(power.value).toBe("off");
  control.desired.set(stateWith({}));
  await control.settle();
  expect([power.value, displayPower.state.value]).toMatchObject(["on", { asked: null, reason: null, until: null }]);
  power.value = "off";
  await control.pass(hour);
  expect([power.value, power.sets]).toEqual(["off", ["off", "on", "off", "on"]]);
});

test("[DHR11] a command by hand holds until the hours begin or end next, or for its duration, also over a restart", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(evening - 9 * hour);
  const power = new FakePower();
  {
    await using control = await openControl(folder.path, clock, { desired: stateWith(shop), power });
    const result = await control.displayPower.setByHand("off", undefined, control.signal);
    expect(result).toEqual({ power: "off", until: "2026-11-23T20:00:00.000Z" });
    await control.pass(hour);
  }
  await using control = await openControl(folder.path, clock, { desired: stateWith(shop), power });
  expect(control.displayPower.state.value).toMatchObject({ asked: "off", reason: "command", power: "off" });
  // It ends with the day; in the morning the display is on as on every day.
  await control.pass(9 * hour);
  expect(control.displayPower.state.value).toMatchObject({ asked: "off", reason: "hours" });
  expect(control.asked.settings.value).toEqual({});
  await control.pass(13 * hour);
  expect(power.value).toBe("on");
  expect(await control.displayPower.setByHand("off", 60_000, control.signal)).toEqual({ power: "off", until: expect.any(String) });
  await control.pass(60_000);
  expect([power.value, control.displayPower.state.value.reason]).toEqual(["on", "hours"]);
});

test("[DHR12] an override wakes the display until it ends or is revoked, and an emergency also one that is off by hand", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(evening + 3 * hour);
  await using control = await openControl(folder.path, clock, { desired: stateWith(shop) });
  const { power, displayPower, interventions } = control;
  interventions.set([override("normal", clock.now(), clock.now() + hour)]);
  await control.settle();
  expect([power.value, displayPower.state.value.reason]).toEqual(["on", "override"]);
  await control.pass(hour);
  expect(power.value).toBe("off");
  interventions.set([override("normal", clock.now(), null)]);
  await control.settle();
  interventions.set([]);
  await control.settle();
  expect(power.sets).toEqual(["off", "on", "off", "on", "off"]);
  await control.displayPower.setByHand("off", 6 * hour, control.signal);
  interventions.set([override("emergency", clock.now(), clock.now() + hour)]);
  await control.settle();
  expect([power.value, displayPower.state.value.reason, displayPower.isOffOnPurpose]).toEqual(["on", "emergency", false]);
  await control.pass(hour);
  expect([power.value, displayPower.state.value.reason]).toEqual(["off", "command"]);
});

test("[DHR13] a tool that fails is tried again at growing intervals, logged once per reason, and a command by hand that fails is not kept", async () => {
  await using folder = await temporaryFolder();
  const power = new FakePower();
  power.error = "no such display";
  await using control = await openControl(folder.path, new FakeClock(evening + hour), { desired: stateWith(shop), power });
  await control.pass(8 * hour);
  expect(control.logged(40)).toEqual(["the display's power could not be set: trying again"]);
  expect(power.sets.length).toBeGreaterThan(20);
  expect(power.sets.length).toBeLessThan(250);
  // It tells that it is on: it is not off on purpose, whatever was asked.
  expect([control.displayPower.state.value.power, control.displayPower.isOffOnPurpose]).toEqual(["on", false]);
  await expect(control.displayPower.setByHand("on", undefined, control.signal)).rejects.toThrow("no such display");
  expect([control.asked.settings.value, control.displayPower.state.value.reason]).toEqual([{}, "hours"]);
  power.error = null;
  await control.pass(600_000);
  expect([power.value, control.displayPower.isOffOnPurpose]).toEqual(["off", true]);
});

test("[DHR14] a display that reads back another power is set again at growing intervals, and is not off on purpose meanwhile", async () => {
  await using folder = await temporaryFolder();
  await using control = await openControl(folder.path, new FakeClock(evening + hour), { desired: stateWith(shop) });
  const { power, displayPower } = control;
  // Somebody switches it on with its remote control.
  [power.value, power.isDeaf] = ["on", true];
  await control.pass(6 * 60_000);
  expect([displayPower.state.value.power, displayPower.isOffOnPurpose]).toEqual(["on", false]);
  await control.pass(8 * hour);
  expect(power.sets.length).toBeLessThan(120);
  expect(control.logged(40)).toEqual(["the display reads back another power than was set"]);
  power.isDeaf = false;
  await control.pass(hour);
  expect([power.value, displayPower.isOffOnPurpose]).toEqual(["off", true]);
});

test("[DHR15] a display that does not tell whether it is on is off on purpose once its tool has accepted that; without a tool it never is", async () => {
  await using folder = await temporaryFolder();
  const power = new FakePower();
  power.tells = false;
  await using control = await openControl(folder.path, new FakeClock(evening), { desired: stateWith(shop), power });
  expect([control.displayPower.state.value.power, control.displayPower.isOffOnPurpose]).toEqual([null, false]);
  await control.pass(hour);
  expect([control.displayPower.state.value.power, control.displayPower.isOffOnPurpose]).toEqual([null, true]);
  power.controls.display.power = null;
  power.hotplug();
  await control.settle();
  expect(control.displayPower.state.value).toMatchObject({ asked: "off", reason: "hours", power: null, by: null });
  expect(control.displayPower.isOffOnPurpose).toBe(false);
  await expect(control.displayPower.setByHand("on", undefined, control.signal)).rejects.toMatchObject({ code: "unsupported" });
});

test("[DHR16] a display that is connected in the night is switched off, and one that is off stays off on purpose meanwhile", async () => {
  await using folder = await temporaryFolder();
  await using control = await openControl(folder.path, new FakeClock(evening + hour), { desired: stateWith(shop) });
  const { power, displayPower } = control;
  const states: boolean[] = [];
  displayPower.offOnPurpose.watch((isOff) => states.push(isOff), control.signal);
  power.hotplug();
  await control.settle();
  expect([states, power.sets]).toEqual([[true], ["off", "off"]]);
});

test("[DHR17] steps of the clock apply at once, and power by hand does not outlast them by the time that was wrong", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(evening);
  await using control = await openControl(folder.path, clock, { desired: stateWith(shop) });
  const { power, displayPower } = control;
  clock.step(2 * hour);
  await control.pass(3_000, 1_000);
  expect(power.value).toBe("off");
  clock.step(-2 * hour);
  await control.pass(3_000, 1_000);
  expect(power.value).toBe("on");
  // Set by hand in a year that was wrong.
  clock.step(900 * 24 * hour);
  await control.pass(3_000, 1_000);
  await displayPower.setByHand("on", hour, control.signal);
  clock.step(-900 * 24 * hour);
  await control.pass(3_000, 1_000);
  expect(displayPower.state.value).toMatchObject({ reason: "command", until: expect.closeTo(clock.now() + hour, -5) });
});

test("[DHR18] after a revocation a display that was off on purpose is switched on", async () => {
  await using folder = await temporaryFolder();
  await using control = await openControl(folder.path, new FakeClock(evening + hour), { desired: stateWith(shop) });
  expect(control.power.value).toBe("off");
  await control.displayPower.release();
  expect([control.power.value, control.displayPower.isOffOnPurpose]).toEqual(["on", false]);
});
