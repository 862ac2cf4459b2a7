// The test card on a real Chromium, in both orientations.
import { describe, expect, test } from "vitest";
import type { Scene } from "../../src/protocol/scene.ts";
import { isNear, readScreen, type Rgb } from "./screen.ts";
import { image, consecutiveSlots, stage, zone } from "./scenes.ts";
import { poll, useTestBrowser } from "./setup.ts";

const browser = useTestBrowser();
const white: Rgb = [255, 255, 255];
const edgeRed: Rgb = [255, 0, 0];

function content(now: number): Scene {
  return stage([zone(consecutiveSlots(now - 1_000, [[image("red.png"), 60_000]]))]);
}

describe.each([
  ["landscape", 1280, 720, 0],
  ["portrait", 720, 1280, 0],
  ["turned", 1280, 720, 90],
] as const)("%s", (_name, width, height, rotation) => {
  test("[TCD1] the test card marks the edges and the middle of the display, and has bars, a ramp, the name and the time", async () => {
    await using opened = await browser.open(width, height);
    const { page, server } = opened;
    const until = server.now() + 600_000;
    const test_card = { player_name: "Lobby, entrance", until };
    server.draw({ ...content(server.now()), rotation, test_card });
    await page.locator(".test-card .mover").waitFor();
    await expect.poll(() => page.locator(".test-card .figures").textContent()).toMatch(/^\d+ × \d+ · [0-9.]+ Hz · rotation \d+°/);
    expect(await page.locator(".test-card .figures").textContent()).toContain(`${width} × ${height}`);
    expect(await page.locator(".test-card .player").textContent()).toBe("Lobby, entrance");
    expect(await page.locator(".test-card .time").textContent()).toMatch(/^\d\d:\d\d:\d\d\.\d{3} UTC$/);
    for (const selector of [".player", ".time", ".figures", ".bars", ".ramp", ".sweep"]) {
      const inside = (await page.locator(`.test-card ${selector}`).boundingBox())!;
      expect(inside.x, selector).toBeGreaterThanOrEqual(0);
      expect(inside.y, selector).toBeGreaterThanOrEqual(0);
      expect(inside.x + inside.width, selector).toBeLessThanOrEqual(width);
      expect(inside.y + inside.height, selector).toBeLessThanOrEqual(height);
    }
    const at = await readScreen(page);
    // The line at the very edge, away from the arrows.
    for (const [x, y] of [
      [0, height / 5],
      [width - 1, height / 5],
      [width / 5, 0],
      [width / 5, height - 1],
    ] as const) {
      expect(isNear(at(x, y), edgeRed), `${x},${y}: ${at(x, y).join(" ")}`).toBe(true);
    }
    // Inside each arrow.
    for (const [x, y] of [
      [8, height / 2],
      [width - 9, height / 2],
      [width / 2, 8],
      [width / 2, height - 9],
    ] as const) {
      expect(isNear(at(x, y), white), `${x},${y}: ${at(x, y).join(" ")}`).toBe(true);
    }
  });
});

test("[TCD2] content goes on beneath the test card, and is there again when its time is over", async () => {
  await using opened = await browser.openDriven(640, 360);
  const { page, server, time } = opened;
  const now = server.now();
  const slots = consecutiveSlots(now - 1_000, [
    [image("red.png"), 3_000],
    [image("blue.png"), 60_000],
  ]);
  server.draw({ ...stage([zone(slots)]), test_card: { player_name: "Lobby", until: now + 4_000 } });
  await poll(time, () => page.locator(".test-card .mover").isVisible()).toBe(true);
  // The next item is presented beneath it.
  await server.waitForMessage("presented", ({ item_id }) => item_id === slots[1]!.item.item_id);
  await poll(time, () => page.locator(".test-card .mover").count()).toBe(0);
  expect(await page.locator(".test-card").isHidden()).toBe(true);
});
