// Time servers on loopback that are honest, silent or lying.
import { expect, test } from "vitest";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { readPlayerFlags } from "../../../src/main/player/player-flags.ts";
import { queryNtp, followNtp } from "../../../src/player/link/ntp.ts";
import { FakeClock } from "../../support/clock.ts";
import { eventually } from "../../support/polling.ts";
import { responseTo, startTimeServer, writeTime } from "../../support/network/time-server.ts";

const never = new AbortController().signal;

/** A clock that tells whether the player waits for its next round of questions, and not for a response. */
class RoundClock extends FakeClock {
  #lastWaitMs = 0;

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    this.#lastWaitMs = ms;
    return super.wait(ms, signal);
  }

  async betweenRounds(): Promise<void> {
    const longestResponseMs = 3_000;
    await eventually(() => this.pendingWaits === 1 && this.#lastWaitMs > longestResponseMs);
  }
}

test("[NTP1] a time server sets the clock, and its own error is part of the error bound", async () => {
  const travelMs = 20;
  const fake = new FakeClock();
  await using time = await startTimeServer((asked) => {
    fake.advance(travelMs);
    return [responseTo(asked, fake.now() + 7_000)];
  });
  const clock = new CorrectedClock(fake);
  clock.learn(await queryNtp(time.server, clock, never));
  const { offsetMs, errorMs } = clock.offset;
  // Half of the travel time, and what the server says of itself: half of 20 ms, and 5 ms.
  expect(errorMs).toBeCloseTo(travelMs / 2 + 15, 1);
  expect(offsetMs).toBeCloseTo(7_000 + travelMs / 2, 1);
});

test("[NTP2] the exchange with the smallest error counts, whether with the service or a time server", () => {
  const clock = new CorrectedClock(new FakeClock());
  const t0 = clock.raw();
  clock.learn({ t0, t1: t0 + 500, t2: t0 + 500, t3: t0 });
  clock.learn({ t0, t1: t0 + 600, t2: t0 + 600, t3: t0, errorMs: 15 });
  expect(clock.offset).toEqual({ offsetMs: 500, errorMs: 0 });
});

const invalidResponses: [string, (honest: Buffer, now: number) => Buffer][] = [
  ["from an unsynchronized server (leap 3)", (packet) => (packet.writeUInt8(0xe4, 0), packet)],
  ["of stratum 0", (packet) => (packet.writeUInt8(0, 1), packet)],
  ["of stratum 16", (packet) => (packet.writeUInt8(16, 1), packet)],
  ["to another request", (packet) => (packet.writeUInt8(packet[24]! ^ 1, 24), packet)],
  ["that is a request itself", (packet) => (packet.writeUInt8(0x23, 0), packet)],
  ["without a time", (packet) => packet.fill(0, 40, 48)],
  ["sent before the request", (packet, now) => (writeTime(packet, 40, now - 5_000), packet)],
  ["from a server far from its own reference", (packet) => (packet.writeUInt32BE(3 * 65_536, 8), packet)],
  ["cut short", (packet) => packet.subarray(0, 47)],
];

test.each(invalidResponses)("[NTP3] a time server's response %s is ignored, and the honest one after it accepted", async (_, corrupt) => {
  const fake = new FakeClock();
  await using time = await startTimeServer((asked) => [
    corrupt(responseTo(asked, fake.now() + 900_000), fake.now()),
    responseTo(asked, fake.now() + 3_000),
  ]);
  const clock = new CorrectedClock(fake);
  clock.learn(await queryNtp(time.server, clock, never));
  expect(clock.offset.offsetMs).toBeCloseTo(3_000, 1);
});

test("[NTP4] the player waits three seconds for a silent time server and fails at once if there is none", async () => {
  const fake = new FakeClock();
  const clock = new CorrectedClock(fake);
  let server: { host: string; port: number };
  {
    await using time = await startTimeServer(() => []);
    ({ server } = time);
    const asked = time.whenAsked();
    const outcome = expect(queryNtp(server, clock, never)).rejects.toMatchObject({ code: "timeout" });
    await asked;
    fake.advance(3_000);
    await outcome;
    expect(fake.pendingWaits).toBe(0);
  }
  await expect(queryNtp(server, clock, never)).rejects.toMatchObject({ code: "unreachable" });
  expect(clock.offset.errorMs).toBe(Number.POSITIVE_INFINITY);
  expect(fake.pendingWaits).toBe(0);
});

test("[NTP5] after two minutes without the service, time servers are queried in order; one that sends a kiss-o'-death is not queried for an hour", async () => {
  const fake = new RoundClock();
  await using kiss = await startTimeServer((asked) => {
    const packet = responseTo(asked, fake.now());
    packet.writeUInt8(0, 1);
    packet.write("RATE", 12, "latin1");
    return [packet];
  });
  await using good = await startTimeServer((asked) => [responseTo(asked, fake.now() + 60_000)]);
  const clock = new CorrectedClock(fake);
  const end = new AbortController();
  const following = expect(followNtp([kiss.server, good.server], clock, silentLog, end.signal)).rejects.toMatchObject({
    name: "AbortError",
  });
  const round = async (ms: number) => {
    fake.advance(ms);
    await fake.betweenRounds();
  };
  await fake.betweenRounds();
  await round(5_000);
  expect(clock.offset.offsetMs).toBeGreaterThan(59_900);
  expect([kiss.asked, good.asked]).toEqual([1, 1]);
  await round(64_000);
  expect([kiss.asked, good.asked]).toEqual([1, 2]);
  // The service responds once and is silent again.
  fake.advance(1_000);
  const t0 = clock.raw();
  clock.learn({ t0, t1: t0 + 60_000, t2: t0 + 60_000, t3: t0 });
  await round(63_000);
  expect(good.asked).toBe(2);
  await round(64_000);
  expect(good.asked).toBe(3);
  end.abort();
  await following;
  expect(fake.pendingWaits).toBe(0);
});

test("[NTP6] time servers are given as hosts with or without a port; other flags are rejected", () => {
  expect(readPlayerFlags(["--ntp", "time.example.org,10.0.0.1:1123,[::1]:1230,::1"]).ntp).toEqual([
    { host: "time.example.org", port: 123 },
    { host: "10.0.0.1", port: 1123 },
    { host: "::1", port: 1230 },
    { host: "::1", port: 123 },
  ]);
  expect(readPlayerFlags([]).ntp).toEqual([]);
  for (const wrong of ["", "a,,b", "host:0", "host:70000", "[host]:1", "two words"]) {
    expect(() => readPlayerFlags(["--ntp", wrong])).toThrow(/--ntp: must be hosts/);
  }
});

test("[NTP8] a service that responds is compared with the time servers every hour; one that contradicts them by more than a minute is not believed", async () => {
  const fake = new RoundClock();
  await using time = await startTimeServer((asked) => [responseTo(asked, fake.now())]);
  const clock = new CorrectedClock(fake);
  const serviceSays = (aheadMs: number): boolean => {
    const t = clock.raw();
    const at = fake.now() + aheadMs;
    return clock.learn({ t0: t, t1: at, t2: at, t3: t, isAuthenticated: true });
  };
  const aheadMs = (): number => Math.round(clock.now() - fake.now());
  const end = new AbortController();
  const following = expect(followNtp([time.server], clock, silentLog, end.signal)).rejects.toMatchObject({ name: "AbortError" });
  const round = async (ms: number): Promise<void> => {
    await fake.betweenRounds();
    fake.advance(ms);
    await fake.betweenRounds();
  };
  // The service is 50 s ahead. That is left to it, since its players share its time.
  expect(serviceSays(50_000)).toBe(true);
  await round(5_000);
  expect(time.asked).toBe(1);
  expect([aheadMs(), clock.contradictionMs]).toEqual([50_000, null]);
  // Its clock is set to two hours ahead: its players do not follow.
  expect(serviceSays(7_200_000)).toBe(false);
  expect(aheadMs()).toBe(50_000);
  expect(Math.round(clock.contradictionMs!)).toBe(7_200_000);
  // From now on the time servers set the clock. It may go back behind the time that the service proved.
  await round(64_000);
  expect(aheadMs()).toBe(0);
  expect(serviceSays(7_200_000)).toBe(false);
  // The service is right again.
  expect(serviceSays(1_000)).toBe(true);
  expect(clock.contradictionMs).toBeNull();
  expect(aheadMs()).toBeGreaterThanOrEqual(0);
  const asked = time.asked;
  for (let minute = 0; minute < 59; minute += 1) {
    await round(60_000);
    serviceSays(1_000);
  }
  expect(time.asked).toBeLessThanOrEqual(asked + 1);
  end.abort();
  await following;
});

test("[NTP8] a service that was wrong before the first time server responded is forgotten, with the bound that it had proven", () => {
  const fake = new FakeClock();
  const known = fake.now() - 3_600_000;
  const clock = new CorrectedClock(fake, known);
  const exchange = (aheadMs: number, isAuthenticated: boolean, source: "service" | "time-server") => {
    const t = clock.raw();
    const at = fake.now() + aheadMs;
    return { t0: t, t1: at, t2: at, t3: t, isAuthenticated, source };
  };
  expect(clock.learn(exchange(86_400_000, true, "service"))).toBe(true);
  expect(clock.earliest).toBe(fake.now() + 86_400_000);
  expect(clock.authenticatedAt).not.toBeNull();
  expect(clock.compare(exchange(0, false, "time-server"))).toBe(true);
  expect(clock.contradictionMs).toBe(86_400_000);
  expect(clock.learn(exchange(0, false, "time-server"))).toBe(true);
  expect([clock.now(), clock.earliest, clock.authenticatedAt]).toEqual([fake.now(), known, null]);
  // A time server that is behind a certain time is not believed, so it cannot discredit the service.
  expect(clock.learn(exchange(0, true, "service"))).toBe(true);
  expect(clock.compare(exchange(0, false, "time-server"))).toBe(true);
  expect(clock.compare(exchange(-86_400_000, false, "time-server"))).toBe(false);
  expect(clock.contradictionMs).toBeNull();
  // After a day a time server's statement is too old to contradict anybody.
  fake.advance(2 * 86_400_000);
  expect(clock.learn(exchange(600_000, true, "service"))).toBe(true);
});
