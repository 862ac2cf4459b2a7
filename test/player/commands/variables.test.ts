// Variables that commands and triggers set on the player: what holds, for how long, and that it outlives a restart.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { ScheduleFollower } from "../../../src/player/playback/schedule-follower.ts";
import { InterventionStore } from "../../../src/player/playback/intervention-store.ts";
import { forecast } from "../../../src/schedule/forecast.ts";
import { programAt } from "../../../src/schedule/program.ts";
import type { Intervention } from "../../../src/schedule/interventions.ts";
import type { PlayCommand } from "../../../src/protocol/device/play-commands.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";
import { layout, schedule, stateWith } from "../../schedule/schedules.ts";

const t0 = Date.UTC(2026, 4, 5, 10);
const open = layout();
const busy = layout();
const asks = (name: string, more: object) => ({ conditions: [{ type: "variable", name, ...more }] });
const schedules = [
  schedule(open.id, "2026-01-01T00:00", null, asks("door_open", { value: true })),
  schedule(busy.id, "2026-01-01T00:00", null, { ...asks("queue", { op: "at_least", value: 5 }), priority: 1 }),
];

/** A screen whose desired state says that nobody queues and the door is closed. */
async function screen(folder: string) {
  const clock = new FakeClock(t0);
  const ready = stateWith(schedules, [open, busy], { timezone: "UTC", variables: { door_open: false, queue: 0 } });
  let records = await InterventionStore.open(folder, silentLog);
  let programme = new ScheduleFollower(records, clock, silentLog, "UTC");
  programme.follow(ready, clock.now());
  return {
    clock,
    file: join(folder, "records.json"),
    send(type: PlayCommand["type"], args: object = {}) {
      return programme.apply({ type, args, id: newId("cmd"), ttl_s: 600 } as PlayCommand & { id: string });
    },
    set(variables: object, duration_ms?: number) {
      return this.send("variables.set", { variables, ...(duration_ms === undefined ? {} : { duration_ms }) });
    },
    get shown() {
      const id = programme.follow(ready, clock.now())[0]!.playback.program.layout!.id;
      return id === open.id ? "open" : id === busy.id ? "busy" : "default";
    },
    get changesAt() {
      return programme.follow(ready, clock.now())[0]!.until;
    },
    get variables() {
      return programme.variables();
    },
    get why() {
      return programme.why();
    },
    get records() {
      return records.interventions.value;
    },
    async restart() {
      records = await InterventionStore.open(folder, silentLog);
      programme = new ScheduleFollower(records, clock, silentLog, "UTC");
      programme.follow(ready, clock.now());
    },
  };
}

test("[VAR1] a variable that is set holds at once, above the desired state's, until it is cleared, also over a restart", async () => {
  await using folder = await temporaryFolder();
  const place = await screen(folder.path);
  expect([place.shown, place.variables]).toEqual(["default", { door_open: false, queue: 0 }]);
  expect(await place.set({ door_open: true })).toEqual({ until: null });
  expect([place.shown, place.variables]).toEqual(["open", { door_open: true, queue: 0 }]);
  place.clock.advance(90 * 86_400_000);
  await place.restart();
  expect([place.shown, place.variables["door_open"]]).toEqual(["open", true]);
  await place.set({ queue: 5 });
  expect(place.shown).toBe("busy");
  expect(await place.send("variables.clear", { names: ["queue"] })).toEqual({ ended: 1 });
  expect(place.shown).toBe("open");
  expect(await place.send("variables.clear")).toEqual({ ended: 1 });
  expect([place.shown, place.variables]).toEqual(["default", { door_open: false, queue: 0 }]);
  expect(place.why.find(({ detail }) => detail.includes("door_open"))).toMatchObject({ verdict: "set-aside" });
});

test("[VAR2] what is set for a while ends at its instant, which is told beforehand; then what was set for good holds again", async () => {
  await using folder = await temporaryFolder();
  const place = await screen(folder.path);
  await place.set({ queue: 9 });
  expect(await place.set({ queue: 1, door_open: true }, 20_000)).toEqual({ until: new Date(t0 + 20_000).toISOString() });
  expect([place.shown, place.changesAt]).toEqual(["open", t0 + 20_000]);
  place.clock.advance(19_999);
  await place.restart();
  expect(place.shown).toBe("open");
  place.clock.advance(1);
  expect([place.shown, place.variables]).toEqual(["busy", { door_open: false, queue: 9 }]);
  // Set for good while it is set for a while: the newest counts.
  await place.set({ queue: 0 }, 60_000);
  place.clock.advance(1_000);
  await place.set({ queue: 7 });
  expect(place.shown).toBe("busy");
  place.clock.advance(60_000);
  expect(place.variables["queue"]).toBe(7);
});

test("[VAR3] a pause holds what was on, whatever is set meanwhile", async () => {
  await using folder = await temporaryFolder();
  const place = await screen(folder.path);
  await place.set({ door_open: true });
  place.clock.advance(1_000);
  await place.send("pause", { duration_ms: 60_000 });
  for (let n = 0; n < 20; n += 1) {
    place.clock.advance(1_000);
    await place.set({ door_open: n % 2 === 1 });
    await place.restart();
    expect(place.shown).toBe("open");
  }
  await place.set({ door_open: false });
  expect(place.shown).toBe("open");
  await place.send("resume");
  expect(place.shown).toBe("default");
});

test("[VAR4] a sensor that never rests fills nothing: the same again is not written, what is over is forgotten, overrides stay", async () => {
  await using folder = await temporaryFolder();
  const place = await screen(folder.path);
  await place.send("override.set", { layout_id: busy.id, level: "emergency" });
  for (let n = 0; n < 1_200; n += 1) {
    place.clock.advance(100);
    await place.set({ queue: n }, n % 3 === 0 ? 1_000 : undefined);
  }
  expect(place.records.length).toBeLessThanOrEqual(3);
  const { records } = place;
  const text = await readFile(place.file, "utf8");
  place.clock.advance(60_000);
  await place.set({ queue: 1_199 });
  expect(place.records).toBe(records);
  expect(await readFile(place.file, "utf8")).toBe(text);
  expect(place.shown).toBe("busy");
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`v${n}`, n]));
  await expect(place.set(many)).rejects.toMatchObject({ code: "unsupported" });
  await place.send("variables.clear");
  await place.set(many);
  expect(Object.keys(place.variables)).toHaveLength(102);
  // What is told fits into a heartbeat.
  await place.set(Object.fromEntries(Object.keys(many).map((name) => [name, "ü".repeat(200)])));
  expect(Buffer.byteLength(JSON.stringify(place.variables))).toBeLessThan(9_000);
}, 60_000);

test("[VAR5] in whatever order settings stand the same holds, the next change is in the future, and the forecast knows it", () => {
  const someSetting = fc.record({
    at: fc.integer({ min: t0 - 100_000, max: t0 + 100_000 }),
    length: fc.option(fc.integer({ min: 1, max: 100_000 })),
    isDoor: fc.boolean(),
    value: fc.integer({ min: 0, max: 9 }),
    n: fc.nat(),
  });
  const some = fc.array(someSetting, { maxLength: 12 }).map((all) =>
    all.map(({ at, length, isDoor, value, n }, index): Intervention => {
      const about = { is: "variable", id: `cmd_${n}_${index}`, at, until: length === null ? null : at + length } as const;
      return isDoor ? { ...about, name: "door_open", value: value > 4 } : { ...about, name: "queue", value };
    }),
  );
  const shuffled = some.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
  const ready = stateWith(schedules, [open, busy], { timezone: "UTC", variables: { queue: 0 } });
  // Naively: the last to be set of those that still hold, of each name.
  const naive = (records: readonly Intervention[], instant: number): string => {
    const value = { door_open: false as unknown, queue: 0 as unknown };
    const newest = { door_open: "", queue: "" };
    for (const record of records) {
      if (record.is !== "variable" || record.at > instant || (record.until !== null && record.until <= instant)) continue;
      const name = record.name as keyof typeof value;
      const ends = record.until === null ? "" : String(9e15 - record.until);
      const stamp = `${String(record.at).padStart(20, "0")} ${ends.padStart(20, "0")} ${record.id}`;
      if (stamp > newest[name]) [newest[name], value[name]] = [stamp, record.value];
    }
    return (value.queue as number) >= 5 ? busy.id : value.door_open === true ? open.id : ready.desired.layout!.id;
  };
  fc.assert(
    fc.property(shuffled, fc.integer({ min: t0 - 120_000, max: t0 + 120_000 }), ([one, other], at) => {
      const ask = (records: Intervention[], instant: number) =>
        programAt(ready, instant, { interventions: records, deviceTimeZone: "UTC" });
      const { program, changesAt } = ask(one, at);
      expect(ask(other, at)).toEqual({ program, changesAt });
      expect(changesAt).toBeGreaterThan(at);
      expect(program.layout!.id).toBe(naive(one, at));
      const stretches = [...forecast(ready, at, at + 120_000, { interventions: one, deviceTimeZone: "UTC" })];
      for (let instant = at; instant < at + 120_000; instant += 3_001) {
        expect(stretches.find(({ from, until }) => from <= instant && instant < until)!.layoutId).toBe(naive(one, instant));
      }
    }),
    { numRuns: 300 },
  );
});
