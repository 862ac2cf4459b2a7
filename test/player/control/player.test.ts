// Display hours end to end: the real player with a fake display and clock, on a real service over REST.
import { afterAll, beforeAll, expect, test } from "vitest";
import { finalStatuses } from "../../../src/protocol/device/commands.ts";
import type { PlayEventRecord } from "../../../src/protocol/device/play-events.ts";
import { picture, TestService } from "../../service/harness.ts";
import { FakeClock } from "../../support/clock.ts";
import { FakePower } from "../../support/fake-power.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestPlayer } from "../../support/player.ts";
import { eventually } from "../../support/polling.ts";

const minute = 60_000;
const hour = 60 * minute;
const itemMs = 10 * minute;
/** No server listens at this address. */
const nowhere = "http://127.0.0.1:9";

let shared: { folder: Awaited<ReturnType<typeof temporaryFolder>>; service: TestService };
const clock = new FakeClock(Date.UTC(2026, 10, 23, 19, 52));

beforeAll(async () => {
  const folder = await temporaryFolder();
  shared = { folder, service: await TestService.start(folder.path, { clock }) };
});

afterAll(async () => {
  await shared.service[Symbol.asyncDispose]();
  await shared.folder[Symbol.asyncDispose]();
});

/** The time of the day at an instant from now on, such as 20:00. */
function timeIn(ms: number): string {
  return new Date(Math.ceil((clock.now() + ms) / minute) * minute).toISOString().slice(11, 16);
}

/** A paired player that shows two pictures in turn, and a display that the test sees. */
async function createSetup() {
  const { path: folder, [Symbol.asyncDispose]: remove } = await temporaryFolder();
  const { service } = shared;
  const power = new FakePower();
  const start = (server = service.service.url) => new TestPlayer(folder, () => server, clock, { controls: power.controls });
  const player = start();
  const claimed = await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Shop" });
  const playerId = claimed.body.id as string;
  const items: object[] = [];
  for (const size of [8, 9]) {
    const asset_id = (await service.upload(await picture("png", size))).body.id;
    items.push({ type: "image", asset_id, duration_ms: itemMs });
  }
  const { layout } = await service.createLayout(items);
  const change = async (body: object): Promise<void> => {
    const changed = await service.call("PATCH", `players/${playerId}`, body);
    expect([changed.status, changed.body]).toEqual([200, expect.anything()]);
  };
  await change({ layout_id: layout.id, timezone: "UTC" });
  await eventually(() => player.host.presented.length > 0);
  return {
    service,
    power,
    player,
    playerId,
    layout,
    start,
    change,
    /** Opening hours that end and begin after so many ms from now. */
    closed: (from: number, until: number) => change({ display_hours: { open: [{ from: timeIn(until), until: timeIn(from) }] } }),
    async command(type: string, args: object) {
      const sent = await service.call("POST", `players/${playerId}/commands`, { type, args });
      expect(sent.status).toBe(202);
      return eventually(async () => {
        const { body } = await service.call("GET", `players/${playerId}/commands/${sent.body.id}`);
        return finalStatuses.includes(body.status) ? body : null;
      });
    },
    is: (value: "on" | "off") => eventually(() => power.value === value),
    async [Symbol.asyncDispose]() {
      await player.stop();
      await remove();
    },
  };
}

test("[DHR23] a screen turns off at night without network, stays off over a restart, and is on in the morning", async () => {
  await using setup = await createSetup();
  await setup.closed(-minute, 8 * hour);
  await setup.is("off");
  await setup.player.stop();
  setup.power.value = "on";
  await using second = setup.start(nowhere);
  await setup.is("off");
  await second.line("the service is unreachable");
  clock.advance(4 * hour);
  await second.host.sceneThat(({ screen }) => screen.is === "stage");
  expect(setup.power.value).toBe("off");
  clock.advance(4 * hour + minute);
  await setup.is("on");
});

test("[DHR24] the command display.power tells what was asked and read back and until when, and is announced only with a tool", async () => {
  await using setup = await createSetup();
  await setup.closed(hour, 9 * hour);
  const off = await setup.command("display.power", { power: "off" });
  expect(off).toMatchObject({ status: "succeeded", result: { asked: "off", read_back: "off", until: expect.any(String) } });
  expect(Math.abs(Date.parse(off.result.until) - clock.now() - hour)).toBeLessThan(2 * minute);
  expect((await setup.command("display.power", { power: "on", duration_ms: 5_000 })).result).toMatchObject({ read_back: "on" });
  clock.advance(5_000);
  expect(setup.power.value).toBe("on");
  setup.power.error = "the bus is busy";
  expect(await setup.command("display.power", { power: "off" })).toMatchObject({ status: "failed", error: { code: "not-applied" } });
  setup.power.controls.display.power = null;
  expect(await setup.command("display.power", { power: "off" })).toMatchObject({ status: "rejected", error: { code: "unsupported" } });
});

test("[DHR25] an override over REST wakes the display in the night until it ends", async () => {
  await using setup = await createSetup();
  await setup.closed(-minute, 8 * hour);
  await setup.is("off");
  const args = { layout_id: setup.layout.id, duration_ms: 10 * minute };
  expect((await setup.command("override.set", args)).status).toBe("succeeded");
  await setup.is("on");
  clock.advance(10 * minute);
  await setup.is("off");
});

test("[DHR26] after a night off on purpose the report counts its plays as not shown and not as plays, and there is no problem", async () => {
  await using setup = await createSetup();
  const { host, lines } = setup.player;
  const begun = clock.now();
  await setup.closed(5 * minute, 8 * hour + 5 * minute);
  /** While the display is on, the page has to report frames, and shows each item on time. */
  const pass = async (ms: number): Promise<void> => {
    const end = clock.now() + ms;
    while (clock.now() < end) {
      clock.advance(Math.min(end, clock.now() + 10_000, host.nextStart) - clock.now());
      host.presentDue();
      // The player runs in this process: a request is time for it, too.
      await setup.service.call("GET", `players/${setup.playerId}`);
    }
  };
  const dark = async (): Promise<void> => {
    const before = host.presented.length;
    clock.advance(itemMs);
    await eventually(() => {
      host.presentDue();
      return host.presented.length > before;
    });
  };
  await pass(6 * minute);
  await setup.is("off");
  for (let night = 8 * hour - 4 * minute; night > 0; night -= itemMs) await dark();
  // Exchanges with the service during such long steps of the clock leave the player's clock wrong by minutes.
  await pass(itemMs);
  await setup.is("on");
  const problems = await setup.service.call("GET", `players/${setup.playerId}/problems`);
  // The clock's long steps look like a line that was down.
  const codes = (problems.body.data as { code: string }[]).map(({ code }) => code).filter((code) => code !== "connection-impaired");
  expect(codes).toEqual([]);
  await pass(2 * itemMs);
  expect(lines.filter(({ msg }) => /rendering failed|recovering/.test(msg))).toEqual([]);
  const plays = await eventually(async () => {
    await pass(minute);
    const { body } = await setup.service.call("GET", `play-events?player_id=${setup.playerId}&limit=100`);
    const found = (body.data as PlayEventRecord[]).toReversed();
    return found.filter(({ result }) => result === "completed").length > 0 && found.length > 45 ? found : null;
  });
  const notShown = plays.filter(({ result }) => result === "not_shown");
  expect(notShown.length).toBeGreaterThan(40);
  expect(notShown.every(({ reason, duration_ms }) => reason === "display_off" && duration_ms === 0)).toBe(true);
  expect(plays.filter(({ reason }) => reason === "display_off").map(({ result }) => result)[0]).toBe("cut");
  const report = await setup.service.call("GET", `reports/proof-of-play?group_by=player&player_id=${setup.playerId}`);
  const [row] = report.body.data;
  expect(row).toMatchObject({ not_shown: notShown.length, skipped: 0, failed: 0 });
  expect(row.plays).toBe(plays.length - notShown.length);
  // The hours of the night are not time on screen.
  expect(row.duration_ms).toBeLessThan(clock.now() - begun - 8 * hour + 2 * minute);
});

test("[DHR27] a removed player leaves its display on", async () => {
  await using setup = await createSetup();
  await setup.closed(-minute, 8 * hour);
  await setup.is("off");
  expect((await setup.service.call("DELETE", `players/${setup.playerId}`)).status).toBe(204);
  await setup.is("on");
});

test("[RCM11] a recurring command of a player's settings restarts it at its time, once", async () => {
  await using setup = await createSetup();
  await setup.change({ recurring_commands: [{ name: "nightly", command: { type: "restart" }, at: [timeIn(30 * minute)] }] });
  await eventually(() => setup.player.lines.some(({ msg }) => msg === "state applied"));
  await eventually(async () => (await setup.service.call("GET", `players/${setup.playerId}`)).body.in_sync === true);
  clock.advance(31 * minute);
  expect(await setup.player.ended).toBe("restart");
  await using second = setup.start();
  await second.host.sceneThat(({ screen }) => screen.is === "stage");
  const ended = await Promise.race([second.ended, second.line("presented")]);
  expect(ended).toMatchObject({ msg: "presented" });
});
