// The positions of items of every kind: rotated with the display or with their zone, and in their z-order.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { Rotation } from "../../../src/protocol/content/orientation.ts";
import type { Scene, SceneItem } from "../../../src/protocol/scene.ts";
import { pdfOf } from "../../support/media/pdf.ts";
import { clockFace, image, item as itemOf, consecutiveSlots, stage, text, video, zone } from "../scenes.ts";
import { isNear, readScreen, type Rgb } from "../screen.ts";
import type { OpenedPage } from "../test-browser.ts";
import { useTestBrowser } from "../setup.ts";

const long = 600_000;
const screen = { width: 960, height: 540 };
const background: Rgb = [16, 32, 48];

// A picture of 400x200 whose corners and edges show its orientation.
const markers = {
  topLeft: [220, 30, 30],
  topRight: [30, 180, 60],
  bottomLeft: [30, 60, 220],
  bottomRight: [230, 210, 30],
  top: [30, 200, 200],
  bottom: [200, 40, 200],
  rest: [128, 128, 128],
} as const satisfies Record<string, Rgb>;
type Marker = keyof typeof markers;
const markerSize = 60;

const browser = useTestBrowser(async (folder) => {
  const place = (name: Marker, left: number, top: number) => {
    const [r, g, b] = markers[name];
    return { input: { create: { width: markerSize, height: markerSize, channels: 3 as const, background: { r, g, b } } }, left, top };
  };
  const corners = [
    place("topLeft", 0, 0),
    place("topRight", 340, 0),
    place("bottomLeft", 0, 140),
    place("bottomRight", 340, 140),
    place("top", 170, 0),
    place("bottom", 170, 140),
  ];
  const picture = join(folder, "marked.png");
  const [r, g, b] = markers.rest;
  await sharp({ create: { width: 400, height: 200, channels: 3, background: { r, g, b } } })
    .composite(corners)
    .png()
    .toFile(picture);
  // Larger than any zone here: the worker scales it down.
  await sharp(picture).resize(4_000, 2_000, { kernel: "nearest" }).png().toFile(join(folder, "marked-large.png"));
  const boxes = corners.map(({ input, left: x, top: y }) => {
    const { r: red, g: green, b: blue } = input.create.background;
    return `<rect x="${x}" y="${y}" width="${markerSize}" height="${markerSize}" fill="rgb(${red},${green},${blue})"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200" viewBox="0 0 400 200"><rect width="400" height="200" fill="rgb(${r},${g},${b})"/>${boxes.join("")}</svg>`;
  await writeFile(join(folder, "marked.svg"), svg);
  await writeFile(join(folder, "page.pdf"), pdfOf([markers.bottomLeft]));
  const coding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-t", "3", "-r", "15"];
  const tagged = ["-vf", "scale=out_color_matrix=bt709", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"];
  await promisify(execFile)("ffmpeg", ["-v", "error", "-loop", "1", "-i", picture, ...tagged, ...coding, join(folder, "marked.mp4")]);
});

type Point = [number, number];

/** Converts layout pixels into pixels of a display rotated clockwise. */
function onScreen([x, y]: Point, rotation: Rotation): Point {
  switch (rotation) {
    case 0:
      return [x, y];
    case 90:
      return [screen.width - y, x];
    case 180:
      return [screen.width - x, screen.height - y];
    case 270:
      return [y, screen.height - x];
  }
}

/** A point of a square box that is rotated clockwise about its centre. */
function turned([x, y]: Point, [left, top, size]: [number, number, number], degrees: number): Point {
  const angle = (degrees * Math.PI) / 180;
  const [dx, dy] = [x - size / 2, y - size / 2];
  return [left + size / 2 + dx * Math.cos(angle) - dy * Math.sin(angle), top + size / 2 + dx * Math.sin(angle) + dy * Math.cos(angle)];
}

const size = 200;
/** The markers at points of a square zone of 200, by fit. */
const wanted: Record<"contain" | "cover" | "fill", [Point, Marker | "background"][]> = {
  contain: [
    [[12, 62], "topLeft"],
    [[188, 62], "topRight"],
    [[12, 138], "bottomLeft"],
    [[188, 138], "bottomRight"],
    [[100, 62], "top"],
    [[100, 138], "bottom"],
    [[100, 30], "background"],
    [[100, 170], "background"],
  ],
  cover: [
    [[12, 12], "rest"],
    [[188, 188], "rest"],
    [[100, 25], "top"],
    [[100, 175], "bottom"],
  ],
  fill: [
    [[12, 25], "topLeft"],
    [[188, 25], "topRight"],
    [[12, 175], "bottomLeft"],
    [[188, 175], "bottomRight"],
    [[100, 25], "top"],
    [[100, 175], "bottom"],
  ],
};

const rotations: Rotation[] = [0, 90, 180, 270];
const fits = ["contain", "cover", "fill"] as const;

const turnedFits = rotations.flatMap((rotation) => fits.map((fit) => [rotation, fit] as const));

test.for(turnedFits)(
  "[ZON1] rotated by %i degrees with the display and again with the zone, a picture and a video with fit %s are in their places",
  async ([rotation, fit]) => {
    const opened = await browser.shared(screen.width, screen.height);
    await expectMarkersInPlace(opened, [image("marked.png"), video("marked.mp4", 3_000)], rotation, fit);
  },
);

test.for(turnedFits)(
  "[PIX15] rotated by %i degrees likewise, a drawing and a scaled-down picture with fit %s are in their places",
  async ([rotation, fit]) => {
    const opened = await browser.shared(screen.width, screen.height);
    await expectMarkersInPlace(opened, [image("marked.svg"), image("marked-large.png")], rotation, fit);
    expect(await opened.page.locator("canvas").count()).toBe(2);
  },
);

/** Shows two items, each in an upright and in a rotated zone, and checks the positions of their markers. */
async function expectMarkersInPlace(
  { page, server }: OpenedPage,
  pair: SceneItem[],
  rotation: Rotation,
  fit: (typeof fits)[number],
): Promise<void> {
  const upright = rotation % 180 === 0;
  const layout = upright ? screen : { width: screen.height, height: screen.width };
  // Four places that fit in landscape and in portrait.
  const far = upright ? 700 : 310;
  const boxes: [number, number, number][] = [
    [20, 20, size],
    [far, 20, size],
    [20, 300, size],
    [far, 300, size],
  ];
  const items = [...pair, ...pair].map((item) => ({ ...item, fit }) as SceneItem);
  const turns = [0, 0, rotation, rotation];
  const zones = items.map((item, index) => {
    const [left, top] = boxes[index]!;
    return zone(consecutiveSlots(server.now(), [[item, long]]), { left, top, width: size, height: size, rotation: turns[index]! });
  });
  server.draw({ ...stage(zones, layout), rotation });
  await Promise.all(zones.map(({ id }) => server.waitForMessage("presented", ({ zone_id }) => zone_id === id)));
  const at = await readScreen(page);
  for (const [index, box] of boxes.entries()) {
    for (const [point, marker] of wanted[fit]) {
      const spot = onScreen(turned(point, box, turns[index]!), rotation);
      const color = marker === "background" ? background : markers[marker];
      const seen = at(...spot);
      expect(isNear(seen, color, 34), `${items[index]!.type} ${marker} at ${String(spot)}: ${String(seen)}`).toBe(true);
    }
  }
}

test.for(rotations)(
  "[PIX15] rotated by %i degrees, a PDF's page and a QR code are rotated the same way, and the code is readable",
  async (rotation) => {
    const opened = await browser.shared(screen.width, screen.height);
    const { page, server } = opened;
    const layout = rotation % 180 === 0 ? screen : { width: screen.height, height: screen.width };
    const file = itemOf({ type: "pdf", src: "/media/page.pdf", background_color: "#102030" });
    const code = itemOf({ type: "qr", data: "https://example.com/menu", color: "#000000", background_color: "#ffffff" });
    const zones = [
      zone(consecutiveSlots(server.now(), [[file, long]]), { left: 20, top: 20, width: 320, height: 240 }),
      zone(consecutiveSlots(server.now(), [[code, long]]), { left: 300, top: 300, width: size, height: size }),
    ];
    server.draw({ ...stage(zones, layout), rotation });
    await Promise.all(zones.map(({ id }) => server.waitForMessage("presented", ({ zone_id }) => zone_id === id)));
    const at = await readScreen(page);
    const spot = (x: number, y: number): Rgb => at(...onScreen([x, y], rotation));
    // Of 800 x 450 points, 320 x 180 are left, in the middle of the zone's height.
    for (const [x, y] of [[25, 55], [335, 55], [335, 225]] as Point[]) expect(isNear(spot(x, y), markers.bottomLeft)).toBe(true); // prettier-ignore
    for (const [x, y] of [[180, 30], [180, 250]] as Point[]) expect(isNear(spot(x, y), background), String(spot(x, y))).toBe(true); // prettier-ignore
    // The page number is at the lower left.
    const ink = (from: number, to: number, top: number, bottom: number): number => {
      let count = 0;
      for (let x = from; x < to; x += 1) for (let y = top; y < bottom; y += 1) if (Math.min(...spot(x, y)) > 200) count += 1;
      return count;
    };
    expect(ink(25, 180, 140, 228)).toBeGreaterThan(50);
    expect(ink(180, 335, 52, 228) + ink(25, 180, 52, 140)).toBe(0);
    // A code has finder patterns in three corners; the fourth corner shows its orientation.
    const [modules, quiet] = [await page.evaluate<number>('document.querySelector(".qrcode svg").viewBox.baseVal.width'), 4];
    const side = Math.floor(size / modules);
    const origin = Math.round((size - side * modules) / 2);
    const isDark = (x: number, y: number): boolean => spot(300 + origin + (x + 0.5) * side, 300 + origin + (y + 0.5) * side)[0] < 128;
    const isFinderPattern = (x: number, y: number): boolean =>
      [
        [0, 0, true],
        [2, 0, false],
        [-2, 0, false],
        [0, 2, false],
        [0, -2, false],
        [3, 0, true],
        [-3, 0, true],
        [0, 3, true],
        [0, -3, true],
      ].every(
        // prettier-ignore
        ([dx, dy, dark]) => isDark(x + Number(dx), y + Number(dy)) === dark,
      );
    const [near, far] = [quiet + 3, modules - quiet - 4];
    expect([isFinderPattern(near, near), isFinderPattern(far, near), isFinderPattern(near, far), isFinderPattern(far, far)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  },
);

test.for(rotations)(
  "[ZON2] rotated by %i degrees, text, clock, ticker and feed fill their zones and are rotated the same way",
  async (rotation) => {
    const opened = await browser.shared(screen.width, screen.height);
    const { page, server } = opened;
    const layout = rotation % 180 === 0 ? screen : { width: screen.height, height: screen.width };
    const news = { title: "News", entries: [{ title: "The bridge is open", summary: "Since Monday.", published_at: null }], trouble: null };
    const places: [SceneItem, Rgb, Point][] = [
      [text("L", "#600000", { size: 180, align: "start" }), [96, 0, 0], [20, 20]],
      [clockFace("#006000"), [0, 96, 0], [300, 300]],
      [itemOf({ type: "ticker", text: "Platform 4", background_color: "#000060" }), [0, 0, 96], [20, 300]],
      [itemOf({ type: "feed", timezone: "UTC", background_color: "#606000", ...news }), [96, 96, 0], [300, 20]],
    ];
    const zones = places.map(([each, , [left, top]]) =>
      zone(consecutiveSlots(server.now(), [[each, long]]), { left, top, width: size, height: size }),
    );
    server.draw({ ...stage(zones, layout), rotation });
    await Promise.all(zones.map(({ id }) => server.waitForMessage("presented", ({ zone_id }) => zone_id === id)));
    const at = await readScreen(page);
    const corners: Point[] = [
      [3, 3],
      [197, 3],
      [3, 197],
      [197, 197],
    ];
    for (const [each, color, [left, top]] of places) {
      for (const [x, y] of corners) expect(isNear(at(...onScreen([left + x, top + y], rotation)), color, 6), each.type).toBe(true);
    }
    // The stem of the L is on the left: more ink there than on the right, at any rotation.
    const ink = (from: number, to: number): number => {
      let count = 0;
      for (let x = from; x < to; x += 2) {
        for (let y = 20; y < 120; y += 2) if (at(...onScreen([20 + x, 20 + y], rotation))[1] > 128) count += 1;
      }
      return count;
    };
    expect(ink(10, 100)).toBeGreaterThan(50);
    expect(ink(100, 190)).toBe(0);
  },
);

test("[ZON3] zones overlap in their z-order, are clipped to their rectangles and rotate about their centre by any angle", async () => {
  const opened = await browser.shared(screen.width, screen.height);
  const { page, server } = opened;
  const show = (name: string) => consecutiveSlots(server.now(), [[image(name), long]]);
  const zones = [
    zone(show("green.png"), { left: 200, top: 100, width: 200, height: 200, z_index: 5 }),
    zone(show("red.png"), { left: 100, top: 50, width: 200, height: 200, z_index: 1 }),
    zone(show("blue.png"), { left: 600, top: 150, width: 200, height: 200, rotation: 45 }),
  ];
  server.draw(stage(zones));
  await Promise.all(zones.map(({ id }) => server.waitForMessage("presented", ({ zone_id }) => zone_id === id)));
  const at = await readScreen(page);
  expect(isNear(at(250, 150), "green")).toBe(true);
  expect(isNear(at(150, 100), "red")).toBe(true);
  expect(isNear(at(98, 100), background)).toBe(true);
  // A square of 200 rotated by 45° reaches 141 from its centre, and leaves the corners of its box free.
  for (const [x, y] of [[700, 112], [700, 388], [562, 250], [838, 250]] as Point[]) expect(isNear(at(x, y), "blue")).toBe(true); // prettier-ignore
  for (const [x, y] of [[605, 155], [795, 155], [605, 345], [795, 345]] as Point[]) expect(isNear(at(x, y), background)).toBe(true); // prettier-ignore
});

test("[ZON4] a layout's background covers it behind the zones, a zone's colour is behind its items", async () => {
  const opened = await browser.shared(screen.width, screen.height);
  const { page, server } = opened;
  const whole = { ...(image("red.png") as Extract<SceneItem, { type: "image" }>), fit: "contain" as const };
  const drawn = zone(consecutiveSlots(server.now(), [[whole, long]]), {
    left: 100,
    top: 100,
    width: 200,
    height: 200,
    background_color: "#808080",
  });
  server.draw(stage([drawn], { background_src: "/media/yellow.png" }));
  await server.waitForMessage("presented");
  const at = await readScreen(page);
  for (const spot of [[3, 3], [956, 536], [50, 300]] as Point[]) expect(isNear(at(...spot), "yellow"), String(at(...spot))).toBe(true); // prettier-ignore
  expect(isNear(at(200, 200), "red")).toBe(true);
  expect(isNear(at(200, 110), [128, 128, 128])).toBe(true);
});

test("[ZON5] the text screens rotate with the display and stay inside it", async () => {
  const opened = await browser.shared(screen.width, screen.height);
  const { page, server } = opened;
  const empty: Scene["screen"] = { is: "empty", player_name: "Lobby", service: "https://signage.example", trouble: null };
  for (const rotation of rotations) {
    const from = server.messages.length;
    server.draw({
      screen: empty,
      rotation,
      identify: { player_name: "Lobby", lines: ["plr_1", "1920 × 1080"], until: server.now() + long },
    });
    if (rotation === 0) await server.waitForMessage("screen", ({ is }) => is === "empty", { from });
    await expect.poll(() => page.evaluate('document.querySelector("#display").dataset.rotation')).toBe(String(rotation));
    const outside = await page.evaluate<string[]>(`
      [...document.querySelectorAll("#display *")]
        .filter((element) => { const box = element.getBoundingClientRect();
          return box.width > 0 && (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1); })
        .map((element) => element.className)
    `);
    expect(outside).toEqual([]);
    const box = await page.evaluate<[number, number, number, number]>(
      '(({ x, y, width, height }) => [x, y, width, height])(document.querySelector("#display").getBoundingClientRect())',
    );
    expect(box).toEqual([0, 0, screen.width, screen.height]);
  }
});

test.for(rotations)(
  "[ZON6] touch follows a display rotated by %i degrees: an element is touched where it is seen, in its own pixels",
  async (rotation) => {
    const opened = await browser.shared(screen.width, screen.height);
    const { page, server } = opened;
    const layout = rotation % 180 === 0 ? screen : { width: screen.height, height: screen.width };
    const drawn = zone(consecutiveSlots(server.now(), [[image("green.png"), long]]), { left: 300, top: 20, width: 200, height: 100 });
    server.draw({ ...stage([drawn], layout), rotation });
    await server.waitForMessage("presented");
    await page.evaluate(`
    window.touched = [];
    document.addEventListener("pointerdown", ({ target, offsetX, offsetY }) => touched.push([target.tagName, Math.round(offsetX), Math.round(offsetY)]), true);
  `);
    const [x, y] = onScreen([300 + 150, 20 + 30], rotation);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.up();
    const [[tag, offsetX, offsetY] = ["", 0, 0]] = await page.evaluate<[string, number, number][]>("touched");
    expect(["IMG", "CANVAS"]).toContain(tag);
    expect(Math.abs(offsetX - 150)).toBeLessThanOrEqual(1);
    expect(Math.abs(offsetY - 30)).toBeLessThanOrEqual(1);
  },
);

test("[ZON7] the display rotates without restarting anything", async () => {
  const opened = await browser.shared(screen.width, screen.height);
  const { page, server } = opened;
  const scene = stage([zone(consecutiveSlots(server.now(), [[video("steps.mp4", 6_000), long]]))]);
  server.draw(scene);
  await server.waitForMessage("presented");
  await page.evaluate('window.before = document.querySelector("video"); window.begun = before.currentTime');
  server.draw({ ...scene, rotation: 90 });
  await expect.poll(() => page.evaluate("before.isConnected && before.currentTime > begun + 0.2")).toBe(true);
  const at = await readScreen(page);
  // 960x540 upright in 540x960, shown rotated: a strip of 304 in the middle of the width.
  expect(at(480, 5)).not.toEqual([0, 0, 0]);
  expect(at(100, 270)).toEqual([0, 0, 0]);
  expect(server.messages.filter(({ type }) => type === "presented")).toHaveLength(1);
});
