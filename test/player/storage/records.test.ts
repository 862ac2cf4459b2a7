// What the player stores, it reads again: every kind of record with a time in it, written and read with the clocks of broken machines.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { DurableFile } from "../../../src/base/files/durable-file.ts";
import { silentLog } from "../../../src/base/log.ts";
import { CommandJournal } from "../../../src/player/commands/command-journal.ts";
import { GenerationStore } from "../../../src/player/content/generation-store.ts";
import { completed, failed } from "../../../src/player/content/generations.ts";
import { AskedSettingsStore } from "../../../src/player/control/asked-settings.ts";
import { RecurringMarks } from "../../../src/player/control/recurring-marks.ts";
import { readKnownTime, storeKnownTime } from "../../../src/player/link/known-time.ts";
import { Outbox } from "../../../src/player/outbox/outbox.ts";
import { InterventionStore } from "../../../src/player/playback/intervention-store.ts";
import { ProblemRecorder } from "../../../src/player/proof/problem-recorder.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { StoredValue } from "../../../src/player/storage/stored-value.ts";
import { Restarts } from "../../../src/player/surface/restarts.ts";
import { LauncherFiles } from "../../../src/player/update/launcher-files.ts";
import { createProblem } from "../../../src/protocol/device/player-problems.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { fakeMachine } from "../../support/player.ts";
import { desiredOf, newId } from "../../support/states.ts";

interface Machine {
  folder: string;
  fake: FakeClock;
  clock: CorrectedClock;
  disk: DiskHealth;
}

const healthy = { unwritten: [], unread: [], damaged: [], lost: [], refused: [] };
const day = 86_400_000;
const serviceKey = "A".repeat(43);

/** Writes a kind of record at one instant, moves the clocks, and writes it again. @returns what is stored, before and after opening it anew. */
const kinds: Record<string, (machine: Machine, move: () => void) => Promise<[unknown, unknown]>> = {
  "problems and messages": async ({ folder, clock, disk }, move) => {
    const open = async () => {
      const outbox = await Outbox.open(join(folder, "outbox"), clock, silentLog, disk);
      return { outbox, recorder: await ProblemRecorder.open({ folder, clock, outbox, disk }) };
    };
    const first = await open();
    await first.recorder.record([createProblem("disk-low", clock.now())]);
    move();
    await first.recorder.record([]);
    const again = await open();
    await again.recorder.record([]);
    return [first.outbox.length, again.outbox.length];
  },
  "overrides, skips, pauses and variables": async ({ folder, clock, disk }, move) => {
    const open = () => InterventionStore.open(folder, silentLog, disk);
    const store = await open();
    const at = clock.now();
    const id = newId("cmd");
    await store.add([{ is: "override", id, at, until: null, level: "normal", show: { layoutId: newId("lay") } }], at);
    await store.add([{ is: "variable", id, at, until: at + day, name: "door", value: true }], at);
    move();
    await store.replace((each) => each.is === "override", [{ is: "pause", id, at: clock.now(), until: clock.now() + day }], clock.now());
    return [store.interventions.value, (await open()).interventions.value];
  },
  "the states of the content": async ({ folder, clock, disk }, move) => {
    const open = () => GenerationStore.open(folder, silentLog, disk);
    const store = await open();
    await store.set(completed(store.value, desiredOf([], [], "r1"), false, clock.now()));
    move();
    await store.set(failed(store.value, { is: "crash", detail: "it crashed" }, clock.now()));
    return [store.value, (await open()).value];
  },
  "the journal of commands": async ({ folder, clock, disk }, move) => {
    const dependencies = { folder, serviceKey, clock, log: silentLog, disk };
    await CommandJournal.create(dependencies);
    const journal = await CommandJournal.open(dependencies);
    const id = newId("cmd");
    const entry = { id, type: "ping", issuedAt: clock.now(), at: clock.now(), startedAt: clock.now() };
    await journal.record({ ...entry, update: { status: "running", result: null, error: null } });
    move();
    const ended = newId("cmd");
    await journal.record({ ...entry, id: ended, at: clock.now(), update: { status: "succeeded", result: null, error: null } });
    const again = await CommandJournal.open(dependencies);
    return [[id, ended].map((each) => journal.get(each)), [id, ended].map((each) => again.get(each))];
  },
  "the marks of recurring commands": async ({ folder, clock, disk }, move) => {
    const open = () => RecurringMarks.open(folder, disk);
    const marks = await open();
    const commands = [{ name: "reboot", of: "daily" }];
    await marks.settledUntil(commands, clock.now());
    move();
    await marks.record("reboot", "reboot", clock.now(), clock.now());
    // Far enough in the future of every mark that none counts as one of a wrong time.
    const end = Number.MAX_SAFE_INTEGER;
    return [await marks.settledUntil(commands, end), await (await open()).settledUntil(commands, end)];
  },
  "what was asked of the machine": async ({ folder, clock, disk }, move) => {
    const open = () => AskedSettingsStore.open(folder, disk);
    const store = await open();
    await store.change({ power: { value: "on", at: clock.now(), until: clock.now() + day } });
    move();
    await store.change({ power: { value: "off", at: clock.now(), until: null }, volume: 40 });
    return [store.settings.value, (await open()).settings.value];
  },
  "the restarts of the recovery": async ({ folder, clock, disk }, move) => {
    const machine = { ...fakeMachine(), run: { id: "run", ageMs: () => clock.monotonic() } };
    const open = () => Restarts.open({ folder, machine, clock, disk, restartPlayer: () => undefined });
    const restarts = await open();
    await restarts.record("restart-player", 5);
    move();
    await restarts.record("restart-machine", 5);
    // To the microsecond: the ages are differences.
    const rounded = ({ attempts }: Restarts) => attempts.map((each) => ({ ...each, at: each.at.toFixed(3) }));
    return [rounded(restarts), rounded(await open())];
  },
  "the known time": async ({ folder, fake, clock }, move) => {
    clock.learn({ t0: clock.raw(), t1: clock.now(), t2: clock.now(), t3: clock.raw(), isAuthenticated: true });
    const end = new AbortController();
    const storing = expect(storeKnownTime(folder, clock, silentLog, end.signal)).rejects.toMatchObject({ name: "AbortError" });
    fake.advance(60_000);
    await expect.poll(() => fake.pendingWaits, { interval: 1 }).toBe(1);
    end.abort();
    await storing;
    const stored = Number(/"time_ms":(\d+)/.exec(await readFile(join(folder, "known-time.json"), "utf8"))![1]);
    move();
    return [Math.max(stored, Date.UTC(2025, 0, 1)), await readKnownTime(folder, folder, silentLog)];
  },
  "requests to the launcher": async ({ folder, clock }, move) => {
    const files = new LauncherFiles(join(folder, "status.json"), folder, silentLog);
    await files.writeRequest("program", "1.0.0", clock.now());
    move();
    const request = await files.writeRequest("browser", "1.1.0", clock.now());
    return [request, await files.readRequest()];
  },
};

test.each(Object.keys(kinds))("[RCO5] whatever the clocks do, %s are read again as they were written", async (kind) => {
  const year = 365.25 * day;
  const walls = fc.constantFrom(Date.UTC(1901, 0), -0.5, 0, Date.UTC(2026, 10, 28) + 0.25, Date.UTC(2262, 0), 8.64e15);
  const steps = fc.constantFrom(-300 * year, -2 * year, -3_600_000.5, 0, 0.25, 2 * year, 300 * year);
  const property = fc.asyncProperty(walls, fc.constantFrom(0, 0.1, 1e12), steps, fc.constantFrom(0, 0.5, 40 * day), run);
  async function run(wall: number, monotonic: number, step: number, passing: number): Promise<void> {
    await using folder = await temporaryFolder();
    const fake = new FakeClock(wall, monotonic);
    const machine = { folder: folder.path, fake, clock: new CorrectedClock(fake), disk: new DiskHealth(silentLog) };
    const [written, read] = await kinds[kind]!(machine, () => {
      fake.advance(passing);
      fake.step(step);
    });
    expect(read).toEqual(written);
    expect(machine.disk.condition).toEqual(healthy);
  }
  await fc.assert(property, { numRuns: 25 });
});

test("[RCO3] a value that could not be read again is not written: the file keeps what it has, and the fault names the field", async () => {
  await using folder = await temporaryFolder();
  const parse = (json: unknown): { since: number } => {
    const { since } = json as { since: unknown };
    if (typeof since !== "number") throw new TypeError("since: must be a number");
    return { since };
  };
  const file = new DurableFile(join(folder.path, "value.json"), parse);
  await file.write({ since: 1 });
  const fault = { code: "record-unreadable", message: "value.json: since: must be a number" };
  await expect(file.write({ since: Number.NaN })).rejects.toMatchObject(fault);
  expect(await file.read()).toEqual({ is: "found", value: { since: 1 }, isRecovered: false });

  // In the player it is a problem, and the value in memory goes on.
  const disk = new DiskHealth(silentLog);
  const stored = await StoredValue.open(file, disk, "it is lost");
  await stored.set({ since: Number.POSITIVE_INFINITY });
  expect(stored.value).toEqual({ since: Number.POSITIVE_INFINITY });
  expect(disk.condition).toEqual({ ...healthy, refused: [{ what: "value.json", reason: fault.message }] });
  await stored.set({ since: 2 });
  expect(await file.read()).toEqual({ is: "found", value: { since: 2 }, isRecovered: false });
});
