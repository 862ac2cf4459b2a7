// The cost of a preview: its bytes over the line, the time until its first picture and between pictures, and what the service and the
// console compute for a screen with many schedules and a long playlist.
import { PreviewPlayback } from "../renderer/console/preview/playback.ts";
import { previewContentOf } from "../renderer/console/preview/content.ts";
import { desktop, startBrowser, startConsoleService, Window } from "../test/support/console/console.ts";
import { plainImage } from "../test/support/media/media.ts";
import { buildPageIfStale } from "../test/support/page-build.ts";
import { percentiles, printFigure } from "./lib.ts";

const items = Number(process.argv[2] ?? 1_000);
const schedules = Number(process.argv[3] ?? 300);
const rounds = Number(process.argv[4] ?? 20);
const size = { width: 1_920, height: 1_080 };
const dayMs = 86_400_000;
const noFeed = () => ({ title: "", entries: [], trouble: null });

await buildPageIfStale();
await using service = await startConsoleService();
const created = async (path: string, body: object): Promise<string> => {
  const { status, body: answer } = await service.call("POST", path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
  return answer.id as string;
};
const device = await service.pairDevice("Lobby");
const { body: asset } = await service.upload(await plainImage([200, 60, 40], 1_920, 1_080), "image/png");
const item = { type: "image", asset_id: asset.id, duration_ms: 10_000 };
const playlist_id = await created("playlists", { name: "Long", items: Array.from({ length: items }, () => item) });
const layout_id = await created("layouts", { name: "Lobby", ...size, zones: [{ name: "Main", left: 0, top: 0, ...size, playlist_id }] });
await service.call("PATCH", `players/${device.playerId}`, { layout_id, timezone: "Europe/Berlin" });
const first = Math.floor(Date.now() / dayMs) * dayMs;
const wall = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
for (let n = 0; n < schedules; n += 1) {
  const start = first + ((n * 37) % 1_440) * 60_000;
  const timing = { starts_at: wall(start), ends_at: wall(start + 3_600_000), rrule: "FREQ=DAILY", priority: n % 5 };
  await created("schedules", { name: `Schedule ${n}`, layout_id, target: { type: "player", player_id: device.playerId }, ...timing });
}

const timed = async (work: () => unknown): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
const repeated = async (work: (round: number) => unknown): Promise<number[]> => {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await timed(() => work(round)));
  return times;
};

const ticketOf = async () => (await service.call("POST", "preview-tickets", { player_id: device.playerId })).body;
printFigure("a ticket for a preview, ms", percentiles(await repeated(ticketOf)));
const { ticket } = await ticketOf();
const content = () => service.call("GET", `preview-tickets/${ticket}/content`);
printFigure("what the preview shows, ms", percentiles(await repeated(content)));
const { body: shown } = await content();
printFigure("what the preview shows, kB", { kilobytes: Math.round(JSON.stringify(shown).length / 1_000), items, schedules });
const random = (round: number): number => first + ((round * 7_919) % 700) * (dayMs / 100);
const opened = previewContentOf(shown);
const fresh = (round: number) => new PreviewPlayback({ ...opened }, noFeed).seekTo(random(round));
printFigure("the scene of an instant after an edit, ms", percentiles(await repeated(fresh)));
const playback = new PreviewPlayback(opened, noFeed);
printFigure("the scene of another instant, ms", percentiles(await repeated((round) => playback.seekTo(random(round)))));

await using browser = await startBrowser();
await using window = await Window.open(browser, desktop, { isEverIdle: true });
const { page } = window;
await window.signIn(service, `/screens/${device.playerId}`);
const session = await window.context.newCDPSession(page);
await session.send("Network.enable");
let bytes = 0;
session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
const drawn = page.locator(".preview[data-drawn]");
const firstPicture = await timed(async () => {
  await page.getByRole("tab", { name: "Preview" }).click();
  await drawn.waitFor();
});
printFigure("the first picture of a preview, ms", { ms: Math.round(firstPicture), kilobytes: Math.round(bytes / 1_000) });
const next = page.getByRole("button", { name: "Next item" });
const steps = await repeated(async () => {
  const isDrawn = page.evaluate(`new Promise((resolve) => {
    const preview = document.querySelector(".preview");
    new MutationObserver(() => preview.ariaBusy === "false" && resolve()).observe(preview, { attributeFilter: ["aria-busy"] });
  })`);
  await next.click();
  await isDrawn;
});
printFigure("another item of a preview, ms", percentiles(steps));
