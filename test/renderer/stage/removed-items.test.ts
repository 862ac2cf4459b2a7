// Removed items leave in time even if their successor fails; an item that only waits for its successor stays.
import { expect, test } from "vitest";
import type { Scene, SceneItem, Slot } from "../../../src/protocol/scene.ts";
import { image, item, slot, stage, zone } from "../scenes.ts";
import { isNear, readScreen } from "../screen.ts";
import type { DrivenPage } from "../test-browser.ts";
import { poll, useTestBrowser } from "../setup.ts";

const long = 600_000;

const browser = useTestBrowser();

/** A web item that never loads: the test's player reports nothing about its iframe. */
const silentPage = (): SceneItem => item({ type: "web", url: "http://127.0.0.9:9/", zoom: 1, version: "v", refresh_interval_ms: null });

/** A play of an item of a loop; the loop names the item by its id. */
function play(played: SceneItem, startsAt: number, durationMs = long): Slot {
  return { ...slot(played, startsAt, durationMs), of: played.item_id };
}

/** A stage of one zone that plays these slots of a loop. */
function stageOf(slots: Slot[], loop = slots.map(({ of }) => of!)): Scene {
  return stage([zone(slots, { loop })]);
}

/** The same stage with other slots, of another loop. */
function changed({ screen }: Scene, slots: Slot[], loop = slots.map(({ of }) => of!)): Scene {
  if (screen.is !== "stage") throw new Error("no stage was drawn");
  return { screen: { is: "stage", stage: { ...screen.stage, zones: [{ ...screen.stage.zones[0]!, slots, loop }] } }, identify: null };
}

async function isRed({ page }: DrivenPage): Promise<boolean> {
  return isNear((await readScreen(page))(480, 270), "red");
}

test("[REM1] a removed item whose successor never loads leaves within five seconds, and the fallback is shown and reported", async () => {
  await using opened = await browser.openDriven();
  const { server, time } = opened;
  const first = stageOf([play(image("red.png"), server.now())], []);
  server.draw(first);
  await server.waitForMessage("presented");
  const removedAt = server.now();
  server.draw(changed(first, [play(silentPage(), server.now() - 1_000)]));
  // Skips most of the five seconds.
  await poll(time, () => opened.page.locator("iframe").count()).toBe(1);
  await server.advanceTo(removedAt + 4_500);
  const { at } = await server.waitForMessage("fallback");
  expect(at - removedAt).toBeLessThan(5_500);
  await poll(time, () => isRed(opened)).toBe(false);
});

test("[REM1] a removed item leaves at once if no working item follows", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const red = image("red.png");
  const bad = image("missing.png");
  const both = [play(red, server.now(), 5_000), play(bad, server.now() + 5_000)];
  const first = stageOf(both);
  server.draw(first);
  await server.waitForMessage("presented");
  await server.waitForMessage("failed");
  const removedAt = server.now();
  server.draw(changed(first, [play(bad, server.now() - 100)]));
  const { at } = await server.waitForMessage("fallback");
  expect(at - removedAt).toBeLessThan(1_000);
  await poll(time, () => isRed(opened)).toBe(false);
  expect(await page.locator("img").count()).toBe(0);
});

test("[REM2] an item of the loop stays on screen while its successor is slow; so does an item that was removed and added again in time", async () => {
  await using opened = await browser.openDriven();
  const { server } = opened;
  const red = image("red.png");
  const slow = silentPage();
  const first = stageOf([play(red, server.now(), 1_000)]);
  server.draw(first);
  await server.waitForMessage("presented");
  const loop = [red.item_id, slow.item_id];
  // Removed, and added again before its time is over.
  server.draw(changed(first, [play(slow, server.now() + 500)]));
  const following = [play(slow, server.now() + 1_000)];
  server.draw(changed(first, following, loop));
  // Longer than a removed item may stay.
  await server.moveClock(6_000);
  await server.waitForMessage("beat", undefined, { from: server.messages.length });
  expect(await isRed(opened)).toBe(true);
  expect(server.messages.some(({ type }) => type === "fallback")).toBe(false);
});

test("[REM3] a removed item is replaced as soon as another item is ready, before its own time is over", async () => {
  await using opened = await browser.openDriven();
  const { server } = opened;
  const red = image("red.png");
  const bad = image("missing.png");
  const green = image("green.png");
  const both = [play(red, server.now(), 5_000), play(bad, server.now() + 5_000)];
  const first = stageOf(both);
  server.draw(first);
  await server.waitForMessage("presented");
  await server.waitForMessage("failed");
  const removedAt = server.now();
  server.draw(changed(first, [play(bad, removedAt - 100, 60_000), play(green, removedAt + 59_900)]));
  const { at } = await server.waitForMessage("presented", ({ item_id }) => item_id === green.item_id);
  expect(at - removedAt).toBeLessThan(3_000);
});

test("[REM13] five pages in a row that never load delay the next item by seconds, not by the length of their slots, and hardly at all once they are known to fail", async () => {
  await using opened = await browser.openDriven();
  const { server } = opened;
  const bad = Array.from({ length: 5 }, silentPage);
  const rowOf = (first: SceneItem, firstMs: number, last: SceneItem): Slot[] => {
    const startsAt = server.now();
    const gap = startsAt + firstMs;
    return [
      play(first, startsAt, firstMs),
      ...bad.map((each, index) => play(each, gap + index * 6_000, 6_000)),
      play(last, gap + bad.length * 6_000),
    ];
  };
  const [red, green, yellow] = [image("red.png"), image("green.png"), image("yellow.png")];
  const fresh = rowOf(red, 1_000, green);
  const scene = stageOf(fresh);
  server.draw(scene);
  const isNext = server.waitForMessage("presented", ({ item_id }) => item_id === green.item_id);
  const early = await server.speedUp(4, isNext);
  expect(early.at - fresh[0]!.ends_at).toBeLessThan(18_000);
  // They may be tried again now and still fail.
  const from = server.messages.length;
  await server.moveClock(60_000);
  const known = rowOf(yellow, 8_000, red);
  server.draw(changed(scene, known));
  await server.waitForMessage("presented", ({ item_id }) => item_id === yellow.item_id, { from });
  const isLast = server.waitForMessage("presented", ({ item_id }) => item_id === red.item_id, { from });
  const soon = await server.speedUp(4, isLast);
  expect(soon.at - known[0]!.ends_at).toBeLessThan(6_500);
});
