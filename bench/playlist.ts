// The playlist editor with a thousand items: opening, frames while scrolling, and the time from an act to the next frame.
import { desktop, startBrowser, startConsoleService, Window } from "../test/support/console/console.ts";
import { picture } from "../test/service/harness.ts";
import { endSharedMediaProcesses } from "../test/service/shared-media-process.ts";
import { framesDuring, noteFrames, scrollDown, toNextFrame } from "./frames.ts";
import { percentiles, printFigure } from "./lib.ts";

const count = Number(process.argv[2] ?? 1_000);
const letters = 80;
const lettersInRound = 10;
const moves = 20;

// The services of a process share their media processes, and would leave them running.
await using ending = new AsyncDisposableStack();
ending.defer(endSharedMediaProcesses);
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
await using window = await Window.open(browser, desktop, { isEverIdle: true });
const { page } = window;
await window.signIn(service);
const opened = performance.now();
await page.goto(`${service.service.url}/playlists/${playlist.id}`);
await page.getByRole("row").first().waitFor();
printFigure(`a playlist of ${count} items is open, ms`, { ms: Math.round(performance.now() - opened) });
printFigure("rows drawn", { rows: await page.getByRole("row").count() });
await noteFrames(page);
printFigure("frames at rest, ms", await framesDuring(page, () => page.waitForTimeout(3_000)));
await page.mouse.move(600, 500);
printFigure("frames while scrolling, ms", await framesDuring(page, () => scrollDown(page, 120)));
await page.evaluate("window.scrollTo(0, 0)");
await page.getByRole("row", { name: "Item 1", exact: true }).click();
const words = page.getByRole("complementary").getByLabel("Text", { exact: true });
await words.focus();
// Beside a field of the same page that changes nothing else: the rest is the editor's.
await page.evaluate("document.body.append(Object.assign(document.createElement('input'), { ariaLabel: 'Plain' }))");
const plain = page.getByLabel("Plain", { exact: true });
const typed: Record<"words" | "plain", number[]> = { words: [], plain: [] };
for (let round = 0; round < letters / lettersInRound; round += 1) {
  for (const [name, field] of [["words", words] as const, ["plain", plain] as const]) {
    await field.focus();
    for (let letter = 0; letter < lettersInRound; letter += 1) typed[name].push(await toNextFrame(page, () => page.keyboard.press("x")));
  }
}
printFigure("a letter typed to the next frame, ms", percentiles(typed.words));
printFigure("the same in a plain field of the page, ms", percentiles(typed.plain));
await plain.evaluate("(field) => field.remove()");
const down = page.getByRole("button", { name: /^Move x*Item 1x* down$/ });
printFigure("a move to the next frame, ms", await timesOf(moves, () => toNextFrame(page, () => down.press("Enter"))));

async function timesOf(times: number, act: () => Promise<number>) {
  const measured: number[] = [];
  for (let index = 0; index < times; index += 1) measured.push(await act());
  return percentiles(measured);
}
