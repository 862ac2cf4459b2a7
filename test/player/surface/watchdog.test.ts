// Recovery with a real surface, a host without a browser, and a test that plays the page.
import { expect, test } from "vitest";
import { hello, openDisplay, report } from "./open-display.ts";

test("[REC6] a page that presents frames is never reloaded, and one report without a frame is no fault", async () => {
  await using display = await openDisplay();
  const send = await display.page();
  await send(hello);
  await display.pass(100_000, () => send(report(1)));
  await display.pass(12_000);
  await send(report(0));
  await send(report(1));
  await display.pass(12_000);
  expect([display.calls, display.recovery.display.value]).toEqual([["open"], { is: "showing" }]);
});

test("[REC10] if a page responds for fifteen seconds without a frame, the browser is relaunched at once", async () => {
  await using display = await openDisplay();
  const send = await display.page();
  await send(hello);
  await display.pass(40_000, () => send(report(1)));
  await display.pass(14_000, () => send(report(0)));
  expect(display.calls).toEqual(["open"]);
  await display.pass(2_000, () => send(report(0)));
  expect([display.calls, display.recovery.display.value]).toEqual([
    ["open", "close", "open"],
    { is: "recovering", fault: "the page responds, but no frame was presented" },
  ]);
  // A frame proves that the page works again.
  await send(hello);
  await send(report(1));
  expect(display.recovery.display.value).toEqual({ is: "showing" });
});

test("[REC10] after two relaunches the browser draws without the GPU for an hour, also when a new one is needed", async () => {
  await using display = await openDisplay();
  const send = await display.page();
  await send(hello);
  await display.pass(95_000, () => send(report(0)));
  expect(display.calls).toEqual(["open", "close", "open", "close", "open", "close", "open without GPU"]);
  await display.pass(1_200_000, () => send(report(1)), 10_000);
  display.fail({ is: "browser-exited", detail: "exit code 1" });
  await display.pass(1_000, () => send(report(1)));
  expect(display.calls.slice(7)).toEqual(["close", "open without GPU"]);
  await display.pass(3_600_000, () => send(report(1)), 10_000);
  display.fail({ is: "browser-exited", detail: "exit code 1" });
  await display.pass(1_000, () => send(report(1)));
  expect(display.calls.slice(9)).toEqual(["close", "open"]);
});

test("[REC20] while the browser draws without the GPU because it kept exiting, that is known, until a browser uses the GPU again", async () => {
  await using display = await openDisplay();
  await display.failUntil(() => display.calls.includes("open without GPU"));
  expect(display.calls).toEqual(["open", ...Array(4).fill(["close", "open"]).flat(), "close", "open without GPU"]);
  const send = await display.page();
  await send(hello);
  await display.pass(3_600_000, () => send(report(1)), 10_000);
  expect(display.recovery.withoutGpuMs).toBeGreaterThanOrEqual(3_600_000);
  display.fail({ is: "browser-exited", detail: "exit code 1" });
  await display.pass(1_000, () => send(report(1)));
  expect([display.calls.at(-1), display.recovery.withoutGpuMs]).toEqual(["open", null]);
});

test("[REC21] a page that never connects is not reloaded without end: all steps follow within five minutes", async () => {
  await using display = await openDisplay();
  await display.pass(300_000);
  const relaunches = Array(4).fill(["close", "open"]).flat();
  expect(display.calls).toEqual(["open", ...Array(3).fill("reload"), ...relaunches, "close", "open without GPU", "restart player"]);
});

test("[REC15] while the display is off, missing frames are no fault; once it is on, they are again", async () => {
  let power: "on" | "off" = "on";
  await using display = await openDisplay({ displayPower: async () => power });
  const send = await display.page();
  await send(hello);
  await display.pass(40_000, () => send(report(1)));
  power = "off";
  await display.pass(3_600_000, () => send(report(0)), 3_000);
  expect([display.calls, display.recovery.isHopeful]).toEqual([["open"], true]);
  power = "on";
  await display.pass(31_000, () => send(report(0)));
  expect(display.calls).toEqual(["open", "close", "open"]);
});

test("[REC15] if nothing says whether the display is on, missing frames relaunch the browser twice an hour and restart nothing", async () => {
  await using display = await openDisplay({ displayPower: async () => null, restart: async () => undefined });
  const send = await display.page();
  await send(hello);
  await display.pass(3_600_000, () => send(report(0)), 3_000);
  expect(display.calls).toEqual(["open", "close", "open", "close", "open"]);
  expect([display.recovery.display.value.is, display.recovery.withheld, display.recovery.isHopeful]).toEqual(["recovering", null, true]);
  // A page that stops reporting is a fault nevertheless.
  await display.pass(31_000);
  expect(display.calls.slice(5)).toEqual(["reload"]);
});

test("[REC16] the recovery counts as hopeless once no frame has been presented for ten minutes although one was needed", async () => {
  await using display = await openDisplay();
  const send = await display.page();
  await send(hello);
  await display.pass(1_800_000, () => send(report(1)), 10_000);
  await display.pass(590_000);
  expect(display.recovery.isHopeful).toBe(true);
  await display.pass(11_000);
  expect(display.recovery.isHopeful).toBe(false);
});

test("[REC13] if the browser keeps exiting, the player restarts, and then its machine", async () => {
  let machineRestarts = 0;
  await using display = await openDisplay({ restart: async () => void (machineRestarts += 1) });
  await display.failUntil(() => display.calls.includes("restart player"));
  expect(display.calls).toEqual(["open", ...Array(4).fill(["close", "open"]).flat(), "close", "open without GPU", "restart player"]);
  // This player cannot be restarted, so it goes on after the limit for that.
  await display.failUntil(() => display.recovery.withheld?.isNow === true);
  expect(machineRestarts).toBe(0);
  await display.failUntil(() => machineRestarts === 1);
  expect(display.calls.filter((call) => call === "restart player")).toHaveLength(1);
});

test.each(["page-crashed", "page-hung", "browser-exited"] as const)(
  "[REC11] a %s fault while content is withheld is recovered from, and content stays withheld until its time",
  async (is) => {
    await using display = await openDisplay();
    // The restart of the player does not happen in this test.
    await display.failUntil(() => display.recovery.display.value.is === "withholding");
    const withheld = display.recovery.withheld;
    expect([withheld?.isNow, display.recovery.display.value.is]).toEqual([true, "withholding"]);
    const { length } = display.calls;
    for (let failure = 0; failure < 5; failure += 1) {
      display.fail({ is, detail: "again" });
      await display.pass(1_000);
      // The new page presents the screen that says that content is withheld.
      const send = await display.page();
      await send(hello);
      await display.pass(9_000, () => send(report(1)));
      expect(display.recovery.withheld?.isNow).toBe(true);
    }
    expect(display.calls.length).toBeGreaterThan(length);
    const { until } = display.recovery.withheld!;
    expect(until).toBeGreaterThanOrEqual(withheld!.until);
    const send = await display.page();
    await send(hello);
    await display.pass(61_000, () => send(report(1)));
    expect([display.recovery.withheld?.isNow, display.recovery.display.value.is]).toEqual([false, "showing"]);
  },
);

test("[REC6] a page that stops reporting is reloaded, and after three failed reloads the browser is restarted", async () => {
  await using display = await openDisplay();
  const send = await display.page();
  await send(hello);
  await send(report(1));
  await display.pass(31_000);
  expect(display.calls).toEqual(["open", "reload"]);
  await display.pass(100_000);
  expect(display.calls).toEqual(["open", "reload", "reload", "reload", "close", "open"]);
});

test("[REC6] a page that never connects is reloaded after thirty seconds", async () => {
  await using display = await openDisplay();
  await display.pass(29_000);
  expect(display.calls).toEqual(["open"]);
  await display.pass(2_000);
  expect(display.calls).toEqual(["open", "reload"]);
});

test("[REC10] if a page responds but presents no frame within thirty seconds after its start, the browser is relaunched", async () => {
  await using display = await openDisplay();
  const send = await display.page();
  await send(hello);
  await display.pass(29_000, () => send(report(0)));
  expect(display.calls).toEqual(["open"]);
  await display.pass(2_000, () => send(report(0)));
  expect(display.calls).toEqual(["open", "close", "open"]);
});

test("[DHR21] eight hours off on purpose cause no recovery, whatever the display tells and even if the page stops reporting; then frames count anew", async () => {
  for (const displayPower of [async () => null, async () => "on" as const, async () => "off" as const]) {
    let isOff = false;
    await using display = await openDisplay({ displayPower, restart: async () => undefined }, () => isOff);
    const send = await display.page();
    await send(hello);
    await display.pass(40_000, () => send(report(1)));
    isOff = true;
    await display.pass(4 * 3_600_000, () => send(report(0)), 300_000);
    await display.pass(4 * 3_600_000, undefined, 300_000);
    expect([display.calls, display.recovery.isHopeful]).toEqual([["open"], true]);
    isOff = false;
    // The display needs a moment until frames are drawn again.
    await display.pass(14_000, () => send(report(0)));
    await display.pass(60_000, () => send(report(1)));
    expect(display.calls).toEqual(["open"]);
    if ((await displayPower()) === "off") continue;
    await display.pass(40_000, () => send(report(0)));
    expect(display.calls.slice(0, 3)).toEqual(["open", "close", "open"]);
  }
});
