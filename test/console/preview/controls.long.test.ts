// A preview's controls, and what it shows in place of what runs on screens only.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../service/harness.ts";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { tabTo } from "../../support/console/keyboard.ts";
import { plainImage } from "../../support/media/media.ts";
import { zipOf } from "../../support/media/zip.ts";
import { newId } from "../../support/states.ts";
import { layoutOf, shown } from "./colors.ts";
import { openPreview, pairScreen } from "./pictures.ts";

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

const size = { width: 640, height: 360 };
const at = Date.parse("2026-12-01T09:00:00.500Z");

test("[PRV7] a person plays a preview, stops it and goes to any time by keyboard; what is due then is shown", async () => {
  const playerId = await pairScreen(service, size);
  await service.call("PATCH", `players/${playerId}`, {
    layout_id: (await layoutOf(service, "Loop", ["red", 3], ["blue", 3_000])).id,
    timezone: "UTC",
  });
  const target = { type: "player", player_id: playerId };
  const timing = { starts_at: "2026-12-08T09:00:00", ends_at: "2026-12-08T10:00:00" };
  await service.call("POST", "schedules", {
    name: "Tuesday",
    layout_id: (await layoutOf(service, "Tuesday", ["green", 60])).id,
    target,
    ...timing,
  });
  await using window = await Window.open(browser);
  // 500 ms after the loop of 3,003 s has begun.
  const loopMs = 3_003_000;
  const epoch = Date.UTC(2024, 0, 1);
  const begins = epoch + Math.ceil((at - epoch) / loopMs) * loopMs + 500;
  const page = await openPreview(window, service, playerId, begins);
  await shown(page).toBe("red");
  await tabTo(page, page.getByRole("button", { name: "Play" }));
  await page.keyboard.press("Enter");
  await shown(page).toBe("blue");
  await page.getByRole("button", { name: "Pause" }).press("Enter");
  await page.getByRole("button", { name: "Play" }).waitFor();
  await page.getByLabel("At, in UTC").fill("2026-12-08T09:30");
  await shown(page).toBe("green");
  await page.getByRole("slider", { name: "Position" }).press("End");
  // An hour later the schedule is over.
  await shown(page).not.toBe("green");
  expect(window.errors).toEqual([]);
});

test.each([
  { type: "web", alone: "The web page runs on the screen only", captured: /^Web page, as it was .+ ago$/ },
  { type: "html", alone: "The HTML bundle runs on the screen only", captured: /^HTML bundle, as it was .+ ago$/ },
  { type: "stream", alone: "The stream runs on the screen only", captured: /^Stream, as it was .+ ago$/ },
])(
  "[PRV8] content of the type $type is shown as it was in the newest picture of the screen, with its age; without one, it runs on the screen only",
  async ({ type, alone, captured }) => {
    const device = await service.pairDevice(`Hall ${type}`);
    const bundle = zipOf([{ name: "index.html", bytes: Buffer.from("<!doctype html><title>Board</title>") }]);
    const fields = {
      web: { url: "https://example.com/" },
      html: { asset_id: (await service.upload(bundle, "application/zip")).body.id },
      stream: { url: "https://example.com/live.m3u8", protocol: "hls" },
    }[type];
    const { layout } = await service.createLayout([{ type, ...fields, duration_ms: 60_000 }]);
    await service.call("PATCH", `players/${device.playerId}`, { layout_id: layout.id });
    await using window = await Window.open(browser);
    const page = await openPreview(window, service, device.playerId, at);
    const inside = page.frameLocator("iframe");
    await inside.getByText(alone).waitFor();
    // In the proportions of the screen, as its pictures are.
    await device.putScreenshot(newId("shot"), await plainImage([40, 90, 160], 640, 360));
    await inside.getByText(captured).waitFor();
    expect(window.errors).toEqual([]);
  },
);
