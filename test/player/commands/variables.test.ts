// Variables that commands and triggers set on the player: which value applies, for how long, and that it survives a restart.
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
const condition = (name: string, more: object) => ({ conditions: [{ type: "variable", name, ...more }] });
const schedules = [
  schedule(open.id, "2026-01-01T00:00", null, condition("door_open", { value: true })),
  schedule(busy.id, "2026-01-01T00:00", null, { ...condition("queue", { op: "at_least", value: 5 }), priority: 1 }),
];

/** A player whose desired state says that the queue is empty and the door is closed. */
async function openPlayer(folder: string) {
  const clock = new FakeClock(t0);
  const ready = stateWith(schedules, [open, busy], { timezone: "UTC", variables: { door_open: false, queue: 0 } });
  let store = await InterventionStore.open(folder, silentLog);
  let follower = new ScheduleFollower(store, clock, silentLog, "UTC");
  follower.follow(ready, clock.now());
  return {
    clock,
    file: join(folder, "records.json"),
    send(type: PlayCommand["type"], args: object = {}) {
      return follower.apply({ type, args, id: newId("cmd"), ttl_s: 600 } as PlayCommand & { id: string });
    },
    set(variables: object, duration_ms?: number) {
      return this.send("variables.set", { variables, ...(duration_ms === undefined ? {} : { duration_ms }) });
    },
    get shown() {
      const id = follower.follow(ready, clock.now())[0]!.playback.program.layout!.id;
      return id === open.id ? "open" : id === busy.id ? "busy" : "default";
    },
    get changesAt() {
      return follower.follow(ready, clock.now())[0]!.until;
    },
    get variables() {
      return follower.variables();
    },
    get why() {
      return follower.why();
    },
    get interventions() {
      return store.interventions.value;
    },
    async restart() {
      store = await InterventionStore.open(folder, silentLog);
      follower = new ScheduleFollower(store, clock, silentLog, "UTC");
      follower.follow(ready, clock.now());
    },
  };
}

test("[VAR1] a variable that is set on a player applies at once and hides the desired state's value until it is cleared, even across a restart", async () => {
  await using folder = await temporaryFolder();
  const player = await openPlayer(folder.path);
  expect([player.shown, player.variables]).toEqual(["default", { door_open: false, queue: 0 }]);
  expect(await player.set({ door_open: true })).toEqual({ until: null });
  expect([player.shown, player.variables]).toEqual(["open", { door_open: true, queue: 0 }]);
  player.clock.advance(90 * 86_400_000);
  await player.restart();
  expect([player.shown, player.variables["door_open"]]).toEqual(["open", true]);
  await player.set({ queue: 5 });
  expect(player.shown).toBe("busy");
  expect(await player.send("variables.clear", { names: ["queue"] })).toEqual({ ended: 1 });
  expect(player.shown).toBe("open");
  expect(await player.send("variables.clear")).toEqual({ ended: 1 });
  expect([player.shown, player.variables]).toEqual(["default", { door_open: false, queue: 0 }]);
  expect(player.why.find(({ detail }) => detail.includes("door_open"))).toMatchObject({ verdict: "set-aside" });
});

test("[VAR2] a temporary variable ends on time, and then the permanent value applies again; of several values the newest applies", async () => {
  await using folder = await temporaryFolder();
  const player = await openPlayer(folder.path);
  await player.set({ queue: 9 });
  expect(await player.set({ queue: 1, door_open: true }, 20_000)).toEqual({ until: new Date(t0 + 20_000).toISOString() });
  expect([player.shown, player.changesAt]).toEqual(["open", t0 + 20_000]);
  player.clock.advance(19_999);
  await player.restart();
  expect(player.shown).toBe("open");
  player.clock.advance(1);
  expect([player.shown, player.variables]).toEqual(["busy", { door_open: false, queue: 9 }]);
  // A permanent value that is set while a temporary one applies: the newest counts.
  await player.set({ queue: 0 }, 60_000);
  player.clock.advance(1_000);
  await player.set({ queue: 7 });
  expect(player.shown).toBe("busy");
  player.clock.advance(60_000);
  expect(player.variables["queue"]).toBe(7);
});

test("[VAR3] a pause holds the current content, even if variables are set during the pause", async () => {
  await using folder = await temporaryFolder();
  const player = await openPlayer(folder.path);
  await player.set({ door_open: true });
  player.clock.advance(1_000);
  await player.send("pause", { duration_ms: 60_000 });
  for (let n = 0; n < 20; n += 1) {
    player.clock.advance(1_000);
    await player.set({ door_open: n % 2 === 1 });
    await player.restart();
    expect(player.shown).toBe("open");
  }
  await player.set({ door_open: false });
  expect(player.shown).toBe("open");
  await player.send("resume");
  expect(player.shown).toBe("default");
});

test("[VAR4] a busy sensor does not fill the store: unchanged values are not written, ended ones are deleted, overrides stay", async () => {
  await using folder = await temporaryFolder();
  const player = await openPlayer(folder.path);
  await player.send("override.set", { layout_id: busy.id, level: "emergency" });
  for (let n = 0; n < 1_200; n += 1) {
    player.clock.advance(100);
    await player.set({ queue: n }, n % 3 === 0 ? 1_000 : undefined);
  }
  expect(player.interventions.length).toBeLessThanOrEqual(3);
  const { interventions } = player;
  const text = await readFile(player.file, "utf8");
  player.clock.advance(60_000);
  await player.set({ queue: 1_199 });
  expect(player.interventions).toBe(interventions);
  expect(await readFile(player.file, "utf8")).toBe(text);
  expect(player.shown).toBe("busy");
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`v${n}`, n]));
  await expect(player.set(many)).rejects.toMatchObject({ code: "unsupported" });
  await player.send("variables.clear");
  await player.set(many);
  expect(Object.keys(player.variables)).toHaveLength(102);
  // The reported variables fit into a heartbeat.
  await player.set(Object.fromEntries(Object.keys(many).map((name) => [name, "ü".repeat(200)])));
  expect(Buffer.byteLength(JSON.stringify(player.variables))).toBeLessThan(9_000);
});

test("[VAR5] the order in which variables are stored does not matter, and the forecast knows when each ends", () => {
  const anyVariable = fc.record({
    at: fc.integer({ min: t0 - 100_000, max: t0 + 100_000 }),
    length: fc.option(fc.integer({ min: 1, max: 100_000 })),
    isDoor: fc.boolean(),
    value: fc.integer({ min: 0, max: 9 }),
    n: fc.nat(),
  });
  const anyVariables = fc.array(anyVariable, { maxLength: 12 }).map((all) =>
    all.map(({ at, length, isDoor, value, n }, index): Intervention => {
      const about = { is: "variable", id: `cmd_${n}_${index}`, at, until: length === null ? null : at + length } as const;
      return isDoor ? { ...about, name: "door_open", value: value > 4 } : { ...about, name: "queue", value };
    }),
  );
  const shuffled = anyVariables.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
  const ready = stateWith(schedules, [open, busy], { timezone: "UTC", variables: { queue: 0 } });
  // The expected layout, computed in the simplest way: of each name, the newest value that still applies.
  const expectedLayout = (interventions: readonly Intervention[], instant: number): string => {
    const value = { door_open: false as unknown, queue: 0 as unknown };
    const newest = { door_open: "", queue: "" };
    for (const intervention of interventions) {
      if (intervention.is !== "variable" || intervention.at > instant || (intervention.until !== null && intervention.until <= instant))
        continue;
      const name = intervention.name as keyof typeof value;
      const ends = intervention.until === null ? "" : String(9e15 - intervention.until);
      const stamp = `${String(intervention.at).padStart(20, "0")} ${ends.padStart(20, "0")} ${intervention.id}`;
      if (stamp > newest[name]) [newest[name], value[name]] = [stamp, intervention.value];
    }
    return (value.queue as number) >= 5 ? busy.id : value.door_open === true ? open.id : ready.desired.layout!.id;
  };
  fc.assert(
    fc.property(shuffled, fc.integer({ min: t0 - 120_000, max: t0 + 120_000 }), ([one, other], at) => {
      const programOf = (interventions: Intervention[], instant: number) =>
        programAt(ready, instant, { interventions, deviceTimeZone: "UTC" });
      const { program, changesAt } = programOf(one, at);
      expect(programOf(other, at)).toEqual({ program, changesAt });
      expect(changesAt).toBeGreaterThan(at);
      expect(program.layout!.id).toBe(expectedLayout(one, at));
      const intervals = [...forecast(ready, at, at + 120_000, { interventions: one, deviceTimeZone: "UTC" })];
      for (let instant = at; instant < at + 120_000; instant += 3_001) {
        expect(intervals.find(({ from, until }) => from <= instant && instant < until)!.layoutId).toBe(expectedLayout(one, instant));
      }
    }),
    { numRuns: 300 },
  );
});
