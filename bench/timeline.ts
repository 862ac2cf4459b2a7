// The timeline of 300 screens × a week with 300 schedules, beside 300 single forecasts, and the effect of one more schedule; then the
// pages of both in a browser: opening, frames while scrolling, and the time from a key to its frame.
import { desktop, startBrowser, Window } from "../test/support/console/console.ts";
import { startWall } from "../test/support/console/wall.ts";
import { framesDuring, noteFrames, scrollDown, toNextFrame } from "./frames.ts";
import { percentiles, printFigure } from "./lib.ts";

const screens = Number(process.argv[2] ?? 300);
const schedules = Number(process.argv[3] ?? 300);
const rounds = Number(process.argv[4] ?? 5);
const tags = 10;
const inOneRequest = 40;
const dayMs = 86_400_000;
const rules = ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,WE", "FREQ=WEEKLY;BYDAY=FR", "FREQ=MONTHLY;BYDAY=1TU"];
const wall = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

const stored = Array.from({ length: screens }, (_, n) => ({ name: `Screen ${n}`, tags: [`tag ${n % tags}`], says: {} }));
await using started = await startWall(stored);
const { service, ids } = started;
const created = async (path: string, body: object): Promise<string> => {
  const { status, body: answer } = await service.call("POST", path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
  return answer.id as string;
};
const layouts: string[] = [];
// Half of the layouts have something to show in the daytime only.
for (let n = 0; n < 20; n += 1) {
  const dayparts = n % 2 === 0 ? {} : { dayparts: [{ from: "08:00", until: "20:00" }] };
  const items = Array.from({ length: 20 }, (_, place) => ({ type: "text", text: `Item ${place}`, ...dayparts }));
  const zone = { name: "Main", left: 0, top: 0, width: 100, height: 100 };
  const playlist_id = await created("playlists", { name: `Playlist ${n}`, items });
  layouts.push(await created("layouts", { name: `Layout ${n}`, width: 100, height: 100, zones: [{ ...zone, playlist_id }] }));
}
const first = Math.floor(Date.now() / dayMs) * dayMs;
const scheduleOf = (n: number, tag: string): object => {
  const start = first - 7 * dayMs + ((n * 37) % 1_440) * 60_000;
  const times = { starts_at: wall(start), ends_at: wall(start + 3 * 3_600_000), rrule: rules[n % rules.length] };
  return { name: `Schedule ${n}`, layout_id: layouts[n % layouts.length], target: { type: "tag", tag }, priority: n % 5, ...times };
};
for (let n = 0; n < schedules; n += 1) await created("schedules", scheduleOf(n, `tag ${n % tags}`));

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
const span = `from=${new Date(first).toISOString()}&to=${new Date(first + 7 * dayMs).toISOString()}`;
const measured = async (name: string, work: () => Promise<unknown>): Promise<void> => {
  await work();
  const all: number[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await timed(work));
  printFigure(name, percentiles(all));
};
await measured(`the timeline of ${screens} screens, ${inOneRequest} in a request, ms`, async () => {
  for (let from = 0; from < ids.length; from += inOneRequest) {
    await service.call("GET", `timeline?${span}&limit=${inOneRequest}&ids=${ids.slice(from, from + inOneRequest).join()}`);
  }
});
await measured(`${screens} single forecasts, ms`, async () => {
  for (const id of ids) await service.call("GET", `players/${id}/forecast?${span}&limit=500`);
});
await measured("the effect of one more schedule on all screens, ms", () =>
  service.call("POST", "schedules/effect", { changes: [{ change: { ...scheduleOf(1, "tag 1"), target: { type: "team" }, priority: 9 } }] }),
);

await using browser = await startBrowser();
await using window = await Window.open(browser, { ...desktop, timezoneId: "UTC" }, { isEverIdle: true });
const { page } = window;
await window.signIn(service);
const opened = async (name: string, path: string, piece: string): Promise<void> => {
  printFigure(name, {
    ms: Math.round(
      await timed(async () => {
        await page.goto(`${service.service.url}${path}`);
        await page.locator(piece).first().waitFor();
      }),
    ),
  });
  await noteFrames(page);
  printFigure("frames at rest, ms", await framesDuring(page, () => page.waitForTimeout(2_000)));
};
await opened(`a week of ${schedules} schedules is open, ms`, "/schedules", ".calendar-block");
printFigure("blocks drawn", { blocks: await page.locator(".calendar-block").count() });
await page.mouse.move(800, 600);
printFigure("frames while scrolling the week, ms", await framesDuring(page, () => scrollDown(page, 60)));
await page.locator(".calendar-block .calendar-link").first().focus();
const shifts: number[] = [];
for (let count = 0; count < 20; count += 1) {
  const key = count % 2 === 0 ? "Shift+ArrowDown" : "Shift+ArrowUp";
  shifts.push(await toNextFrame(page, () => page.keyboard.press(key)));
}
printFigure("a schedule moved by a key to its frame, ms", percentiles(shifts));
await page.keyboard.press("Escape");

await opened(`the timeline of ${screens} screens is open, ms`, "/timeline", ".timeline-piece");
printFigure("frames while scrolling the timeline, ms", await framesDuring(page, () => scrollDown(page, 60)));
await page.evaluate("scrollTo(0, 0)");
await page.locator(".timeline-piece").first().focus();
const steps: number[] = [];
for (let count = 0; count < 40; count += 1) steps.push(await toNextFrame(page, () => page.keyboard.press("ArrowDown")));
printFigure("from screen to screen by a key to its frame, ms", percentiles(steps));
