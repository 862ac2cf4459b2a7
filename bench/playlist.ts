// The playlist editor with a thousand items: opening, frames while scrolling, and the time from an act to the next frame.
import type { Page } from "playwright";
import { desktop, startBrowser, startConsoleService, Window } from "../test/support/console/console.ts";
import { picture } from "../test/service/harness.ts";
import { percentiles, printFigure } from "./lib.ts";

const count = Number(process.argv[2] ?? 1_000);
const letters = 40;
const moves = 20;

await using service = await startConsoleService();
const { body: asset } = await service.upload(await picture("jpeg"), "image/jpeg", "Menu.jpg");
const items = Array.from({ length: count }, (_, place) =>
  place % 3 === 0
    ? { type: "image", asset_id: asset.id, duration_ms: 8_000 }
    : {
        type: "text",
        text: `Item ${place}`,
        ...(place % 5 === 0 ? { dayparts: [{ weekdays: ["MO", "TU"], from: "11:00", until: "14:00" }] } : {}),
      },
);
const { body: playlist } = await service.call("POST", "playlists", { name: "Long", items });
await using browser = await startBrowser();
await using window = await Window.open(browser, desktop);
const { page } = window;
await window.signIn(service);
const opened = performance.now();
await page.goto(`${service.service.url}/playlists/${playlist.id}`);
await page.getByRole("row").first().waitFor();
printFigure(`a playlist of ${count} items is open, ms`, { ms: Math.round(performance.now() - opened) });
printFigure("rows drawn", { rows: await page.getByRole("row").count() });
await page.evaluate(`
  window.frames_ = [];
  let last = performance.now();
  requestAnimationFrame(function loop(at) { window.frames_.push(at - last); last = at; requestAnimationFrame(loop); });
`);
printFigure("frames at rest, ms", await framesDuring(page, () => page.waitForTimeout(3_000)));
await page.mouse.move(600, 500);
printFigure(
  "frames while scrolling, ms",
  await framesDuring(page, async () => {
    for (let step = 0; step < 120; step += 1) await page.mouse.wheel(0, 400);
  }),
);
await page.evaluate("window.scrollTo(0, 0)");
await page.getByRole("row", { name: "Item 1", exact: true }).click();
const words = page.getByRole("complementary").getByLabel("Text", { exact: true });
await words.focus();
printFigure("a letter typed to the next frame, ms", await timesOf(letters, () => nextFrame(page, () => page.keyboard.press("x"))));
await words.blur();
const down = page.getByRole("button", { name: /^Move Item 1x* down$/ });
printFigure("a move to the next frame, ms", await timesOf(moves, () => nextFrame(page, () => down.press("Enter"))));

async function framesDuring(from: Page, act: () => Promise<void>) {
  await from.evaluate("window.frames_.length = 0");
  await act();
  return percentiles((await from.evaluate("window.frames_.splice(0)")) as number[]);
}

async function timesOf(times: number, act: () => Promise<number>) {
  const measured: number[] = [];
  for (let index = 0; index < times; index += 1) measured.push(await act());
  return percentiles(measured);
}

/** The time from the key's event to the frame after the next, which has what it changed. */
async function nextFrame(from: Page, act: () => Promise<void>): Promise<number> {
  const drawn = from.evaluate(`new Promise((resolve) => {
    addEventListener("keydown", ({ timeStamp }) => requestAnimationFrame(() => requestAnimationFrame((at) => resolve(at - timeStamp))), { once: true, capture: true });
  })`) as Promise<number>;
  await act();
  return drawn;
}
