// The preview's pixels are those of the player's page at the same instant.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../service/harness.ts";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { differingPixels, openPreview, pairScreen, pictureOfPlayer, pictureOfPreview, showEveryKind, type Size } from "./pictures.ts";

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

// 500 ms after the beginning of every loop.
const at = Date.parse("2026-12-01T09:00:00.500Z");

/** Shows content of every kind on a screen of this size, and compares the preview with the page of the player. */
async function expectEqualPictures(size: Size, settings: object = {}): Promise<void> {
  const playerId = await pairScreen(service, size);
  const { layout, files } = await showEveryKind(service, size.width, size.height);
  await service.call("PATCH", `players/${playerId}`, { layout_id: layout.id, timezone: "Europe/Berlin", ...settings });
  await using window = await Window.open(browser);
  await openPreview(window, service, playerId, at);
  const preview = await pictureOfPreview(window, size);
  const player = await pictureOfPlayer(browser, service, playerId, at, size, files);
  expect(await differingPixels(preview, player)).toBe(0);
  expect(window.errors).toEqual([]);
}

test("[PRV1] a preview shows pictures, drawings, videos, PDFs, texts, tickers, clocks and QR codes exactly as the screen does", async () => {
  await expectEqualPictures({ width: 800, height: 400 });
});

test("[PRV3] on an upright screen, and on a part of a video wall, the preview shows exactly what the screen does", async () => {
  await expectEqualPictures({ width: 360, height: 720 });
  const wall = { wall_width: 2_000, wall_height: 1_000, left: 400, top: 0, width: 1_000, height: 500 };
  await expectEqualPictures({ width: 800, height: 400 }, { wall });
});
