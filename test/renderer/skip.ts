// Skips time in which nothing happens: moves the page's clock once the next items are prepared.
import { expect } from "vitest";
import type { OpenedPage } from "./test-browser.ts";

// The change itself still happens by the page's own alarm, a few frames after the skip.
const leadMs = 300;
const limitMs = 20_000;

// The element of a picture is empty until its picture is loaded.
const loadedItems = `document.querySelector("div.item:empty") === null
  && [...document.querySelectorAll("img")].every((image) => image.complete)
  && [...document.querySelectorAll("video")].every((video) => video.readyState >= video.HAVE_FUTURE_DATA)
  && document.querySelectorAll(".item").length`;
// An item is ready when it has been painted in the second frame after it was loaded.
const fourFrames = "(async () => { for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame); })()";

/** Waits until `items` items are in the document, loaded and painted, then moves the clock to just before `instant`. */
export async function skipTo({ page, server }: Pick<OpenedPage, "page" | "server">, instant: number, items: number): Promise<void> {
  await expect.poll(() => page.evaluate(loadedItems), { timeout: limitMs, interval: 20 }).toBe(items);
  await page.evaluate(fourFrames);
  await server.advanceTo(instant - leadMs);
}
