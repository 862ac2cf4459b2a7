// Pictures, texts, tickers, clocks and QR codes on a real Chromium.
import { expect, test } from "vitest";
import { image, item, slot, stage, zone } from "../scenes.ts";
import { isNear, readScreen } from "../screen.ts";
import type { OpenedPage } from "../test-browser.ts";
import { poll, useTestBrowser } from "../setup.ts";
import { writeDifficultPictures } from "../difficult-pictures.ts";

const browser = useTestBrowser(async (folder) => {
  await writeDifficultPictures(folder);
});

const long = 600_000;
type Item = ReturnType<typeof item>;

/** Shows an item alone and waits for its frame. */
async function show({ server }: OpenedPage, shown: Item, box: Parameters<typeof zone>[1] = {}): Promise<void> {
  const play = slot(shown, server.now() - 100, long);
  server.draw(stage([zone([play], box)]));
  await server.waitForMessage("presented", ({ key }) => key === play.key);
}

async function failureOf({ server }: OpenedPage, shown: Item) {
  const play = slot(shown, server.now() - 100, long);
  server.draw(stage([zone([play])]));
  return server.waitForMessage("failed", ({ key }) => key === play.key);
}

test("[ITM1] a picture much larger than its zone is kept at the size at which it is shown, in each fit", async () => {
  const opened = await browser.shared();
  const { page } = opened;
  for (const [fit, left, right] of [
    ["contain", 10, 950],
    ["cover", 10, 950],
    ["fill", 10, 950],
  ] as const) {
    await show(opened, { ...image("8k.jpg"), fit } as Item);
    const size = await page.evaluate("(({ width, height }) => [width, height])(document.querySelector('canvas'))");
    expect(size).toEqual([960, 540]);
    const at = await readScreen(page);
    expect(isNear(at(left, 270), "red") && isNear(at(right, 270), "blue")).toBe(true);
  }
  expect(await page.locator("img").count()).toBe(0);
});

test("[ITM1] in a zone with other proportions a large picture has bars or is cropped, depending on its fit", async () => {
  const opened = await browser.shared();
  const box = { width: 400, height: 540 };
  await show(opened, { ...image("8k.jpg"), fit: "contain" } as Item, box);
  let at = await readScreen(opened.page);
  expect(isNear(at(200, 40), [0x10, 0x20, 0x30])).toBe(true);
  expect(isNear(at(100, 270), "red") && isNear(at(300, 270), "blue")).toBe(true);
  await show(opened, { ...image("8k.jpg"), fit: "cover" } as Item, box);
  at = await readScreen(opened.page);
  expect(isNear(at(195, 5), "red") && isNear(at(205, 535), "blue")).toBe(true);
});

test("[ITM2] a photo's EXIF orientation is applied, whether or not the photo is scaled down", async () => {
  const opened = await browser.shared();
  await show(opened, { ...image("turned.jpg"), fit: "contain" } as Item);
  const at = await readScreen(opened.page);
  // 3:4 upright in 16:9: 405 wide in the middle. Its left half has become the top.
  expect(isNear(at(480, 60), "red") && isNear(at(480, 480), "blue")).toBe(true);
  expect(isNear(at(200, 270), [0x10, 0x20, 0x30])).toBe(true);
  expect(await opened.page.evaluate("document.querySelector('canvas').height")).toBe(540);
});

test("[ITM3] an animated picture stays animated at any size", async () => {
  const opened = await browser.shared(480, 270);
  await show(opened, image("moving.gif"));
  const seen = new Set<string>();
  await expect
    .poll(async () => {
      const color = (await readScreen(opened.page))(240, 135);
      if (isNear(color, "red")) seen.add("red");
      if (isNear(color, "green")) seen.add("green");
      return seen.size;
    })
    .toBe(2);
});

test("[ITM4] an SVG is drawn as a picture: its scripts and links have no effect", async () => {
  const opened = await browser.shared();
  const requests: string[] = [];
  opened.page.on("request", (request) => requests.push(request.url()));
  await show(opened, image("script.svg"));
  expect(isNear((await readScreen(opened.page))(480, 270), "green")).toBe(true);
  expect(requests.filter((url) => url.includes("from-svg"))).toEqual([]);
});

test.each([
  ["truncated.jpg", "decode"],
  ["empty.png", "decode"],
  ["broken.png", "decode"],
  ["missing.png", "load"],
  ["huge.png", "unsupported"],
])("[ITM5] %s is reported as %s, and the page keeps working", async (name, code) => {
  const opened = await browser.shared();
  const failed = await failureOf(opened, image(name));
  expect(failed.code).toBe(code);
  if (code === "unsupported") expect(failed.detail).toMatch(/20000 × 20000 pixels.*Scale the picture down/);
  await show(opened, image("mislabelled.jpg"));
  expect(isNear((await readScreen(opened.page))(480, 270), "green")).toBe(true);
});

test("[ITM6] a text has the font family, weight, padding and direction of its item", async () => {
  const opened = await browser.shared();
  await show(
    opened,
    item({
      type: "text",
      text: "abc",
      font_size: 40,
      font_family: "mono",
      font_weight: 700,
      padding: 100,
      align: "start",
      direction: "rtl",
    }),
  );
  const { page } = opened;
  const words = page.locator(".words");
  const style = await words.evaluate((element) => {
    const { fontWeight, fontFamily, direction } = element.ownerDocument.defaultView!.getComputedStyle(element);
    return { fontWeight, fontFamily, direction };
  });
  expect(style).toMatchObject({ fontWeight: "700", direction: "rtl" });
  expect(style.fontFamily).toMatch(/Mono/);
  const box = (await words.boundingBox())!;
  expect([box.x, box.width]).toEqual([100, 760]);
  // `start` of a right-to-left text is the right edge.
  const at = await readScreen(page);
  const lit = (from: number, to: number) => Array.from({ length: to - from }, (_, x) => at(from + x, 270)).some(([red]) => red > 128);
  expect(lit(740, 860)).toBe(true);
  expect(lit(100, 300)).toBe(false);
});

test("[ITM40] a text as large as its zone allows breaks no word, in either direction, except one that fits at no size", async () => {
  const opened = await browser.shared();
  const { page } = opened;
  // The lines of the text, as the page breaks them.
  const lines = (): Promise<string[]> =>
    page.evaluate(`(() => {
      const node = document.querySelector(".words").firstChild;
      const range = document.createRange();
      let top = null;
      const lines = [];
      for (const { segment, index } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(node.data)) {
        range.setStart(node, index);
        range.setEnd(node, index + segment.length);
        const box = range.getBoundingClientRect();
        if (box.width === 0) continue;
        if (top === null || Math.abs(box.top - top) > box.height / 2) lines.push("");
        top = box.top;
        lines[lines.length - 1] += segment;
      }
      return lines.map((line) => line.trim());
    })()`);
  for (const words of ["Welcome", "Welcome to the Lobby of the Municipality", "مرحبا بكم في المكتبة العامة", "Hi\nمرحبا بكم"]) {
    for (const width of [90, 200]) {
      await show(opened, item({ type: "text", text: words, font_size: null }), { width });
      expect((await lines()).join(" ").split(/\s+/), `${words} in ${width}`).toEqual(words.split(/\s+/));
      // The text is larger than the minimum size.
      const [font, least] = await page.evaluate<[number, number]>(
        '[parseFloat(getComputedStyle(document.querySelector(".words")).fontSize), 4]',
      );
      expect(font).toBeGreaterThan(least);
    }
  }
  const endless = "x".repeat(400);
  await show(opened, item({ type: "text", text: endless, font_size: null }), { width: 90 });
  const broken = await lines();
  expect(broken.length).toBeGreaterThan(1);
  expect(broken.join("")).toBe(endless);
});

/** Where the first round of the ticker is, in layout pixels, and when; both of one frame. */
const place = `new Promise((resolve) => requestAnimationFrame(() => {
  const strip = document.querySelector(".strip");
  resolve({ x: new DOMMatrix(getComputedStyle(strip).transform).e, length: strip.firstChild.offsetWidth, at: performance.timeOrigin + document.timeline.currentTime });
}))`;
interface Place {
  x: number;
  length: number;
  at: number;
}

test.each([
  ["left-to-right text runs to the left", "Platform 4: the train to Ghent leaves at 12:40.", -1],
  ["right-to-left text runs to the right", "يغادر القطار من الرصيف الرابع", 1],
])("[ITM7] a ticker's %s, endlessly, at a position that depends on the clock alone", async (_what, words, sign) => {
  await using first = await browser.openDriven();
  await using second = await browser.openDriven();
  // In a frame of this length the text moves by less than half of the tolerance below.
  first.time.frameMs = second.time.frameMs = 1_000 / 60;
  const ticker = item({ type: "ticker", text: words, speed_px_s: 200, background_color: "#203040" });
  const box = { top: 440, height: 100 };
  await show(first, ticker, box);
  await show(second, ticker, box);
  for (const { page, time } of [first, second]) {
    const seen = await time.during(page.evaluate<Place>(place));
    const expected = sign * (((seen.at * 200) / 1_000) % seen.length);
    const off = Math.abs(seen.x - expected);
    // Near the end of a round the next round counts.
    expect(Math.min(off, Math.abs(seen.length - off))).toBeLessThan(8);
    // Enough rounds to fill the zone at any position: there is no gap between two rounds.
    const rounds = await page.locator(".round").count();
    expect((rounds - 1) * seen.length).toBeGreaterThanOrEqual(960);
  }
});

test("[ITM7] a ticker follows a clock that is set", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  await show(opened, item({ type: "ticker", text: "Welcome to the library", speed_px_s: 100 }));
  await server.moveClock(2_000);
  await poll(time, async () => {
    const { x, length, at } = await time.during(page.evaluate<Place>(place));
    const off = Math.abs(-x - ((((at + 2_000) * 100) / 1_000) % length));
    return Math.min(off, Math.abs(length - off));
  }).toBeLessThan(8);
});

test("[ITM8] a clock shows the date in the requested format, in its time zone, with its label", async () => {
  const opened = await browser.shared();
  const { server, page } = opened;
  await server.moveClock(Date.UTC(2031, 5, 3, 20, 5) - server.now());
  const parts = { day: "numeric", month: "short", year: "numeric" } as const;
  await show(opened, item({ type: "clock", timezone: "Asia/Tokyo", date_parts: parts, label: "Tokyo", seconds: false }));
  await expect.poll(() => page.locator(".face").innerText()).toBe("05:05\n4 Jun 2031\nTokyo");
});

test("[ITM8] an analog clock's hands show the time of its time zone", async () => {
  await using opened = await browser.openDriven();
  const { server, page, time } = opened;
  await server.moveClock(Date.UTC(2031, 5, 3, 14, 30, 20) - server.now());
  await show(opened, item({ type: "clock", timezone: "UTC", face: "analog" }));
  const turned = async (hand: string): Promise<number> => {
    const transform = await page.locator(`.hand.${hand}`).getAttribute("transform");
    return Number(/rotate\((.*)\)/.exec(transform ?? "")?.[1]);
  };
  await poll(time, () => turned("hour")).toBeGreaterThan(75);
  expect(await turned("hour")).toBeLessThan(75.5);
  expect(await turned("minute")).toBeGreaterThanOrEqual(180);
  expect(await turned("minute")).toBeLessThan(186);
  const second = await turned("second");
  await poll(time, () => turned("second")).toBe((second + 6) % 360);
  expect((await turned("second")) % 6).toBe(0);
});

test("[ITM9] a QR code's modules are whole device pixels, in its colours, with its quiet zone", async () => {
  const opened = await browser.shared(1_000, 333);
  const style = { color: "#203040", background_color: "#f0e0d0", quiet_zone: 2, error_correction: "H" } as const;
  await show(opened, item({ type: "qr", data: "https://example.com/menu", ...style }));
  const { page } = opened;
  const box = (await page.locator(".qrcode svg").boundingBox())!;
  const modules = await page.evaluate<number>('document.querySelector(".qrcode svg").viewBox.baseVal.width');
  // Version 3 holds 24 characters at level H: 29 modules and twice the quiet zone.
  expect(modules).toBe(29 + 4);
  const side = Math.round(box.width / modules);
  // Layout counts in sixty-fourths of a pixel.
  expect(box.width / modules).toBeCloseTo(side, 1);
  expect(box.x).toBeCloseTo(Math.round(box.x), 1);
  const at = await readScreen(page);
  const colors = new Set<string>();
  for (let x = 0; x < side * modules; x++) colors.add(at(box.x + x, box.y + side * 5.5).join());
  expect([...colors].toSorted()).toEqual(["240,224,208", "32,48,64"]);
});

test("[ITM9] data too long for any QR code is reported as unsupported", async () => {
  const opened = await browser.shared();
  const { code, detail } = await failureOf(opened, item({ type: "qr", data: "ü".repeat(1_190), error_correction: "H" }));
  expect(code).toBe("unsupported");
  expect(detail).toMatch(/error_correction/);
});
