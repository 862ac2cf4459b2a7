// Pictures at an interval: when they are taken, which are sent, and what waits while the service is away.
import { join } from "node:path";
import { expect, test } from "vitest";
import { Observable } from "../../../src/base/async/observable.ts";
import { silentLog } from "../../../src/base/log.ts";
import { Outbox } from "../../../src/player/outbox/outbox.ts";
import type { OutboxMessage } from "../../../src/player/outbox/outbox-message.ts";
import type { Capture } from "../../../src/player/host.ts";
import { appearanceOf, looksSame } from "../../../src/player/pictures/appearance.ts";
import { IntervalPictures } from "../../../src/player/pictures/interval.ts";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { desiredOf, newId } from "../../support/states.ts";
import { cameraOf, captureOf } from "./cameras.ts";

const everyS = 60;

function stateWith(screenshots: object | undefined): DesiredState {
  const desired = desiredOf([], []);
  return DesiredState.parse({ ...desired, player: { ...desired.player, ...(screenshots === undefined ? {} : { screenshots }) } });
}

/** Runs the pictures of a player whose screen a test changes. */
async function start(folder: string, screenshots: object | undefined, playerId = newId("plr")) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const desired = new Observable<DesiredState | null>(stateWith(screenshots));
  const outbox = await Outbox.open(join(folder, "outbox"), clock, silentLog);
  const screen = { capture: await captureOf(320, 180), power: "on" as "on" | "off", takenAt: [] as number[] };
  // The deadlines of pictures are on a clock of their own, so that a wait on the other means that no picture is being taken.
  const deadlines = new FakeClock();
  const ofCamera = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    elapsed: () => clock.elapsed(),
    wait: (ms: number, signal?: AbortSignal) => deadlines.wait(ms, signal),
  };
  const camera = cameraOf(ofCamera, {
    capture: async (): Promise<Capture> => {
      screen.takenAt.push(clock.monotonic());
      return screen.capture;
    },
    displayPower: async () => screen.power,
  });
  const startedAt = clock.monotonic();
  const running = new IntervalPictures({ playerId, desired, camera, outbox, clock, log: silentLog }).run(stop.signal);
  running.catch(() => undefined);
  /** Moves the clock second by second, so that each picture has been taken before the next second. */
  const advance = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await eventually(() => clock.pendingWaits === 1);
      clock.advance(1_000);
      await eventually(() => clock.pendingWaits === 1);
    }
  };
  return {
    clock,
    desired,
    outbox,
    screen,
    startedAt,
    advance,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running.catch(() => undefined);
    },
  };
}

/** The messages that the outbox would deliver now. */
async function waiting(outbox: Outbox): Promise<OutboxMessage[]> {
  const messages: OutboxMessage[] = [];
  const end = new AbortController();
  if (outbox.length === 0) return [];
  const deliver = async (message: OutboxMessage): Promise<null> => {
    messages.push(message);
    if (outbox.length <= 1) end.abort();
    return null;
  };
  await outbox.run(deliver, end.signal).catch(() => undefined);
  return messages;
}

test("[PIC6] a player takes pictures at the interval that is set, without a command, and none without an interval", async () => {
  await using folder = await temporaryFolder();
  await using run = await start(folder.path, { every_s: everyS, max_width: 160, only_changed: false });
  await run.advance(everyS);
  expect(run.screen.takenAt).toHaveLength(1);
  const [message] = await waiting(run.outbox);
  if (message?.is !== "screenshot") throw new Error(`queued ${message?.is}`);
  expect(message).toMatchObject({ taken: "interval", headers: { "content-type": "image/jpeg" } });
  expect(message.headers["command-id"]).toBeUndefined();
  await run.advance(2 * everyS);
  const [first, second, third] = run.screen.takenAt;
  expect([second! - first!, third! - second!]).toEqual([everyS * 1_000, everyS * 1_000]);
  run.desired.set(stateWith({ every_s: null }));
  await run.advance(2 * everyS);
  expect(run.screen.takenAt).toHaveLength(3);
  run.desired.set(stateWith({ every_s: 10 }));
  await run.advance(10);
  expect(run.screen.takenAt).toHaveLength(4);
});

test("[PIC6] the players of a fleet take their pictures at different moments of the interval, each always at its own", async () => {
  await using folder = await temporaryFolder();
  const phases: number[] = [];
  for (let player = 0; player < 8; player += 1) {
    const playerId = newId("plr");
    for (let run = 0; run < 2; run += 1) {
      await using running = await start(join(folder.path, `${player}-${run}`), { every_s: everyS }, playerId);
      await running.advance(everyS);
      phases.push(running.screen.takenAt[0]! - running.startedAt);
    }
  }
  const firsts = phases.filter((_, place) => place % 2 === 0);
  expect(phases.filter((_, place) => place % 2 === 1)).toEqual(firsts);
  expect(new Set(firsts).size).toBeGreaterThan(4);
});

test("[PIC7] with only_changed a picture that looks like the one before is not sent; a changed clock is no change, a headline is", async () => {
  await using folder = await temporaryFolder();
  await using run = await start(folder.path, { every_s: everyS, only_changed: true });
  await run.advance(everyS);
  expect(await waiting(run.outbox)).toHaveLength(1);
  await run.advance(2 * everyS);
  expect(run.screen.takenAt).toHaveLength(3);
  expect(await waiting(run.outbox)).toHaveLength(0);
  run.screen.capture = await captureOf(320, 180, "jpeg", [0.2, 0.1]);
  await run.advance(everyS);
  expect(await waiting(run.outbox)).toHaveLength(1);
});

test("[PIC7] compression and the digits of a clock do not count as a change; a line of text and a slow fade do", async () => {
  const text = (content: string, size: number): Buffer =>
    Buffer.from(
      `<svg width="1280" height="720"><rect width="100%" height="100%" fill="#246"/><text x="60" y="120" font-size="${size}" fill="#fff">${content}</text></svg>`,
    );
  const { default: sharp } = await import("sharp");
  const look = async (svg: Buffer, quality = 90) => appearanceOf(await sharp(svg).jpeg({ quality }).toBuffer());
  const clock = await look(text("12:34", 60));
  expect(looksSame(clock, await look(text("12:34", 60), 40))).toBe(true);
  expect(looksSame(clock, await look(text("12:35", 60)))).toBe(true);
  expect(looksSame(clock, await look(text("The museum is closed today", 90)))).toBe(false);
  const faded = Buffer.from(text("12:34", 60).toString().replace("#246", "#468"));
  expect(looksSame(clock, await look(faded))).toBe(false);
});

test("[PIC8] while the display is off no picture is taken at the interval, which continues afterwards", async () => {
  await using folder = await temporaryFolder();
  await using run = await start(folder.path, { every_s: 10, only_changed: false });
  run.screen.power = "off";
  await run.advance(60);
  expect([run.screen.takenAt.length, run.outbox.length]).toEqual([0, 0]);
  run.screen.power = "on";
  await run.advance(10);
  expect(run.screen.takenAt).toHaveLength(1);
});

test("[PIC9] while the service is away only the newest picture of the interval waits, also after a restart; pictures on command stay", async () => {
  await using folder = await temporaryFolder();
  const onCommand = { is: "screenshot", screenshotId: newId("shot"), headers: { "command-id": newId("cmd") }, base64: "AA==" } as const;
  {
    await using run = await start(folder.path, { every_s: 10, only_changed: false });
    await run.outbox.put(onCommand);
    await run.advance(50);
    expect(run.screen.takenAt).toHaveLength(5);
    expect(run.outbox.length).toBe(2);
  }
  await using again = await start(folder.path, { every_s: 10, only_changed: false });
  await again.advance(20);
  const messages = await waiting(again.outbox);
  const newest = new Date(again.clock.now() - (again.clock.monotonic() - again.screen.takenAt.at(-1)!)).toISOString();
  const taken = messages.map((message) => (message.is === "screenshot" ? message.headers["captured-at"] : message.is));
  expect(new Set(taken)).toEqual(new Set([undefined, newest]));
  expect(messages).toHaveLength(2);
});
