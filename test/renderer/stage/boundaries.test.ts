// Upcoming stages on the page: each is shown as a whole at its instant, and nothing else is seen.
import { expect, test } from "vitest";
import type { UpcomingStage, Scene, SceneItem, SceneZone, Stage } from "../../../src/protocol/scene.ts";
import { image, slot, stage, video, zone } from "../scenes.ts";
import { colorNames, colorSequence, isNear, readScreen, recordScreen } from "../screen.ts";
import type { DrivenPage } from "../test-browser.ts";
import { poll, useTestBrowser } from "../setup.ts";
import { skipTo } from "../skip.ts";

const long = 600_000;
// The delay allowed on a busy test machine; the benchmarks measure the two frames of an idle one.
const lateMs = 400;

const browser = useTestBrowser();

function stageWith(zones: SceneZone[], about: Partial<Stage> = {}): Stage {
  const { screen } = stage(zones, about);
  if (screen.is !== "stage") throw new Error("no stage was created");
  return screen.stage;
}

/** A stage of one zone with one play. */
function stageOf(item: SceneItem, startsAt: number, about: Partial<Stage> = {}): Stage {
  return stageWith([zone([slot(item, startsAt, long)])], about);
}

function keyOf({ zones }: Stage): string {
  return zones[0]!.slots[0]!.key;
}

function sceneOf(shown: Stage, ...upcoming: UpcomingStage[]): Scene {
  return { screen: { is: "stage", stage: shown }, identify: null, ...(upcoming.length === 0 ? {} : { upcoming }) };
}

/** Draws a stage and waits until it is presented. */
async function show({ server }: DrivenPage, item: SceneItem): Promise<Stage> {
  const shown = stageOf(item, server.now() - 1_000);
  server.draw(sceneOf(shown));
  await presented(server, shown);
  return shown;
}

function presented(server: DrivenPage["server"], of: Stage, from = 0) {
  return server.waitForMessage("presented", ({ key }) => key === keyOf(of), { from });
}

/** The sequence of colours on screen while `act` runs. */
async function colorsOf({ page }: DrivenPage, act: () => Promise<void>): Promise<string[]> {
  const seen = await recordScreen(page, [0.5, 0.5], act);
  return colorSequence(seen);
}

test("[BND5] a stage sent ahead is shown as a whole at its instant, by itself, with nothing in between", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { page, server, time } = opened;
  let shown = await show(opened, image("red.png"));
  let color = "red";
  server.mediaDelayMs = 1_000;
  for (const [name, next] of [
    ["green", image("green.png")],
    ["blue", video("blue.mp4", 5_000)],
    ["yellow", image("yellow.png")],
  ] as const) {
    const at = server.now() + 10_000;
    const upcoming = { at, stage: stageOf(next, at, { background_src: "/media/magenta.png" }) };
    const from = server.messages.length;
    const seen = await colorsOf(opened, async () => {
      server.draw(sceneOf(shown, upcoming));
      await skipTo(opened, at, 2);
      expect(Math.abs((await presented(server, upcoming.stage, from)).at - at)).toBeLessThan(lateMs);
      await time.advance(300);
    });
    expect(seen).toEqual([color, name]);
    // When the player sends it as the current stage, its play continues; a scene from just before changes nothing.
    const reportsBefore = server.messages.length;
    server.draw(sceneOf(shown, upcoming));
    server.draw(sceneOf(upcoming.stage));
    await time.advance(300);
    expect(server.messages.slice(reportsBefore).filter(({ type }) => type === "presented" || type === "failed")).toEqual([]);
    expect(await page.locator(".stage").count()).toBe(1);
    [shown, color] = [upcoming.stage, name];
  }
});

test("[BND5] all zones of an upcoming stage are shown in one frame, in which the previous stage leaves", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { page, server } = opened;
  let shown = await show(opened, image("red.png"));
  await page.evaluate(`{
    window.steps = [];
    const record = () => {
      const layers = [...document.querySelectorAll(".stage")].map((layer) => [layer, ...layer.querySelectorAll(".item")]);
      const seen = layers.map((parts) => parts.map(({ style }) => style.opacity).join()).filter((parts) => parts.startsWith("1,")).join(" ");
      if (steps.at(-1) !== seen) steps.push(seen);
      requestAnimationFrame(record);
    };
    record();
  }`);
  for (let round = 0; round < 5; round += 1) {
    const at = server.now() + 5_000;
    const zones = [0, 320, 640].map((left) => zone([slot(image(`${colorNames[round]}.png`), at, long)], { left, width: 320 }));
    const upcoming = { at, stage: stageWith(zones) };
    server.draw(sceneOf(shown, upcoming));
    await skipTo(opened, at, round === 0 ? 4 : 6);
    await server.waitForMessage("presented", ({ key }) => key === zones[2]!.slots[0]!.key);
    shown = upcoming.stage;
    server.draw(sceneOf(shown));
  }
  // One stage is visible at a time, and never without one of its items.
  const steps = await page.evaluate<string[]>("steps");
  expect(new Set(steps)).toEqual(new Set(["1,1", "1,1,1,1"]));
});

test("[BND6] the previous stage stays, without its next items, until a late upcoming stage is ready", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { server, time } = opened;
  const shown = await show(opened, image("red.png"));
  server.mediaDelayMs = 2_200;
  const at = server.now() + 500;
  const upcoming = { at, stage: stageOf(image("green.png"), at) };
  const seen = await colorsOf(opened, async () => {
    server.draw(sceneOf(shown, upcoming));
    const late = await presented(server, upcoming.stage);
    expect(late.at).toBeGreaterThan(at + 1_000);
    await time.advance(200);
  });
  expect(seen).toEqual(["red", "green"]);
});

test("[BND6] an upcoming stage that is cancelled, changed or due at once leaves nothing behind and is not reported", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { page, server, time } = opened;
  const shown = await show(opened, image("red.png"));
  const at = server.now() + 1_500;
  const [first, second] = [stageOf(image("green.png"), at), stageOf(video("blue.mp4", 5_000), at + 60_000)];
  server.draw(sceneOf(shown, { at, stage: first }));
  await poll(time, () => page.locator(".stage").count()).toBe(2);
  // Another revision: another stage, at a later time.
  server.draw(sceneOf(shown, { at: at + 60_000, stage: second }));
  await poll(time, () => page.locator("video").count()).toBe(1);
  await time.advance(Math.max(0, at + 300 - server.now()));
  expect(isNear((await readScreen(page))(240, 135), "red")).toBe(true);
  // An override: the upcoming stage is due now.
  const early = stageWith(second.zones.map((each) => ({ ...each, slots: [slot(image("yellow.png"), server.now(), long)] })), { key: second.key }); // prettier-ignore
  server.draw(sceneOf(early));
  await presented(server, early);
  expect(isNear((await readScreen(page))(240, 135), "yellow")).toBe(true);
  server.draw(sceneOf(early, { at: server.now() + 60_000, stage: stageOf(image("green.png"), at) }));
  server.draw(sceneOf(early));
  await poll(time, () => page.locator(".item").count()).toBe(1);
  const presentedKeys = server.messages.flatMap((message) => (message.type === "presented" ? message.key : []));
  expect(presentedKeys).toEqual([keyOf(shown), keyOf(early)]);
});

test("[BND15] two stages shortly after each other are both prepared, and each is shown at its instant", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { page, server, time } = opened;
  const shown = await show(opened, image("red.png"));
  server.mediaDelayMs = 1_000;
  const at = server.now() + 2_500;
  const brief = { at, stage: stageOf(image("green.png"), at) };
  // The second one is the current layout with other plays.
  const back = { at: at + 150, stage: stageOf(image("blue.png"), at + 150, { key: shown.key }) };
  const seen = await colorsOf(opened, async () => {
    server.draw(sceneOf(shown, brief, back));
    expect(Math.abs((await presented(server, back.stage)).at - back.at)).toBeLessThan(lateMs);
    await time.advance(200);
  });
  expect(["red,green,blue", "red,blue"]).toContain(seen.join());
  // The player sends them as current stages one after the other, the first when both are over.
  const reportsBefore = server.messages.length;
  server.draw(sceneOf(brief.stage, back));
  server.draw(sceneOf(back.stage));
  await time.advance(300);
  expect(server.messages.slice(reportsBefore).filter(({ type }) => type === "presented" || type === "failed")).toEqual([]);
  expect(await page.locator(".stage").count()).toBe(1);
});

test("[BND16] an upcoming stage whose first item cannot be shown appears at its instant with the next item that can, and never empty", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { server, time } = opened;
  const shown = await show(opened, image("red.png"));
  const at = server.now() + 2_000;
  const slots = [slot(image("broken.png"), at, 3_000), slot(image("green.png"), at + 3_000, long)];
  const upcoming = { at, stage: stageWith([zone(slots)]) };
  const seen = await colorsOf(opened, async () => {
    server.draw(sceneOf(shown, upcoming));
    const early = await server.waitForMessage("presented", ({ item_id }) => item_id === slots[1]!.item.item_id);
    expect(Math.abs(early.at - at)).toBeLessThan(lateMs);
    await time.advance(200);
  });
  expect(seen).toEqual(["red", "green"]);
});

test("[BND17] an upcoming stage that is postponed and then due sooner is shown when it is ready", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { page, server, time } = opened;
  const shown = await show(opened, image("red.png"));
  const at = server.now() + 500;
  const first = stageOf(image("green.png"), at);
  server.draw(sceneOf(shown, { at, stage: first }));
  await poll(time, () => page.locator(".stage").count()).toBe(2);
  // An override postpones it by a minute and is cleared after its first instant.
  const postponed = stageWith([{ ...first.zones[0]!, slots: [slot(image("yellow.png"), at + 60_000, long)] }], { key: first.key });
  server.draw(sceneOf(shown, { at: at + 60_000, stage: postponed }));
  await time.advance(Math.max(0, at + 500 - server.now()));
  server.mediaDelayMs = 1_500;
  const due = stageWith([{ ...first.zones[0]!, slots: [slot(image("blue.png"), server.now(), long)] }], { key: first.key });
  const seen = await colorsOf(opened, async () => {
    server.draw(sceneOf(due));
    await presented(server, due);
    await time.advance(200);
  });
  expect(seen).toEqual(["red", "blue"]);
});

test("[BND7] a page that starts shortly before a boundary, or whose clock is moved forward or back, shows the stage that is due at its time", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { page, server, time } = opened;
  const shown = stageOf(image("red.png"), server.now() - 1_000);
  const at = server.now() + 60_000;
  const upcoming = { at, stage: stageOf(image("green.png"), at) };
  server.draw(sceneOf(shown, upcoming));
  await presented(server, shown);
  const moveTo = async (instant: number): Promise<void> => {
    const from = server.messages.length;
    server.clockOffsetMs += instant - server.now();
    // The page requests the time when it connects.
    server.dropConnections();
    await server.waitForMessage("hello", undefined, { from });
  };
  await moveTo(at + 1_000);
  await presented(server, upcoming.stage);
  const from = server.messages.length;
  // The page receives the scene again before it knows the new time.
  await moveTo(at - 60_000);
  await presented(server, shown, from);
  // A reloaded page receives the scene and has little time left.
  await moveTo(at - 3_000);
  const reloaded = server.messages.length;
  await time.during(page.reload());
  await presented(server, upcoming.stage, reloaded);
  await poll(time, async () => isNear((await readScreen(page))(240, 135), "green")).toBe(true);
});

test("[BND8] a video of the stage that leaves does not restart at its end, and a transition between stages is on time", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { page, server, time } = opened;
  const at = server.now() + 4_000;
  const playing = stageWith([zone([{ ...slot(video("steps.mp4", 6_000), at - 6_000, 6_000) }])], { until: at });
  const transition = { type: "crossfade", duration_ms: 800, easing: "linear", direction: "left" } as const;
  const upcoming = { at, stage: stageOf(image("green.png"), at, { transition }) };
  server.draw(sceneOf(playing, upcoming));
  await presented(server, playing);
  const rounds = `window.rounds = 0; document.querySelector("video").addEventListener("seeking", () => (rounds += 1))`;
  await time.advance(500);
  await page.evaluate(rounds);
  await presented(server, upcoming.stage);
  await poll(time, () => page.evaluate("document.getAnimations().length")).toBe(2);
  const beginsAt = await page.evaluate<number>("document.getAnimations()[0].startTime + performance.timeOrigin");
  expect(Math.abs(beginsAt - at)).toBeLessThan(lateMs);
  expect(await page.evaluate("rounds")).toBe(0);
  await poll(time, () => page.locator(".stage").count()).toBe(1);
});
