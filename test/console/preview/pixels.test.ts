// The preview's pixels are those of the player's page at the same instant.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../service/harness.ts";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { everyKind, startPublisher } from "./every-kind.ts";
import { differingPixels, openPreview, pairScreen, pictureOfPlayer, pictureOfPreview, type Size, type View } from "./pictures.ts";

let browser: Browser;
let service: TestService;
let publisher: Awaited<ReturnType<typeof startPublisher>>;
let content: Awaited<ReturnType<typeof everyKind>>;
beforeAll(async () => {
  [browser, service, publisher] = await Promise.all([
    startBrowser(),
    startConsoleService({ allowAddresses: ["127.0.0.1"] }),
    startPublisher(),
  ]);
  content = await everyKind(service, publisher.url);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
  await publisher[Symbol.asyncDispose]();
});

// In the middle of a frame of the video, half a minute after its loop has begun, and when tickers lie an eighth of a pixel behind a whole
// one: letters are drawn at quarters of a pixel, and between two of them the last digit of a division would decide.
const at = Date.parse("2026-12-01T09:00:00.551Z");

interface Case {
  panel: Size;
  layout: Size;
  settings?: object;
  view?: View;
}

/** Shows content of every kind on a screen, and counts for each kind how many pixels of the preview differ from the player's page. */
async function differences({ panel, layout: size, settings = {}, view = { left: 0, top: 0, scale: panel.width / size.width } }: Case) {
  const playerId = await pairScreen(service, panel);
  const layout = await content.layoutOf(size.width, size.height);
  await service.call("PATCH", `players/${playerId}`, { layout_id: layout.layoutId, timezone: "Europe/Berlin", ...settings });
  await using window = await Window.open(browser);
  await openPreview(window, service, playerId, at);
  const upright = "orientation" in settings ? { width: panel.height, height: panel.width } : panel;
  const preview = await pictureOfPreview(window, upright);
  const player = await pictureOfPlayer(browser, service, playerId, at, panel, layout);
  expect(window.errors).toEqual([]);
  return differingPixels(preview, player, layout.zones, view);
}

const kinds = ["image", "photo", "svg", "video", "pdf", "text", "ticker", "clock", "qr", "feed"];
const none = Object.fromEntries(["beside", ...kinds].map((name) => [name, 0]));

test("[PRV1] a preview shows pictures, drawings, videos, PDFs, texts, tickers, clocks, QR codes and feeds exactly as the screen does", async () => {
  expect(await differences({ panel: { width: 800, height: 480 }, layout: { width: 800, height: 480 } })).toEqual(none);
  expect(await differences({ panel: { width: 1_280, height: 720 }, layout: { width: 1_280, height: 720 } })).toEqual(none);
});

test("[PRV3] on an upright screen, and on a part of a video wall, the preview shows exactly what the screen does", async () => {
  const upright = { panel: { width: 800, height: 480 }, layout: { width: 480, height: 800 }, settings: { orientation: "portrait" } };
  // Chromium fits the letters of a ticker that stands still to the pixels, but not on a turned page: their edges differ.
  expect(await differences({ ...upright, view: { left: 0, top: 0, scale: 1 } })).toEqual({ ...none, ticker: expect.any(Number) });
  // The layout covers the wall, of which the screen shows all but a margin.
  const wall = { wall_width: 1_000, wall_height: 600, left: 100, top: 60, width: 800, height: 480 };
  const part = { panel: { width: 800, height: 480 }, layout: { width: 800, height: 480 }, settings: { wall } };
  expect(await differences({ ...part, view: { left: 80, top: 48, scale: 1.25 } })).toEqual(none);
});
