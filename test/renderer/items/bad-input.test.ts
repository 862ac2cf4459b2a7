// Broken, hostile and oversized content: each item is reported and skipped, or shown as far as possible, and the zone always keeps playing.
import { execFile } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { image, item, consecutiveSlots, stage, video, zone } from "../scenes.ts";
import { isNear, readScreen } from "../screen.ts";
import { useTestBrowser } from "../setup.ts";

const run = promisify(execFile);
const long = 600_000;

const browser = useTestBrowser(async (folder) => {
  const at = (name: string): string => join(folder, name);
  const encode = (name: string, ...options: string[]) => run("ffmpeg", ["-v", "error", ...options, "-pix_fmt", "yuv420p", at(name)]);
  const x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-movflags", "+faststart"];
  await encode("busy.mp4", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=30:d=8", ...x264, "-g", "30");
  // Noise does not compress: 100 Mbit/s and more.
  const noise = "color=c=gray:s=1280x720:r=30:d=3,noise=alls=100:allf=t";
  await encode(
    "heavy.mp4",
    "-f",
    "lavfi",
    "-i",
    noise,
    ...x264,
    "-b:v",
    "110M",
    "-minrate",
    "110M",
    "-maxrate",
    "130M",
    "-bufsize",
    "110M",
  );
  await run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=d=4", "-c:a", "libmp3lame", at("sound.mp3")]);
  const video = await readFile(at("busy.mp4"));
  await writeFile(at("cut.mp4"), video.subarray(0, Math.floor(video.length / 2)));
  const garbled = Buffer.from(video);
  for (let place = Math.floor(video.length / 3); place < video.length; place += 1) garbled[place] = (place * 2_654_435_761) & 0xff;
  await writeFile(at("garbled.mp4"), garbled);
  const sound = await readFile(at("sound.mp3"));
  await Promise.all([
    writeFile(at("empty.mp3"), ""),
    copyFile(at("red.png"), at("picture.mp3")),
    writeFile(at("cut.mp3"), sound.subarray(0, 60)),
    writeFile(at("laughs.svg"), laughs),
    writeFile(
      at("vast.svg"),
      '<svg xmlns="http://www.w3.org/2000/svg" width="1000000" height="1000000"><rect width="100%" height="100%" fill="red"/></svg>',
    ),
    writeFile(at("deep.svg"), `<svg xmlns="http://www.w3.org/2000/svg">${"<g>".repeat(20_000)}${"</g>".repeat(20_000)}</svg>`),
    writeFile(at("vast.pdf"), pdf("[0 0 1000000 1000000]", "1 0 0 rg 0 0 1000000 1000000 re f")),
    writeFile(at("endless.pdf"), pdf("[0 0 800 450]", "0 0 1 rg 0 0 800 450 re f ".repeat(400_000))),
  ]);
});

// Each entity repeats the one before ten times: expanded it would be gigabytes.
const laughs = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "laughter">${Array.from("bcdefghij", (name, index) => `<!ENTITY ${name} "${`&${"abcdefghi"[index]};`.repeat(10)}">`).join("")}]>
<svg xmlns="http://www.w3.org/2000/svg"><text y="20">&j;</text></svg>`;

function pdf(box: string, drawing: string): string {
  const page = `<< /Type /Page /Parent 2 0 R /MediaBox ${box} /Contents 4 0 R >>`;
  // The cross-reference table is missing, so readers have to search for the objects.
  return `%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n${page}\nendobj\n4 0 obj\n<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream\nendobj\ntrailer\n<< /Size 5 /Root 1 0 R >>\n%%EOF\n`;
}

const sound = (name: string): SceneItem => item({ type: "audio", src: `/media/${name}`, media_duration_ms: null, artwork_src: null });
const file = (name: string): SceneItem => item({ type: "pdf", src: `/media/${name}` });

test.for([
  ["an empty audio file", sound("empty.mp3"), /unsupported|decode/],
  ["a picture with the extension of an audio file", sound("picture.mp3"), /unsupported|decode/],
  ["an audio file truncated in its first frame", sound("cut.mp3"), /unsupported|decode/],
  ["an SVG with multiplying entities", image("laughs.svg"), /decode/],
  ["a PDF page of four hundred thousand drawing steps", file("endless.pdf"), /timeout|decode/],
] as const)("[BAD1] %s is reported and skipped, and the zone keeps playing", async ([, bad, code]) => {
  await using opened = await browser.open();
  const { server, page } = opened;
  const slots = consecutiveSlots(server.now() - 50, [
    [bad, 60_000],
    [image("green.png"), long],
  ]);
  server.draw(stage([zone(slots)]));
  const failed = await server.waitForMessage("failed");
  expect(failed).toMatchObject({ item_id: bad.item_id, code: expect.stringMatching(code) });
  await server.waitForMessage("presented", ({ item_id: id }) => id === slots[1]!.item.item_id);
  expect(isNear((await readScreen(page))(480, 270), "green")).toBe(true);
  expect(server.messages.filter(({ type }) => type === "fault")).toEqual([]);
});

test.for([
  ["a video of 100 Mbit/s", video("heavy.mp4", 3_000)],
  ["a video cut in half", video("cut.mp4", 8_000)],
  ["a video corrupted from a third on", video("garbled.mp4", 8_000)],
  ["an SVG of a million pixels a side", image("vast.svg")],
  ["an SVG of twenty thousand levels", image("deep.svg")],
  ["a PDF page of a million points a side", file("vast.pdf")],
] as const)("[BAD2] %s is shown as far as possible or skipped, and the next item is on time", async ([, odd]) => {
  await using opened = await browser.open();
  const { server, page } = opened;
  const slots = consecutiveSlots(server.now() - 50, [
    [odd, 6_000],
    [image("green.png"), long],
  ]);
  server.draw(stage([zone(slots)]));
  const isNext = server.waitForMessage("presented", ({ key }) => key === slots[1]!.key);
  // A video is played in real time, so that its faulty part is reached.
  if (odd.type !== "video") {
    await expect.poll(() => server.messages.some(({ type }) => type === "presented" || type === "failed")).toBe(true);
    await server.advanceTo(slots[1]!.starts_at - 500);
  }
  await isNext;
  expect(isNear((await readScreen(page))(480, 270), "green")).toBe(true);
  const reports = server.messages.filter(
    (message) => message.type === "failed" || (message.type === "presented" && message.item_id === odd.item_id),
  );
  expect(reports.length).toBeGreaterThan(0);
  expect(server.messages.filter(({ type }) => type === "fault")).toEqual([]);
});

test("[BAD3] a feed of twenty entries full of markup, combining marks and very long words stays text inside its zone", async () => {
  await using opened = await browser.open();
  const { server, page } = opened;
  const requestedUrls: string[] = [];
  page.on("request", (request) => requestedUrls.push(request.url()));
  const hostile = `<img src="/media/red.png?from-feed" onerror="fetch('/media/red.png?from-feed')"><script>document.body.remove()</script>`;
  const marks = `Z${"\u0301\u0489".repeat(2_000)}`;
  const titles = [hostile, marks, "x".repeat(50_000), "\u202e".repeat(500) + "back", "&lt;script&gt;".repeat(1_000)];
  const entries = Array.from({ length: 20 }, (_, index) => ({
    title: titles[index % titles.length]!,
    summary: hostile.repeat(50),
    // The last day that the schema allows.
    published_at: Date.UTC(9999, 11, 31),
  }));
  const styles = [{ style: "cards", entry_duration_ms: 1_000 }, { style: "ticker" }] as const;
  for (const style of styles) {
    const feed = item({ type: "feed", timezone: "UTC", title: hostile, entries, trouble: null, ...style });
    const slots = consecutiveSlots(server.now() - 50, [
      [feed, 8_000],
      [image("green.png"), long],
    ]);
    server.draw(stage([zone(slots)]));
    await server.waitForMessage("presented", ({ item_id: id }) => id === feed.item_id);
    expect(await page.locator(".feed img, .feed script").count()).toBe(0);
    await server.speedUp(
      3,
      server.waitForMessage("presented", ({ key }) => key === slots[1]!.key),
    );
  }
  expect(requestedUrls.filter((url) => url.includes("from-feed"))).toEqual([]);
  expect(server.messages.filter(({ type }) => type === "fault" || type === "failed")).toEqual([]);
});
