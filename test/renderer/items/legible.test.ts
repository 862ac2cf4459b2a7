// Legibility on a real Chromium: text that fits, font weights, tiny pictures, right-to-left feeds, QR codes, names.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { SceneItem } from "../../../src/protocol/scene.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { hexOf, createWithFfmpeg } from "../../support/media/media.ts";
import { image, item, consecutiveSlots, slot, stage, video, zone } from "../scenes.ts";
import { colors, isNear, readScreen } from "../screen.ts";
import type { OpenedPage } from "../test-browser.ts";
import { useTestBrowser } from "../setup.ts";

const browser = useTestBrowser(async (folder) => {
  const put = (name: string, bytes: Buffer | string): Promise<void> => writeFile(join(folder, name), bytes);
  const checks = (side: number): Promise<Buffer> =>
    sharp(Buffer.from(Array.from({ length: side * side }, (_, at) => ((at + Math.floor(at / side)) % 2) * 255)), {
      raw: { width: side, height: side, channels: 1 },
    })
      .png()
      .toBuffer();
  const source = `color=c=0x${hexOf(colors.yellow)}:s=640x360:r=30`;
  await Promise.all([
    put("two.png", await checks(2)),
    put("sixteen.png", await checks(16)),
    put("seventeen.png", await checks(17)),
    put("dot.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle cx="4" cy="4" r="4" fill="#fff"/></svg>'),
    put(
      "one-frame.mp4",
      await createWithFfmpeg(["-f", "lavfi", "-i", source, "-frames:v", "1", "-c:v", "libx264", "-pix_fmt", "yuv420p"], "mp4"),
    ),
  ]);
});

const long = 600_000;
type Flawed = Extract<FromPage, { type: "flawed" }>;

/** Shows an item alone and waits for its frame. */
async function show({ server }: OpenedPage, shown: SceneItem, box: Parameters<typeof zone>[1] = {}): Promise<void> {
  const play = slot(shown, server.now() - 100, long);
  server.draw(stage([zone([play], box)]));
  await server.waitForMessage("presented", ({ key }) => key === play.key);
}

function flaws({ server }: OpenedPage): Flawed[] {
  return server.messages.filter((message) => message.type === "flawed");
}

/** The visible words, line by line, and their font size. */
const seenWords = `(() => {
  const words = document.querySelector(".words");
  const box = words.parentElement.getBoundingClientRect();
  const range = document.createRange();
  const node = words.firstChild;
  const lines = [];
  let top = null;
  for (let at = 0; at < node.data.length; at++) {
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const letter = range.getBoundingClientRect();
    if (letter.width === 0 || letter.top < box.top - 1 || letter.bottom > box.bottom + 1) continue;
    if (top === null || Math.abs(letter.top - top) > letter.height / 2) lines.push("");
    top = letter.top;
    lines[lines.length - 1] += node.data[at];
  }
  return { lines: lines.map((line) => line.trim()), size: parseFloat(getComputedStyle(words).fontSize) };
})()`;
interface SeenWords {
  lines: string[];
  size: number;
}

const notice = "First floor closed today. Please use the entrance in Mill Street, the lift is out of order";

test("[PIX5] a text of fixed size that fits keeps its size and is not reported", async () => {
  const opened = await browser.shared();
  await show(opened, item({ type: "text", text: notice, font_size: 60 }));
  const { lines, size } = await opened.page.evaluate<SeenWords>(seenWords);
  expect(size).toBe(60);
  expect(lines.join(" ")).toBe(notice);
  expect(flaws(opened)).toEqual([]);
});

test("[PIX5] a text of fixed size that does not fit is shown smaller, at least half, complete and in whole words, and reported once", async () => {
  const opened = await browser.shared();
  const { server, page } = opened;
  const large = item({ type: "text", text: notice, font_size: 140 });
  await show(opened, large);
  const { lines, size } = await page.evaluate<SeenWords>(seenWords);
  expect(size).toBeLessThan(140);
  expect(size).toBeGreaterThanOrEqual(70);
  expect(lines.join(" ")).toBe(notice);
  const word = item({ type: "text", text: "Unabhängigkeitserklärung", font_size: 100 });
  await show(opened, word);
  expect((await page.evaluate<SeenWords>(seenWords)).lines).toEqual(["Unabhängigkeitserklärung"]);
  // Shown again in its loop: not reported again.
  await show(opened, large);
  await server.waitForMessage("flawed", ({ item_id }) => item_id === word.item_id);
  expect(flaws(opened).map(({ item_id, code }) => [item_id, code])).toEqual([
    [large.item_id, "text-too-long"],
    [word.item_id, "text-too-long"],
  ]);
  expect(flaws(opened)[0]!.detail).toMatch(/font_size.*140.*\d+/);
});

test.each([
  ["of fixed size", 100, { width: 300, height: 200 }],
  ["as large as its zone allows", null, { width: 120, height: 80 }],
])("[PIX6] a text %s that cannot fit keeps its first lines, ends in an ellipsis and is reported", async (_what, size, box) => {
  const opened = await browser.shared();
  const text = Array.from({ length: 600 }, (_, at) => `word${at}`).join(" ");
  await show(opened, item({ type: "text", text, font_size: size, align: "start" }), box);
  const { lines } = await opened.page.evaluate<SeenWords>(seenWords);
  expect(lines[0]).toMatch(/^word0/);
  expect(lines.length).toBeGreaterThan(1);
  const clamp = await opened.page.evaluate<[string, string]>(
    '(({ webkitLineClamp, overflow }) => [webkitLineClamp, overflow])(getComputedStyle(document.querySelector(".words")))',
  );
  expect(clamp).toEqual([String(lines.length), "hidden"]);
  const { detail } = await opened.server.waitForMessage("flawed", ({ code }) => code === "text-too-long");
  expect(detail).toMatch(/cut/);
});

test("[PIX7] a clock and a feed's card have the requested font weight, or their default", async () => {
  const opened = await browser.shared();
  const weightOf = (selector: string): Promise<string> =>
    opened.page.evaluate(`getComputedStyle([...document.querySelectorAll(${JSON.stringify(selector)})].at(-1)).fontWeight`);
  const entries = [{ title: "One", summary: "", published_at: null }];
  const feed = { type: "feed", timezone: "UTC", title: "Post", trouble: null } as const;
  await show(opened, item({ type: "clock", timezone: "UTC", label: "Here" }));
  expect([await weightOf(".time"), await weightOf(".label")]).toEqual(["600", "500"]);
  await show(opened, item({ type: "clock", timezone: "UTC", label: "Here", font_weight: 300 }));
  expect([await weightOf(".time"), await weightOf(".label")]).toEqual(["300", "300"]);
  await show(opened, item({ ...feed, entries }));
  expect([await weightOf(".headline"), await weightOf(".source")]).toEqual(["600", "500"]);
  await show(opened, item({ ...feed, entries, font_weight: 300 }));
  expect([await weightOf(".headline"), await weightOf(".source")]).toEqual(["300", "300"]);
});

test("[PIX8] a picture of at most 16 pixels a side is enlarged with sharp pixels; larger ones and drawings are smoothed", async () => {
  const opened = await browser.shared();
  const levelsOf = async (name: string): Promise<number> => {
    await show(opened, { ...image(name), fit: "fill" } as SceneItem, { width: 512, height: 512 });
    const at = await readScreen(opened.page);
    return new Set(Array.from({ length: 512 }, (_, x) => at(x, 100)[0])).size;
  };
  expect(await levelsOf("two.png")).toBe(2);
  expect(await levelsOf("sixteen.png")).toBe(2);
  expect(await levelsOf("seventeen.png")).toBeGreaterThan(8);
  expect(await levelsOf("dot.svg")).toBeGreaterThan(2);
  const at = await readScreen(opened.page);
  // The circle has a round edge, not steps of an eighth.
  expect(isNear(at(256, 2), [255, 255, 255], 60)).toBe(true);
  expect(isNear(at(20, 20), [16, 32, 48])).toBe(true);
  expect(isNear(at(80, 80), [255, 255, 255])).toBe(true);
});

test("[PIX9] a feed in a right-to-left language is mirrored completely; one in a left-to-right language is not", async () => {
  const opened = await browser.shared();
  const entries = [{ title: "افتتاح المكتبة الجديدة", summary: "تفتح المكتبة أبوابها يوم الاثنين", published_at: Date.UTC(2031, 5, 3) }];
  const feed = { type: "feed", timezone: "UTC", title: "City News", trouble: null, locale: "en-GB" } as const;
  const sides = (): Promise<Record<string, string>> =>
    opened.page.evaluate(`(() => {
      const feed = [...document.querySelectorAll(".feed")].at(-1);
      const whole = feed.getBoundingClientRect();
      const sides = {};
      for (const line of feed.querySelectorAll(".source, .headline, .summary, .when")) {
        const range = document.createRange();
        range.selectNodeContents(line);
        const words = range.getBoundingClientRect();
        sides[line.className] = words.left - whole.left < whole.right - words.right ? "left" : "right";
      }
      const { borderLeftWidth, borderRightWidth } = getComputedStyle(feed.querySelector(".source"));
      sides.bar = parseFloat(borderRightWidth) > 0 ? "right" : parseFloat(borderLeftWidth) > 0 ? "left" : "none";
      return sides;
    })()`);
  await show(opened, item({ ...feed, entries }));
  expect(await sides()).toEqual({ source: "right", headline: "right", summary: "right", when: "right", bar: "right" });
  await show(opened, item({ ...feed, entries: [{ ...entries[0]!, title: "New library", summary: "It opens on Monday" }] }));
  expect(await sides()).toEqual({ source: "left", headline: "left", summary: "left", when: "left", bar: "left" });
});

test("[PIX10] a video of one frame is shown like a picture and does not fail", async () => {
  await using opened = await browser.openDriven();
  const { server, page, time } = opened;
  const slots = consecutiveSlots(server.now(), [
    [image("red.png"), 1_000],
    [video("one-frame.mp4", 33), 5_000],
    [image("blue.png"), long],
  ]);
  server.draw(stage([zone(slots)]));
  await server.waitForMessage("presented", ({ key }) => key === slots[1]!.key);
  // The slot is longer than the limit after which a video without progress counts as stalled.
  for (let look = 0; look < 9; look += 1) {
    await time.advance(450);
    const seen = (await readScreen(page))(480, 270);
    expect(isNear(seen, "yellow"), String(seen)).toBe(true);
  }
  await server.waitForMessage("presented", ({ key }) => key === slots[2]!.key);
  expect(server.messages.filter(({ type }) => type === "failed" || type === "fallback")).toEqual([]);
});

test.each([
  ["empty", { trouble: null }],
  ["preparing", { ready_bytes: 1, total_bytes: 2, ready_files: 1, total_files: 2, trouble: null }],
] as const)("[PIX11] the name on the %s screen keeps its descenders and accents", async (is, more) => {
  const inkBelow = async (clipped: boolean): Promise<Buffer> => {
    await using opened = await browser.open(960, 540);
    const { server, page } = opened;
    server.draw({ screen: { is, player_name: "Égypte Ågjpqy", service: "https://signage.example.com", ...more } as never, identify: null });
    await server.waitForMessage("screen", (message) => message.is === is);
    if (!clipped) await page.evaluate('document.querySelector(".name").style.overflow = "visible"');
    await page.evaluate("new Promise(requestAnimationFrame)");
    return sharp(await page.screenshot({ type: "png" }))
      .removeAlpha()
      .raw()
      .toBuffer();
  };
  expect((await inkBelow(true)).equals(await inkBelow(false))).toBe(true);
});

test.each<[string, Record<string, unknown>, { width: number; height: number }, RegExp]>([
  [
    "whose modules are smaller than three pixels",
    { data: "x".repeat(900) },
    { width: 300, height: 300 },
    /pixel.*(?:shorten|enlarge|larger)/,
  ],
  [
    "whose colours are too similar",
    { data: "hello", color: "#405060", background_color: "#203040" },
    { width: 500, height: 500 },
    /contrast/,
  ],
])("[PIX12] a QR code %s is shown and reported", async (_what, about, box, detail) => {
  const opened = await browser.shared();
  const code = item({ type: "qr", ...about } as never);
  await show(opened, code, box);
  const flaw = await opened.server.waitForMessage("flawed");
  expect(flaw).toMatchObject({ code: "qr-unreadable", item_id: code.item_id });
  expect(flaw.detail).toMatch(detail);
});

test("[PIX12] a QR code that a camera can read is not reported", async () => {
  const opened = await browser.shared();
  await show(opened, item({ type: "qr", data: "https://example.com/menu" }), { width: 200, height: 200 });
  await show(opened, item({ type: "qr", data: "https://example.com/menu", color: "#203040", background_color: "#f0e0d0" }));
  expect(flaws(opened)).toEqual([]);
});
