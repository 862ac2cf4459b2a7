// Exact colours of transitions on a real Chromium: equal pictures stay equal at every step, on every background.
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { SceneItem, SceneZone, Slot } from "../../../src/protocol/scene.ts";
import type { Transition } from "../../../src/protocol/content/transition.ts";
import { image, consecutiveSlots, slot, stage, zone } from "../scenes.ts";
import { readScreen, type Rgb } from "../screen.ts";
import type { DrivenPage } from "../test-browser.ts";
import { poll, useTestBrowser } from "../setup.ts";
import { skipTo } from "../skip.ts";

const display = { width: 960, height: 540 };
const long = 600_000;
// The maximum: enough time to pause it on any machine.
const durationMs = 10_000;
/** The checked steps of a transition: both ends, and uneven steps between them. */
const steps = [0, ...Array.from({ length: 31 }, (_, step) => (step + 0.37) / 31), 0.9999];
const opacity = 128;
const columns = 8;
// Square: rotated by a right angle a zone covers the same area.
const cell = { width: 90, height: 90 };
const pitch = 100;

const browser = useTestBrowser(async (folder) => {
  const plain = (size: { width: number; height: number }, channels: 3 | 4) =>
    sharp({ create: { ...size, channels, background: { r: 128, g: 128, b: 128, alpha: opacity / 255 } } }).png();
  await Promise.all([
    plain(cell, 3).toFile(join(folder, "grey.png")),
    plain(display, 3).toFile(join(folder, "large-grey.png")),
    plain(cell, 4).toFile(join(folder, "transparent.png")),
    sharp(levels(3), { raw: { ...cell, channels: 3 } })
      .png()
      .toFile(join(folder, "levels.png")),
    sharp(levels(4), { raw: { ...cell, channels: 4 } })
      .png()
      .toFile(join(folder, "transparent-levels.png")),
  ]);
});

/** A picture of a cell's size with every level of grey; with a fourth channel each in many opacities. */
function levels(channels: 3 | 4): Buffer {
  const pixels = Array.from({ length: cell.width * cell.height }, (_, pixel) => [pixel % 256, (pixel * 7) % 251]);
  return Buffer.from(pixels.flatMap(([level, alpha]) => [level!, level!, level!, ...(channels === 4 ? [alpha!] : [])]));
}

function moving(type: Transition["type"], about: Partial<Transition> = {}): Transition {
  return { type, duration_ms: durationMs, easing: "linear", direction: "left", ...about };
}

interface Case {
  /** The picture shown before and after; each name counts as a separate file. */
  picture: string;
  background?: string;
  transition: Transition;
  rotation?: number;
  /** How many pixels at its edges may differ, because Chromium smooths them. */
  margin?: number;
}

/** A zone for each case, in a grid; each shows its picture, then the same one by its transition. */
function grid(cases: readonly Case[], from: number): SceneZone[] {
  return cases.map(({ picture, background, transition, rotation }, index) => {
    const slots = pair(stretched(picture), stretched(`${picture}?again`), from);
    slots[1].transition = transition;
    return zone(slots, {
      ...cell,
      left: 5 + (index % columns) * pitch,
      top: 5 + Math.floor(index / columns) * pitch,
      ...(background === undefined ? {} : { background_color: background }),
      ...(rotation === undefined ? {} : { rotation }),
    });
  });
}

function stretched(name: string): SceneItem {
  return { ...(image(name) as Extract<SceneItem, { type: "image" }>), fit: "fill" };
}

function pair(first: SceneItem, next: SceneItem, from: number): [Slot, Slot] {
  return consecutiveSlots(from, [
    [first, 10_000],
    [next, long],
  ]) as [Slot, Slot];
}

/** Pauses every transition; `elements` is the number of animated elements, two for each transition. */
async function pauseTransitions({ page, time }: DrivenPage, elements: number): Promise<void> {
  const count = "new Set(document.getAnimations().map((each) => each.effect.target)).size";
  await poll(time, () => page.evaluate<number>(count)).toBe(elements);
  await page.evaluate("document.getAnimations().forEach((each) => each.pause())");
}

/** Moves every transition to a share of its duration. */
async function stepTo({ page, time }: DrivenPage, share: number): Promise<void> {
  await page.evaluate(`for (const each of document.getAnimations()) each.currentTime = ${share * durationMs};`);
  await time.pass();
}

/** The pixels of the next frame. */
async function picture({ time }: DrivenPage): Promise<Buffer> {
  return await sharp(await time.picture())
    .removeAlpha()
    .raw()
    .toBuffer();
}

/** The largest difference of a level in each of the grid's cells that has one, `margin` pixels of its zone's edges left out. */
function differences(cases: readonly Case[], before: Buffer, after: Buffer): Map<number, number> {
  const worst = new Map<number, number>();
  if (before.equals(after)) return worst;
  for (let at = 0; at < before.length; at++) {
    const difference = Math.abs(before[at]! - after[at]!);
    if (difference === 0) continue;
    const x = Math.floor(at / 3) % display.width;
    const y = Math.floor(at / 3 / display.width);
    const index = Math.floor(y / pitch) * columns + Math.floor(x / pitch);
    const tested = cases[index];
    // Corners of zones rotated by other than a right angle reach into the next cell.
    if (tested === undefined) continue;
    const { margin = 0 } = tested;
    const fromEdge = Math.min(...[x % pitch, y % pitch].map((place) => Math.min(place - 5, 94 - place)));
    if (margin === 0 || fromEdge >= margin) worst.set(index, Math.max(worst.get(index) ?? 0, difference));
  }
  return worst;
}

/** Draws the cases and returns those that differ from the picture before, with the levels and steps. */
async function stepThrough(cases: readonly Case[]): Promise<string[]> {
  await using opened = await browser.openDriven(display.width, display.height);
  const { server } = opened;
  const zones = grid(cases, server.now());
  server.draw(stage(zones));
  for (const { slots } of zones) await server.waitForMessage("presented", ({ key }) => key === slots[0]!.key);
  const before = await picture(opened);
  await skipTo(opened, zones[0]!.slots[1]!.starts_at, 2 * cases.length);
  await pauseTransitions(opened, 2 * cases.length);
  const worst = new Map<number, string>();
  for (const share of steps) {
    await stepTo(opened, share);
    for (const [index, levels] of differences(cases, before, await picture(opened)))
      worst.set(index, `${worst.get(index) ?? JSON.stringify(cases[index])} ${levels}@${share.toFixed(3)}`);
  }
  return [...worst.values()];
}

const backgrounds = [undefined, "#000000", "#ffffff", "#204060", "#7f80ff"];

test("[PIX1] two equal pictures crossfade without a change of one level, on every background, at every step", async () => {
  const easings = ["linear", "ease", "ease-in", "ease-out", "ease-in-out"] as const;
  const cases = backgrounds.flatMap((background, index) => [
    {
      picture: "levels.png",
      transition: moving("crossfade", { easing: easings[index]! }),
      ...(background === undefined ? {} : { background }),
    },
    { picture: "grey.png", transition: moving("zoom", { easing: easings[index]! }), ...(background === undefined ? {} : { background }) },
    { picture: "transparent-levels.png", transition: moving("crossfade"), ...(background === undefined ? {} : { background }) },
  ]);
  expect(await stepThrough(cases)).toEqual([]);
});

test("[PIX2] equal pictures change without a change of one level by every other transition and in rotated zones, inside their edges", async () => {
  const directions = ["left", "right", "up", "down"] as const;
  const cases: Case[] = [
    ...(["slide", "wipe", "push"] as const).flatMap((type) =>
      directions.map((direction) => ({ picture: "grey.png", background: "#204060", transition: moving(type, { direction }) })),
    ),
    ...([90, 180, 270] as const).flatMap((rotation) => [
      { picture: "levels.png", background: "#e0a020", transition: moving("crossfade"), rotation },
      ...(["zoom", "wipe", "push", "slide"] as const).map((type) => ({
        picture: "grey.png",
        background: "#e0a020",
        transition: moving(type),
        rotation,
        margin: 1,
      })),
    ]),
    { picture: "levels.png", background: "#e0a020", transition: moving("crossfade"), rotation: 30, margin: 25 },
    { picture: "grey.png", background: "#e0a020", transition: moving("zoom"), rotation: 30, margin: 25 },
  ];
  expect(await stepThrough(cases)).toEqual([]);
});

test("[PIX3] halfway through a crossfade the picture is the mean of both pictures over the zone's background, transparent areas included", async () => {
  await using opened = await browser.openDriven(display.width, display.height);
  const { server, page } = opened;
  const background: Rgb = [0x20, 0x40, 0x60];
  const over = (rgb: Rgb, alpha: number): Rgb => rgb.map((value, channel) => value * alpha + background[channel]! * (1 - alpha)) as Rgb;
  const slots = pair(image("red.png"), stretched("transparent.png"), server.now());
  slots[1].transition = moving("crossfade");
  server.draw(stage([zone(slots, { background_color: "#204060" })]));
  await skipTo(opened, slots[1].starts_at, 2);
  await pauseTransitions(opened, 2);
  const red: Rgb = [220, 30, 30];
  const transparent = over([128, 128, 128], opacity / 255);
  for (const share of [0.2, 0.5, 0.8, 0.9999]) {
    await stepTo(opened, share);
    const seen = (await readScreen(page))(480, 270);
    const wanted = red.map((value, channel) => value * (1 - share) + transparent[channel]! * share) as Rgb;
    // A level for each of the two roundings and for the 255 steps of the opacity.
    for (const [channel, value] of wanted.entries())
      expect(Math.abs(seen[channel]! - value), `${String(seen)} at ${share}, not ${String(wanted)}`).toBeLessThanOrEqual(2);
  }
});

test("[PIX4] two layouts that look alike change without a change of one level, by every transition", async () => {
  const seen: string[] = [];
  for (const type of ["crossfade", "zoom", "slide", "wipe", "push"] as const) {
    await using opened = await browser.openDriven(display.width, display.height);
    const { server } = opened;
    const createLayout = (again: string) => {
      const play = slot(stretched(`large-grey.png${again}`), server.now() - 100, long);
      return { play, zones: [zone([play], { background_color: "#204060" })] };
    };
    const [first, next] = [createLayout(""), createLayout("?again")];
    server.draw(stage(first.zones, { background_color: "#305070" }));
    await server.waitForMessage("presented", ({ key }) => key === first.play.key);
    const before = await picture(opened);
    server.draw(stage(next.zones, { background_color: "#305070", transition: moving(type, { easing: "ease-in-out" }) }));
    await pauseTransitions(opened, 2);
    for (const share of steps.filter((_, index) => index % 3 === 0)) {
      await stepTo(opened, share);
      const after = await picture(opened);
      if (after.equals(before)) continue;
      const worst = after.reduce((most, level, at) => Math.max(most, Math.abs(level - before[at]!)), 0);
      seen.push(`${type} at ${share.toFixed(3)}: ${worst}`);
    }
  }
  expect(seen).toEqual([]);
});
