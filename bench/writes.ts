// What a player writes to its disk while it plays cached content, by kind of process, in megabytes per hour.
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { temporaryFolder } from "../test/support/folder.ts";
import { numberedVideo, plainImage } from "../test/support/media/media.ts";
import { startPlayer, startService } from "../test/support/programs/programs.ts";
import { type RouteHandler, startWebServer } from "../test/support/network/web-server.ts";
import { printFigure, writtenBytes } from "./lib.ts";

const minutes = Number(process.argv[2] ?? 60);
// A start writes more, mostly within four minutes. These seconds are not measured.
const settleMs = 1_000 * Number(process.argv[3] ?? 240);
// `web` adds a page that stores its state every second, and whose script and data may be cached.
const hasWebPage = process.argv[4] === "web";
const itemMs = 10_000;
const sampleMs = 5_000;
const budget = 5;

/** A page that changes a cookie and its local storage every second, and loads data that may be cached for a second. */
const storingPage = `<!doctype html><body style="background:#123"><script src="/page.js"></script>`;
const script = cacheable(
  "text/javascript",
  3_600,
  `
  // ${"x".repeat(2_000)}
  setInterval(() => {
    document.cookie = "at=" + Date.now() + "; max-age=86400";
    localStorage.setItem("at", String(Date.now()));
    fetch("/data").then((response) => response.arrayBuffer());
  }, 1000);`,
);
const data = cacheable("application/octet-stream", 1, Buffer.alloc(20_000, 7));

await using folder = await temporaryFolder();
// The browser's own user can enter it, so the profile is in it too.
const playerFolder = join(folder.path, "player");
await mkdir(playerFolder, { mode: 0o711 });
await chmod(folder.path, 0o711);
await using site = await startWebServer("127.0.0.7", { "/": storingPage, "/page.js": script, "/data": data });
await using service = await startService(join(folder.path, "service"));
const { api } = service;
const image = async (color: readonly [number, number, number]) => ({
  type: "image",
  asset_id: await api.upload("image.png", await plainImage(color, 1920, 1080)),
  duration_ms: itemMs,
});
const video = { type: "video", asset_id: await api.upload("video.mp4", await numberedVideo(10)), muted: true, duration_ms: itemMs };
const web = { type: "web", url: `${site.origin}/`, duration_ms: itemMs };
const items = [await image([200, 30, 40]), video, await image([20, 120, 60]), ...(hasWebPage ? [web] : [])];
const { layoutId } = await api.publish(items);
await using player = startPlayer(api.url, playerFolder);
await api.pair(player, layoutId);
await player.line("presented");
await wait(settleMs);

/** The highest reading of each process: one that has ended keeps its last. */
const first = writtenBytes(player.pid);
const last = new Map(first);
const started = performance.now();
while (performance.now() - started < minutes * 60_000) {
  await wait(Math.min(sampleMs, minutes * 60_000 - (performance.now() - started)));
  for (const [pid, written] of writtenBytes(player.pid)) last.set(pid, written);
}
const hours = (performance.now() - started) / 3_600_000;
const byRole = new Map<string, number>();
for (const [pid, { role, bytes }] of last) {
  byRole.set(role, (byRole.get(role) ?? 0) + bytes - (first.get(pid)?.bytes ?? 0));
}
for (const [role, bytes] of byRole) printFigure("written to the disk, MB per hour", { by: role, n: perHour(bytes) });
const total = [...byRole.values()].reduce((sum, bytes) => sum + bytes, 0);
printFigure("written to the disk, MB per hour", { by: "all", n: perHour(total), budget, minutes });

function perHour(bytes: number): number {
  return Math.round((100 * bytes) / hours / 1e6) / 100;
}

function cacheable(type: string, seconds: number, body: string | Buffer): RouteHandler {
  return (_request, response) => response.writeHead(200, { "content-type": type, "cache-control": `max-age=${seconds}` }).end(body);
}
