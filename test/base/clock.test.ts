// The corrected clock on a fake one, and the real clock of the system.
import { expect, test } from "vitest";
import { Signal } from "../../src/base/async/signal.ts";
import { CorrectedClock, createSystemClock } from "../../src/base/clock.ts";
import { FakeClock } from "../support/clock.ts";
import { eventually } from "../support/polling.ts";

/** An exchange with a service whose clock is `aheadMs` ahead, with these one-way delays. */
function exchange(
  fake: FakeClock,
  corrected: CorrectedClock,
  aheadMs: number,
  upMs: number,
  downMs: number,
  isAuthenticated = false,
): boolean {
  const t0 = corrected.raw();
  fake.advance(upMs);
  const t1 = fake.now() + aheadMs;
  fake.advance(downMs);
  return corrected.learn({ t0, t1, t2: t1, t3: corrected.raw(), isAuthenticated });
}

test("[CLK1] the clock uses the offset of the quickest of the last eight exchanges with the service", () => {
  const fake = new FakeClock();
  const clock = new CorrectedClock(fake);
  exchange(fake, clock, 5_000, 40, 200);
  expect(clock.offset.offsetMs).toBe(4_920);
  exchange(fake, clock, 5_000, 2, 2);
  expect(clock.offset).toEqual({ offsetMs: 5_000, errorMs: 2 });
  exchange(fake, clock, 5_000, 300, 10);
  expect(clock.now() - fake.now()).toBe(5_000);
});

test("[CLK2] once corrected, the clock does not follow changes of the machine's own clock", () => {
  const fake = new FakeClock();
  const clock = new CorrectedClock(fake);
  exchange(fake, clock, 5_000, 1, 1);
  const before = clock.now();
  fake.step(-3_600_000);
  expect(clock.now()).toBe(before);
  fake.advance(1_000);
  expect(clock.now()).toBe(before + 1_000);
});

test("[CLK6] a machine that boots in 1970 is corrected by the first exchange, and code that waits for an instant is notified", () => {
  const fake = new FakeClock(0);
  const clock = new CorrectedClock(fake);
  let steps = 0;
  clock.onStep(() => (steps += 1), new AbortController().signal);
  const ahead = Date.UTC(2026, 10, 21);
  exchange(fake, clock, ahead, 2, 2);
  expect(clock.now()).toBe(fake.now() + ahead);
  expect(steps).toBe(1);
  exchange(fake, clock, ahead, 1, 3);
  expect(steps).toBe(1);
});

test("[CLK7] an exchange that contradicts the previous ones, as after a sleep, replaces them", () => {
  const fake = new FakeClock();
  const clock = new CorrectedClock(fake);
  exchange(fake, clock, 0, 1, 1);
  exchange(fake, clock, 7_200_000, 40, 40);
  expect(clock.offset.offsetMs).toBe(7_200_000);
});

test("[CLK3] before the first exchange the clock has no correction and no error bound", () => {
  expect(new CorrectedClock(new FakeClock()).offset).toEqual({ offsetMs: 0, errorMs: Number.POSITIVE_INFINITY });
});

test("[CLK4] the system clock follows the wall clock and never runs backwards between its jumps", () => {
  const clock = createSystemClock();
  let before = clock.now();
  for (let time = 0; time < 10_000; time += 1) {
    const now = clock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    before = now;
  }
  const earliest = Date.now();
  const now = clock.now();
  const latest = Date.now();
  // It may differ from the wall clock by 20 ms, and the wall clock's time has whole milliseconds.
  expect(now).toBeGreaterThan(earliest - 25);
  expect(now).toBeLessThan(latest + 25);
});

test("[CLK4] the system clock does not jump when the process is paused while it reads the time", () => {
  const clock = createSystemClock();
  const readWall = Date.now;
  const pauseMs = 60;
  const before = clock.now();
  Date.now = () => {
    const time = readWall();
    const end = clock.monotonic() + pauseMs;
    while (clock.monotonic() < end);
    return time;
  };
  try {
    expect(clock.now()).toBeGreaterThanOrEqual(before + pauseMs);
  } finally {
    Date.now = readWall;
  }
});

test("[CLK5] a wait rejects with an AbortError when its signal aborts, and leaves no timer", async () => {
  const stop = new AbortController();
  const waiting = createSystemClock().wait(60_000, stop.signal);
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
});

test("[SIG1] a notification that arrives while nothing waits ends the next wait immediately; several count as one", async () => {
  const clock = new FakeClock();
  const bell = new Signal();
  const { signal } = new AbortController();
  bell.notify();
  bell.notify();
  await bell.wait(clock, Number.POSITIVE_INFINITY, signal);
  const second = bell.wait(clock, 1_000, signal);
  expect(clock.pendingWaits).toBe(1);
  clock.advance(1_000);
  await second;
  expect(clock.pendingWaits).toBe(0);
});

test("[CLK8] the clock starts no earlier than a time that has passed, runs on from it, and follows a machine that is later", () => {
  const fake = new FakeClock(0);
  const known = Date.UTC(2026, 10, 21);
  const clock = new CorrectedClock(fake, known);
  expect(clock.now()).toBe(known);
  fake.advance(5_000);
  expect(clock.now()).toBe(known + 5_000);
  expect(clock.machineNow()).toBe(5_000);
  fake.step(known + 3_600_000);
  expect(clock.now()).toBe(known + 3_605_000);
  fake.step(-known);
  expect(clock.now()).toBe(known + 5_000);
});

test("[CLK8] only an authenticated time lowers the bound, so that one bad reading does not last", () => {
  const fake = new FakeClock(0);
  const known = Date.UTC(2030, 0, 1);
  const clock = new CorrectedClock(fake, known);
  const real = Date.UTC(2026, 10, 21);
  expect(exchange(fake, clock, real, 2, 2)).toBe(false);
  expect(clock.now()).toBe(known + 4);
  expect(clock.learnedAt).toBeNull();
  expect(exchange(fake, clock, real, 2, 2, true)).toBe(true);
  expect(clock.now()).toBe(fake.now() + real);
  expect(clock.earliest).toBe(fake.now() + real - 2);
  // An hour later, a time server that is behind is not believed; one that agrees is.
  fake.advance(3_600_000);
  expect(exchange(fake, clock, real - 60_000, 1, 1)).toBe(false);
  expect(clock.now()).toBe(fake.now() + real);
  expect(exchange(fake, clock, real - 1, 1, 1)).toBe(true);
  // A time that is not authenticated is believed, but does not raise the bound.
  expect(exchange(fake, clock, real + 86_400_000, 1, 1)).toBe(true);
  expect(clock.now()).toBe(fake.now() + real + 86_400_000);
  expect(clock.earliest).toBe(fake.now() + real - 2);
});

test.each([
  ["a day forward", 86_400_000],
  ["an hour back", -3_600_000],
])("[CLK9] a jump of the machine's clock by %s is noticed within two seconds", async (_, jumpMs) => {
  const fake = new FakeClock();
  const clock = new CorrectedClock(fake);
  const stop = new AbortController();
  let steps = 0;
  clock.onStep(() => (steps += 1), stop.signal);
  const watching = clock.watchForSteps(stop.signal);
  const pass = async (ms: number): Promise<void> => {
    fake.advance(ms);
    await eventually(() => fake.pendingWaits === 1);
  };
  await pass(2_000);
  expect(steps).toBe(0);
  fake.step(jumpMs);
  await pass(2_000);
  await pass(2_000);
  expect(steps).toBe(1);
  // An exchange that shows no other time is no jump.
  exchange(fake, clock, 0, 1, 1);
  await pass(2_000);
  expect(steps).toBe(1);
  stop.abort();
  await expect(watching).rejects.toMatchObject({ name: "AbortError" });
});

test("[CLK10] a suspended machine's clock runs on, also after it was corrected, and the jump is noticed", async () => {
  const fake = new FakeClock();
  const known = fake.now() - 1_000;
  const clock = new CorrectedClock(fake, known);
  exchange(fake, clock, 5_000, 1, 1, true);
  const stop = new AbortController();
  let steps = 0;
  clock.onStep(() => (steps += 1), stop.signal);
  const watching = clock.watchForSteps(stop.signal);
  const before = { now: clock.now(), monotonic: clock.monotonic(), earliest: clock.earliest };
  fake.suspend(3_600_000);
  expect(clock.now()).toBe(before.now + 3_600_000);
  expect(clock.earliest).toBe(before.earliest + 3_600_000);
  expect(clock.monotonic()).toBe(before.monotonic);
  fake.advance(2_000);
  await eventually(() => steps === 1);
  // The machine's own clock does not move the corrected one.
  fake.step(7_200_000);
  expect(clock.now()).toBe(before.now + 3_602_000);
  stop.abort();
  await expect(watching).rejects.toMatchObject({ name: "AbortError" });
});

test("[CLK10] the system clock's elapsed time is its monotonic time while the machine is awake", () => {
  const clock = createSystemClock();
  const before = clock.monotonic();
  const elapsed = clock.elapsed();
  expect(elapsed).toBeGreaterThanOrEqual(before);
  expect(elapsed).toBeLessThanOrEqual(clock.monotonic());
});

test("[CLK11] a machine whose clock is more than ten years ahead of a proven time is not believed, until an exchange shows that it is right", () => {
  const fake = new FakeClock(Date.UTC(2099, 0, 1));
  const known = Date.UTC(2026, 10, 21);
  const clock = new CorrectedClock(fake, known);
  fake.advance(1_000);
  expect(clock.now()).toBe(known + 1_000);
  // The machine's battery is replaced, and its clock set.
  fake.step(Date.UTC(2030, 0, 1) - fake.now());
  expect(clock.now()).toBe(Date.UTC(2030, 0, 1));
  fake.step(Date.UTC(2099, 0, 1) - fake.now());
  exchange(fake, clock, 0, 1, 1);
  expect(clock.now()).toBe(fake.now());
});

test("[CLK14] an exchange whose round trip would be longer than ten minutes, such as an answer full of zeros, changes nothing", () => {
  const base = new FakeClock();
  const clock = new CorrectedClock(base, base.now() - 86_400_000);
  for (let times = 0; times < 9; times += 1) expect(clock.learn({ t0: 0, t1: 0, t2: 0, t3: clock.raw() })).toBe(false);
  expect(clock.now()).toBe(base.now());
});
