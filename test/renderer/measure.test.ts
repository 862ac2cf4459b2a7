// What the page measures for a diagnosis, on a real Chromium.
import { expect, test } from "vitest";
import { image, consecutiveSlots, stage, zone } from "./scenes.ts";
import { useTestBrowser } from "./setup.ts";

const browser = useTestBrowser();

test("[DGN12] the page tells which codecs its browser decodes, and how many frames it presents on a still screen", async () => {
  await using opened = await browser.open(640, 360);
  const { server } = opened;
  server.draw(stage([zone(consecutiveSlots(server.now() - 1_000, [[image("red.png"), 600_000]]))]));
  await server.waitForMessage("presented");
  server.measure("first");
  const { codecs, frames, for_ms: forMs } = await server.waitForMessage("measured", ({ id }) => id === "first");
  expect(codecs.map(({ name }) => name)).toEqual(["h264 1080p", "h265 2160p", "vp9 1080p", "av1 1080p"]);
  // Every Chromium decodes VP9.
  expect(codecs[2]).toMatchObject({ is_supported: true });
  expect(frames).toBeGreaterThan(0);
  expect(forMs).toBeGreaterThanOrEqual(999);
});
