import { expect, test } from "vitest";
import { Bell } from "../../src/base/bell.ts";
import { CorrectedClock, createSystemClock } from "../../src/base/clock.ts";
import { FakeClock } from "../support/clock.ts";

/** An exchange with a service that is `aheadMs` ahead, over a path of these one-way delays. */
function exchange(fake: FakeClock, corrected: CorrectedClock, aheadMs: number, upMs: number, downMs: number): void {
  const t0 = corrected.raw();
  fake.advance(upMs);
  const t1 = fake.now() + aheadMs;
  fake.advance(downMs);
  corrected.learn({ t0, t1, t2: t1, t3: corrected.raw() });
}

test("[CK1] the offset of the quickest of the last eight exchanges is believed", () => {
  const fake = new FakeClock();
  const clock = new CorrectedClock(fake);
  exchange(fake, clock, 5_000, 40, 200);
  expect(clock.offset.offsetMs).toBe(4_920);
  exchange(fake, clock, 5_000, 2, 2);
  expect(clock.offset).toEqual({ offsetMs: 5_000, errorMs: 2 });
  exchange(fake, clock, 5_000, 300, 10);
  expect(clock.now() - fake.now()).toBe(5_000);
});

test("[CK2] after the machine's clock was stepped the old exchanges are dropped", () => {
  const fake = new FakeClock();
  const clock = new CorrectedClock(fake);
  exchange(fake, clock, 0, 1, 1);
  fake.step(-3_600_000);
  exchange(fake, clock, 3_600_000, 50, 50);
  expect(clock.offset.offsetMs).toBe(3_600_000);
});

test("[CK3] before the first exchange there is no correction and no bound of its error", () => {
  expect(new CorrectedClock(new FakeClock()).offset).toEqual({ offsetMs: 0, errorMs: Number.POSITIVE_INFINITY });
});

test("[CK4] the system clock follows the wall and never runs backwards between steps", () => {
  const clock = createSystemClock();
  let before = clock.now();
  for (let time = 0; time < 10_000; time += 1) {
    const now = clock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    before = now;
  }
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(25);
});

test("[CK5] a wait ends with an AbortError when its signal aborts, and leaves no timer", async () => {
  const stop = new AbortController();
  const waiting = createSystemClock().wait(60_000, stop.signal);
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
});

test("[CK6] a ring that comes while nobody waits ends the next wait at once; several are one", async () => {
  const clock = new FakeClock();
  const bell = new Bell();
  const { signal } = new AbortController();
  bell.ring();
  bell.ring();
  await bell.wait(clock, Number.POSITIVE_INFINITY, signal);
  const second = bell.wait(clock, 1_000, signal);
  expect(clock.waiting).toBe(1);
  clock.advance(1_000);
  await second;
  expect(clock.waiting).toBe(0);
});
