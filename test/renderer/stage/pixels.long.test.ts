// The colours of a real crossfade on a display, in real time.
import { join } from "node:path";
import { chromium } from "playwright";
import sharp from "sharp";
import { expect, test } from "vitest";
import { startPageServer } from "../../support/browser/page-server.ts";
import { startXvfb } from "../../support/browser/xvfb.ts";
import { consecutiveSlots, image, stage, zone } from "../scenes.ts";
import { useTestBrowser } from "../setup.ts";

const browser = useTestBrowser((folder) =>
  sharp({ create: { width: 90, height: 90, channels: 3, background: { r: 128, g: 128, b: 128 } } })
    .png()
    .toFile(join(folder, "grey.png")),
);

test("[PIX1] on a display, during a real crossfade of the compositor, a grey does not change", async () => {
  await using xvfb = await startXvfb({ width: 640, height: 360 });
  await using server = await startPageServer(browser.mediaFolder, browser.rendererFolder);
  const kiosk = await chromium.launch({
    executablePath: "/usr/lib/chromium/chromium",
    headless: false,
    env: { ...process.env, DISPLAY: xvfb.display } as Record<string, string>,
    args: ["--no-sandbox", "--kiosk", "--disable-gpu", "--window-size=640,360", "--window-position=0,0"],
  });
  try {
    const page = await kiosk.newPage({ viewport: null });
    await page.goto(server.url);
    await server.waitForMessage("hello");
    const slots = consecutiveSlots(server.now(), [
      [image("grey.png"), 5_000],
      [image("grey.png?again"), 600_000],
    ]);
    slots[1]!.transition = { type: "crossfade", duration_ms: 2_000, easing: "ease-in-out", direction: "left" };
    server.draw(stage([zone(slots, { background_color: "#204060" })]));
    await server.waitForMessage("presented", ({ key }) => key === slots[0]!.key);
    const middle: [number, number] = [xvfb.framebuffer.width / 2, xvfb.framebuffer.height / 2];
    await expect.poll(() => xvfb.framebuffer.pixel(...middle)).toEqual([128, 128, 128]);
    const seen = new Set<string>();
    const bothOn = 'document.querySelectorAll(".item").length === 2 && document.getAnimations().length > 0';
    await expect.poll(() => page.evaluate<boolean>(bothOn)).toBe(true);
    let samples = 0;
    while (server.now() < slots[1]!.starts_at + 2_500) {
      seen.add(xvfb.framebuffer.pixel(...middle).join());
      samples += 1;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(samples).toBeGreaterThan(50);
    expect([...seen]).toEqual(["128,128,128"]);
  } finally {
    await kiosk.close();
  }
});
