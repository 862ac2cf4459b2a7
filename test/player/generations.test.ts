// The return to the content before: the real player and service with real files; host, machine and clock are fake.
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DurableFile } from "../../src/base/files/durable-file.ts";
import type { Generations } from "../../src/player/content/generations.ts";
import { picture, TestService } from "../service/harness.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { TestPlayer } from "../support/player.ts";
import { eventually } from "../support/polling.ts";

/** A paired player that shows one picture in one zone, and a service. */
async function createSetup() {
  const clock = new FakeClock();
  const cleanup = new AsyncDisposableStack();
  const { path } = cleanup.use(await temporaryFolder());
  const service = cleanup.use(await TestService.start(join(path, "service"), { clock }));
  const folder = join(path, "player");
  const start = (): TestPlayer => new TestPlayer(folder, () => service.service.url, clock);
  const upload = async (size: number): Promise<string> => (await service.upload(await picture("png", size))).body.id as string;
  const itemsOf = (assetId: string) => [{ type: "image", asset_id: assetId, duration_ms: 5_000 }];
  const good = await upload(8);
  const { playlist, layout } = await service.createLayout(itemsOf(good));
  let playerId = "";
  /** Publishes another picture. */
  const publish = async (assetId: string): Promise<void> => {
    expect((await service.call("PATCH", `playlists/${playlist.id}`, { items: itemsOf(assetId) })).status).toBe(200);
  };
  /** Publishes a picture that the page cannot show, and waits until it is due. @returns its asset's id. */
  const publishBroken = async (player: TestPlayer): Promise<string> => {
    const bad = await upload(9);
    player.host.broken.add(bad);
    await publish(bad);
    await untilDue(clock, player, bad);
    return bad;
  };
  return {
    clock,
    service,
    folder,
    start,
    upload,
    good,
    get playerId() {
      return playerId;
    },
    /** Pairs the player and lets it show the picture for a while. */
    async pair(player: TestPlayer): Promise<void> {
      playerId = (await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" })).body.id as string;
      expect((await service.call("PATCH", `players/${playerId}`, { layout_id: layout.id })).status).toBe(200);
      await untilShown(player, good);
      await eventually(async () => {
        tick(clock, player, 5_000);
        return (await stored(folder)).provenZones.length === 1;
      });
    },
    publish,
    publishBroken,
    /** Publishes a picture that the page cannot show, and waits until the first one plays again. @returns its asset's id. */
    async revert(player: TestPlayer): Promise<string> {
      const bad = await publishBroken(player);
      await eventually(() => {
        tick(clock, player, 1_000);
        return shownBy(player) === good;
      });
      return bad;
    },
    /** The player as the service sees it. */
    now: async () => (await service.call("GET", `players/${playerId}`)).body,
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

/** Lets time pass, and the page present what is due. */
function tick(clock: FakeClock, player: TestPlayer, ms: number): void {
  clock.advance(ms);
  player.host.presentDue();
}

/** The asset on the page's first slot. */
function shownBy(player: TestPlayer): string | null {
  const { screen } = player.host.scene ?? {};
  return screen?.is === "stage" ? (screen.stage.zones[0]!.slots[0]?.item.asset_id ?? null) : null;
}

async function untilShown(player: TestPlayer, assetId: string): Promise<void> {
  await eventually(() => shownBy(player) === assetId);
}

/** Waits until the page has a play of `assetId`, then lets the item on screen end. */
async function untilDue(clock: FakeClock, player: TestPlayer, assetId: string): Promise<void> {
  await eventually(() => JSON.stringify(player.host.scene).includes(assetId));
  await eventually(() => {
    if (shownBy(player) === assetId) return true;
    tick(clock, player, 1_000);
    return false;
  });
  player.host.presentDue();
}

async function stored(folder: string): Promise<Generations> {
  const read = await new DurableFile(join(folder, "content/generations.json"), (json) => json as Generations).read();
  if (read.is === "absent") throw new Error("no generations are stored");
  return read.value;
}

test("[GNR7] when new content shows nothing, the content before plays and is reported, also after a restart, until the content changes", async () => {
  await using setup = await createSetup();
  const { clock, folder, good } = setup;
  let bad: string;
  {
    await using player = setup.start();
    await setup.pair(player);
    bad = await setup.revert(player);
    const { plays, newest, previous } = await stored(folder);
    expect([plays, newest!.assets[0]!.id, previous!.assets[0]!.id]).toEqual(["previous", bad, good]);
    const report = await eventually(async () => {
      const seen = await setup.now();
      return seen.problems.some(({ code }: { code: string }) => code === "content-reverted") ? seen : null;
    });
    expect(report).toMatchObject({ in_sync: false, applied_revision: previous!.revision, desired_revision: newest!.revision });
    expect(report.problems[0].detail).toMatch(
      new RegExp(`plays: zone “main” could show none of .*decode: broken.*tried again at .* \\(revision ${newest!.revision}\\)$`),
    );
  }
  await using player = setup.start();
  player.host.broken.add(bad);
  await untilShown(player, good);
  await player.line("connected");
  expect(player.host.scenes.some(({ screen }) => JSON.stringify(screen).includes(bad))).toBe(false);
  const fixed = await setup.upload(10);
  await setup.publish(fixed);
  await untilDue(clock, player, fixed);
  await eventually(async () => {
    tick(clock, player, 1_000);
    const { problems, in_sync } = await setup.now();
    return in_sync === true && problems.length === 0;
  });
});

test("[GNR8] failed content is tried again at its time, and its failure ends once it is shown", async () => {
  await using setup = await createSetup();
  const { clock, folder, good } = setup;
  await using player = setup.start();
  await setup.pair(player);
  const bad = await setup.publishBroken(player);
  /** How long the good picture plays until the bad one is tried again, and waits for that. */
  const minutesUntilBad = async (isRepaired: boolean): Promise<number> => {
    await eventually(async () => {
      tick(clock, player, 1_000);
      return (await stored(folder)).plays === "previous" && shownBy(player) === good;
    });
    const from = clock.now();
    const { retryAt } = (await stored(folder)).failure!;
    clock.advance(retryAt - from - 1_000);
    // The page has the plays of this instant.
    await eventually(() => {
      const { screen } = player.host.scene!;
      return screen.is === "stage" && screen.stage.zones[0]!.slots[0]!.ends_at > clock.now();
    });
    expect(shownBy(player)).toBe(good);
    if (isRepaired) player.host.broken.clear();
    clock.advance(1_000);
    await untilDue(clock, player, bad);
    return (clock.now() - from) / 60_000;
  };
  expect(await minutesUntilBad(false)).toBeCloseTo(15, -1);
  expect(await minutesUntilBad(true)).toBeCloseTo(30, -1);
  await eventually(async () => {
    tick(clock, player, 1_000);
    const { plays, failure } = await stored(folder);
    return plays === "newest" && failure === null;
  });
  expect(shownBy(player)).toBe(bad);
});

test("[GNR9] when new content crashes the browser again and again, the content before it plays at once", async () => {
  await using setup = await createSetup();
  const { clock, folder, good } = setup;
  await using player = setup.start();
  await setup.pair(player);
  const bad = await setup.upload(9);
  await setup.publish(bad);
  await untilDue(clock, player, bad);
  const withheldFrom = player.host.scenes.length;
  for (let from = player.lines.length, count = 0; count < 5; count += 1) {
    player.host.fail({ is: "browser-exited", detail: "out of memory" });
    await player.line("recovering the display", from);
    from = player.lines.findIndex(({ msg }, index) => index >= from && msg === "recovering the display") + 1;
    clock.advance(1_000);
  }
  await untilShown(player, good);
  expect((await stored(folder)).failure).toMatchObject({ fault: { is: "crash", detail: "out of memory" }, count: 1 });
  expect(player.host.scenes.slice(withheldFrom).some(({ screen }) => screen.is === "stage")).toBe(true);
  await eventually(async () => {
    const { problems } = await setup.now();
    return problems.length === 1 && problems[0].code === "content-reverted";
  });
});

test("[GNR10] failed content is tried again as soon as a damaged file of it is here again", async () => {
  await using setup = await createSetup();
  const { clock, folder, service } = setup;
  await using player = setup.start();
  await setup.pair(player);
  const bad = await setup.revert(player);
  player.host.broken.clear();
  const { sha256 } = (await service.call("GET", `assets/${bad}`)).body;
  await writeFile(join(folder, "content", sha256), "damaged");
  // The background verification finds the damage long before the next try.
  await eventually(() => {
    if (shownBy(player) === bad) return true;
    tick(clock, player, 5_000);
    return false;
  });
  const { failure } = await stored(folder);
  expect(failure === null || clock.now() < failure.retryAt).toBe(true);
});

test("[GNR11] an override keeps its content although a zone of it is empty", async () => {
  await using setup = await createSetup();
  const { clock, folder, service } = setup;
  await using player = setup.start();
  await setup.pair(player);
  const bad = await setup.upload(9);
  player.host.broken.add(bad);
  const args = { asset_id: bad };
  expect((await service.call("POST", `players/${setup.playerId}/commands`, { type: "override.set", args })).status).toBe(202);
  await untilShown(player, bad);
  for (let seconds = 0; seconds < 60; seconds += 1) tick(clock, player, 1_000);
  await eventually(async () => {
    tick(clock, player, 1_000);
    return (await setup.now()).problems.some(({ code }: { code: string }) => code === "zone-empty");
  });
  expect([shownBy(player), (await stored(folder)).plays]).toEqual([bad, "newest"]);
});

test("[GNR12] after a restart during a download the last complete content plays", async () => {
  await using setup = await createSetup();
  const { good, service } = setup;
  {
    await using player = setup.start();
    await setup.pair(player);
  }
  const next = await setup.upload(9);
  await setup.publish(next);
  const { sha256 } = (await service.call("GET", `assets/${next}`)).body;
  const { folder } = setup;
  const desired = new DurableFile(join(folder, "desired.json"), (json) => json as { revision: string });
  // The player has received the new state and stopped before it had the file.
  const response = await desired.read();
  const received = response.is === "found" ? response.value : null;
  await desired.write(
    JSON.parse(
      JSON.stringify(received)
        .replaceAll(good, next)
        .replaceAll(/"revision":"[^"]*"/g, '"revision":"next"'),
    ),
  );
  await using player = new TestPlayer(folder, () => "http://127.0.0.1:9", setup.clock);
  await untilShown(player, good);
  await player.line("the service is unreachable");
  expect(await readdir(join(folder, "content"))).not.toContain(sha256);
  expect(player.host.scenes.every(({ screen }) => screen.is === "starting" || screen.is === "stage")).toBe(true);
});

test("[GNR13] a revocation removes both states and their files", async () => {
  await using setup = await createSetup();
  await using player = setup.start();
  await setup.pair(player);
  await setup.revert(player);
  const from = player.host.scenes.length;
  expect((await setup.service.call("DELETE", `players/${setup.playerId}`)).status).toBe(204);
  await player.pairingCode(from);
  expect(await readdir(join(setup.folder, "content"))).toEqual([]);
});

test("[GNR15] a damaged or deleted record of the complete states, or received state, leaves the content on the screen", async () => {
  await using setup = await createSetup();
  const { clock, folder, good } = setup;
  const record = join(folder, "content/generations.json");
  const received = join(folder, "desired.json");
  {
    await using player = setup.start();
    await setup.pair(player);
    for (const path of [record, `${record}.previous`]) await rm(path, { force: true });
    await eventually(() => {
      tick(clock, player, 1_000);
      return stored(folder).catch(() => null);
    });
  }
  for (const file of [record, received]) {
    for (const path of [file, `${file}.previous`]) await writeFile(path, "damaged");
    await using player = new TestPlayer(folder, () => "http://127.0.0.1:9", clock);
    await untilShown(player, good);
    await player.line("the service is unreachable");
    expect(player.host.scenes.every(({ screen }) => screen.is === "starting" || screen.is === "stage")).toBe(true);
    expect(player.lines.some(({ msg }) => msg.startsWith("a file is damaged or missing"))).toBe(true);
    // What is complete is recorded again.
    await eventually(async () => (await stored(folder).catch(() => null))?.newest?.assets[0]!.id === good);
  }
});
