// Skips time in which nothing happens: moves the page's clock once the next items are prepared.
import { poll } from "./setup.ts";
import type { DrivenPage } from "./test-browser.ts";

// The change itself still happens by the page's own alarm, a few frames after the skip.
const leadMs = 300;
// An item is ready when it has been painted in the second frame after it was loaded.
const framesUntilPainted = 4;

/** Waits until `items` items are in the document, loaded and painted, then moves the clock to just before `instant`. */
export async function skipTo(
  { page, server, time }: Pick<DrivenPage, "page" | "server" | "time">,
  instant: number,
  items: number,
): Promise<void> {
  await poll(time, () => page.evaluate<number>(loadedItems)).toBe(items);
  for (let frame = 0; frame < framesUntilPainted; frame += 1) await time.pass();
  await server.advanceTo(instant - leadMs);
}

// The element of a picture is empty until its picture is loaded.
const loadedItems = `document.querySelector("div.item:empty") === null
  && [...document.querySelectorAll("img")].every((image) => image.complete)
  && [...document.querySelectorAll("video")].every((video) => video.readyState >= video.HAVE_FUTURE_DATA)
  && document.querySelectorAll(".item").length`;
