// Transitions on a real Chromium: the picture midway, their start and end, and their replacement by cuts.
import { expect, test } from "vitest";
import type { SceneItem, Slot } from "../../../src/protocol/scene.ts";
import type { Transition } from "../../../src/protocol/content/transition.ts";
import { image, consecutiveSlots, stage, text, video, zone } from "../scenes.ts";
import { colors, isNear, readScreen, type Rgb } from "../screen.ts";
import type { DrivenPage } from "../test-browser.ts";
import { poll, useTestBrowser } from "../setup.ts";
import { skipTo } from "../skip.ts";

const browser = useTestBrowser();

const long = 600_000;
// The maximum: enough time to pause it midway on any machine.
const durationMs = 10_000;

function moving(type: Transition["type"], about: Partial<Transition> = {}): Transition {
  return { type, duration_ms: durationMs, easing: "linear", direction: "left", ...about };
}

/** Two slots: `first`, then `next` with `transition`. */
function pair(opened: DrivenPage, first: SceneItem, next: SceneItem, transition: Transition): [Slot, Slot] {
  const slots = consecutiveSlots(opened.server.now() - 100, [
    [first, 5_000],
    [next, long],
  ]) as [Slot, Slot];
  slots[1].transition = transition;
  return slots;
}

const running = "document.getAnimations().length";

/** Draws the pair and pauses the transition midway; the page still ends it when its time is over. */
async function halfway(opened: DrivenPage, slots: [Slot, Slot]): Promise<(x: number, y: number) => Rgb> {
  const { page, server } = opened;
  server.draw(stage([zone(slots)]));
  await transitionTo(opened, slots[1]);
  await stopHalfway(opened);
  return readScreen(page);
}

/** Skips the time until the second item's transition begins, and waits until that item is presented. */
async function transitionTo(opened: DrivenPage, { key, starts_at }: Slot) {
  await skipTo(opened, starts_at, 2);
  return opened.server.waitForMessage("presented", (message) => message.key === key);
}

async function stopHalfway({ page, time }: DrivenPage, ofMs = durationMs): Promise<void> {
  await poll(time, () => page.evaluate<number>(running)).toBe(2);
  await page.evaluate(`for (const a of document.getAnimations()) { a.pause(); a.currentTime = ${ofMs / 2}; }`);
  await time.pass();
}

const red = colors.red as Rgb;
const green = colors.green as Rgb;
const between = red.map((value, channel) => Math.round((value + green[channel]!) / 2)) as Rgb;
const left: [number, number] = [100, 270];
const right: [number, number] = [860, 270];
const top: [number, number] = [480, 60];
const bottom: [number, number] = [480, 480];

test.for<[Transition["type"], Transition["direction"], [number, number], Rgb, [number, number], Rgb]>([
  ["crossfade", "left", left, between, right, between],
  ["zoom", "left", left, between, right, between],
  ["wipe", "left", left, red, right, green],
  ["wipe", "down", top, green, bottom, red],
  ["slide", "left", left, red, right, green],
  ["slide", "right", left, green, right, red],
  ["push", "up", top, red, bottom, green],
  ["push", "right", left, green, right, red],
])("[TRA1] halfway through a %s to the %s both pictures are in their places", async ([type, direction, one, first, other, second]) => {
  await using opened = await browser.openDriven();
  const at = await halfway(opened, pair(opened, image("red.png"), image("green.png"), moving(type, { direction })));
  expect(isNear(at(...one), first), `${String(at(...one))}, not ${String(first)}`).toBe(true);
  expect(isNear(at(...other), second), `${String(at(...other))}, not ${String(second)}`).toBe(true);
});

test("[TRA2] a push moves the old picture out, a slide covers it in its place", async () => {
  const words = (label: string, background: string): SceneItem => text(label, background, { size: 60 });
  const boxOf = async (type: Transition["type"]): Promise<number[]> => {
    await using opened = await browser.openDriven();
    await halfway(opened, pair(opened, words("old", "#803020"), words("new", "#205080"), moving(type)));
    return await opened.page.evaluate<number[]>(
      '[...document.querySelectorAll(".item")].map((item) => Math.round(item.getBoundingClientRect().left))',
    );
  };
  const [oldPushed, newPushed] = await boxOf("push");
  expect(Math.abs(oldPushed! + 480)).toBeLessThanOrEqual(2);
  expect(Math.abs(newPushed! - 480)).toBeLessThanOrEqual(2);
  const [oldCovered, newCovering] = await boxOf("slide");
  expect(oldCovered).toBe(0);
  expect(Math.abs(newCovering! - 480)).toBeLessThanOrEqual(2);
});

test("[TRA3] the colours of both pictures are added up: equal colours do not change, and areas that the new picture leaves free fade as well", async () => {
  await using opened = await browser.openDriven(960, 540);
  // A picture of 640x360 contained in 480x540 has bars above and below, which show the background.
  const whole = (name: string): SceneItem => ({ ...(image(name) as Extract<SceneItem, { type: "image" }>), fit: "contain" });
  const slots = pair(opened, image("red.png"), whole("red.png"), moving("crossfade"));
  const { page, server } = opened;
  server.draw(stage([zone(slots, { width: 480 })], { background_color: "#000000" }));
  await transitionTo(opened, slots[1]);
  await stopHalfway(opened);
  const at = await readScreen(page);
  expect(isNear(at(240, 270), "red", 4), String(at(240, 270))).toBe(true);
  expect(isNear(at(240, 30), red.map((value) => value / 2) as Rgb, 6), String(at(240, 30))).toBe(true);
});

test("[TRA4] a transition follows the clock from its slot's start, both items play during it, and one remains", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  await server.moveClock(7_200_000);
  const slots = pair(opened, video("blue.mp4", 5_000), video("steps.mp4", 6_000), moving("crossfade", { duration_ms: 5_000 }));
  server.draw(stage([zone(slots)]));
  const { at } = await transitionTo(opened, slots[1]);
  const places = 'JSON.stringify([...document.querySelectorAll("video")].map((video) => video.currentTime))';
  const before = JSON.parse(await page.evaluate<string>(places)) as number[];
  const [startedAt, total] = await page.evaluate<[number, number]>(
    "document.getAnimations().map((a) => [a.startTime + performance.timeOrigin, a.effect.getTiming().duration])[0]",
  );
  const offset = slots[1].starts_at - server.clockOffsetMs - startedAt;
  // By the timeline if the play was on time; by its first frame if this machine was late.
  if (at - slots[1].starts_at < 40) expect(Math.abs(offset)).toBeLessThan(25);
  else expect(offset).toBeLessThan(25);
  expect(total).toBe(5_000);
  await poll(time, async () =>
    (JSON.parse(await page.evaluate<string>(places)) as number[]).map((place, index) => place > before[index]!),
  ).toEqual([true, true]);
  await poll(time, () => page.locator(".item").count()).toBe(1);
  expect(await page.evaluate<number>(running)).toBe(0);
});

test("[TRA5] a transition takes at most half of its item's own time", async () => {
  await using opened = await browser.openDriven();
  const { page, server } = opened;
  const slots = consecutiveSlots(server.now() - 100, [
    [image("red.png"), 1_000],
    [image("green.png"), 6_000],
    [image("blue.png"), long],
  ]);
  for (const slot of slots) slot.transition = moving("wipe");
  server.draw(stage([zone(slots)]));
  await server.waitForMessage("presented", ({ key }) => key === slots[1]!.key);
  const total = await page.evaluate<number>("document.getAnimations()[0].effect.getTiming().duration");
  expect(total).toBeLessThanOrEqual(3_000);
  expect(total).toBeGreaterThan(1_000);
});

test("[TRA6] with reduced motion a transition is a short crossfade", async () => {
  await using opened = await browser.openDriven();
  const { page, server } = opened;
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.evaluate(`
    window.moves = [];
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, timing) { moves.push([JSON.stringify(frames), timing.duration]); return animate.call(this, frames, timing); };
  `);
  const slots = pair(opened, image("red.png"), image("green.png"), moving("push"));
  server.draw(stage([zone(slots)]));
  await transitionTo(opened, slots[1]);
  const moves = await page.evaluate<[string, number][]>("moves");
  expect(moves).toHaveLength(2);
  for (const [frames, total] of moves) {
    expect(frames).not.toMatch(/transform|clipPath/);
    expect(total).toBe(300);
  }
  await page.emulateMedia({ reducedMotion: null });
});

test("[TRA7] after three transitions in a row with less than 18 frames a second transitions are cuts, which is reported once", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  await page.evaluate(`
    window.animations = 0;
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...given) { animations += 1; return animate.apply(this, given); };
  `);
  // A display with six frames a second.
  time.frameMs = 165;
  const names = ["red.png", "green.png"];
  const slots = consecutiveSlots(
    server.now(),
    Array.from({ length: 6 }, (_, turn): [SceneItem, number] => [image(names[turn % 2]!), turn === 5 ? long : 2_000]),
  );
  for (const slot of slots) slot.transition = moving("slide", { duration_ms: 800 });
  server.draw(stage([zone(slots)]));
  const { frames_per_second } = await server.waitForMessage("simplified");
  expect(frames_per_second).toBeLessThan(18);
  await server.waitForMessage("presented", ({ key }) => key === slots[5]!.key);
  // The first item has no transition, three have one with two animations each, the rest are cuts.
  expect(await page.evaluate<number>("animations")).toBe(6);
  expect(server.messages.filter(({ type }) => type === "simplified")).toHaveLength(1);
});

test("[TRA8] a layout is shown by its transition, both layouts play during it, and the old one is disposed of", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  server.draw(stage([zone(consecutiveSlots(server.now(), [[video("blue.mp4", 5_000), long]]))]));
  await server.waitForMessage("presented");
  const slots = consecutiveSlots(server.now(), [[image("green.png"), long]]);
  server.draw(stage([zone(slots, { width: 700 })], { transition: moving("wipe", { duration_ms: 5_000 }) }));
  await server.waitForMessage("presented", ({ key }) => key === slots[0]!.key);
  await stopHalfway(opened, 5_000);
  const at = await readScreen(page);
  expect(isNear(at(100, 270), "blue"), String(at(100, 270))).toBe(true);
  expect(isNear(at(600, 270), "green"), String(at(600, 270))).toBe(true);
  expect(isNear(at(860, 270), [0x10, 0x20, 0x30]), String(at(860, 270))).toBe(true);
  await poll(time, () => page.locator(".layer").count()).toBe(1);
  const after = await readScreen(page);
  expect(isNear(after(100, 270), "green")).toBe(true);
});
