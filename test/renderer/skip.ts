// Skips time that a test would only wait for: moves the page's clock once the next items are prepared.
import type { OpenedPage } from "./test-browser.ts";

// The change itself still happens by the page's own alarm, a few frames after the skip.
const leadMs = 150;

/** Waits until `items` items are in the document, loaded and painted, then moves the clock to just before `instant`. */
export async function skipTo({ page, server }: Pick<OpenedPage, "page" | "server">, instant: number, items: number): Promise<void> {
  await page.waitForFunction(`document.querySelectorAll(".item").length === ${items}
    && [...document.querySelectorAll("img")].every((image) => image.complete)
    && [...document.querySelectorAll("video")].every((video) => video.readyState >= video.HAVE_FUTURE_DATA)`);
  // An item is ready when it has been painted in the second frame after it was loaded.
  await page.evaluate("(async () => { for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame); })()");
  await server.advanceTo(instant - leadMs);
}
