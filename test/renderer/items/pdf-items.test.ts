// PDFs on a real Chromium: page by page, with a thousand pages, broken.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pdfOf } from "../../support/media/pdf.ts";
import { image, item, slot, stage, zone } from "../scenes.ts";
import { colorNames, colors, isNear, readScreen, recordScreen } from "../screen.ts";
import type { OpenedPage } from "../test-browser.ts";
import { useTestBrowser } from "../setup.ts";

const browser = useTestBrowser(async (folder) => {
  const put = (name: string, bytes: Buffer | string): Promise<void> => writeFile(join(folder, name), bytes);
  const three = pdfOf([colors.red, colors.green, colors.blue]);
  await Promise.all([
    put("three.pdf", three),
    put("thousand.pdf", pdfOf(Array.from({ length: 1_000 }, (_, page) => colors[colorNames[page % colorNames.length]!]))),
    put("empty.pdf", ""),
    put("broken.pdf", "%PDF-1.7 and nothing else"),
    put("mislabelled.pdf", "<html>not found</html>"),
  ]);
});

const long = 6_000_000;

async function presented({ server }: OpenedPage, shown: ReturnType<typeof item>, startsAt = server.now() - 100): Promise<void> {
  const play = slot(shown, startsAt, long);
  server.draw(stage([zone([play])]));
  await server.waitForMessage("presented", ({ key }) => key === play.key);
}

const nameOn = async ({ page }: OpenedPage): Promise<string | undefined> => {
  const color = (await readScreen(page))(700, 100);
  return colorNames.find((name) => isNear(color, name));
};

test("[ITM24] a PDF's pages follow one another, drawn at the zone's size, and start again after the last, with nothing in between", async () => {
  await using opened = await browser.openDriven();
  const { page, time } = opened;
  await presented(opened, item({ type: "pdf", src: "/media/three.pdf", page_duration_ms: 1_000 }));
  expect(await page.evaluate("[...document.querySelectorAll('canvas')].map(({ width, height }) => [width, height])")).toContainEqual([
    960, 540,
  ]);
  const seen = await recordScreen(page, [0.7, 0.2], () => time.advance(4_500));
  const names = seen.map((color) => colorNames.find((name) => isNear(color, name)) ?? `foreign ${color.join()}`);
  const changes = names.filter((name, index) => name !== names[index - 1]);
  expect(new Set(changes)).toEqual(new Set(["red", "green", "blue"]));
  const after: Record<string, string> = { red: "green", green: "blue", blue: "red" };
  for (const [index, name] of changes.slice(1).entries()) expect(name).toBe(after[changes[index]!]);
  // The number uses a font that the file does not contain.
  const at = await readScreen(page);
  expect(Array.from({ length: 300 }, (_, x) => at(40 + x, 470)).some(([r, g, b]) => Math.min(r, g, b) > 200)).toBe(true);
});

test("[ITM25] a PDF that starts late shows the page that is due; the first and the last page limit it", async () => {
  await using opened = await browser.open();
  const { server } = opened;
  await presented(opened, item({ type: "pdf", src: "/media/three.pdf", page_duration_ms: 60_000 }), server.now() - 130_000);
  expect(await nameOn(opened)).toBe("blue");
  await presented(
    opened,
    item({ type: "pdf", src: "/media/three.pdf", page_duration_ms: 60_000, first_page: 2, last_page: 2 }),
    server.now() - 130_000,
  );
  expect(await nameOn(opened)).toBe("green");
});

test("[ITM26] of a PDF with a thousand pages only the pages in use are kept in memory", async () => {
  await using opened = await browser.open();
  const { page, server } = opened;
  const session = await page.context().newCDPSession(page);
  const memory = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { nodes } = await session.send("Memory.getDOMCounters");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return { nodes, megabytes: usedSize / 1e6 };
  };
  await presented(opened, item({ type: "pdf", src: "/media/thousand.pdf", page_duration_ms: 1_000 }), server.now() - 998_000);
  await page.evaluate(
    `window.turns = 0; new MutationObserver(() => turns++).observe(document.querySelector(".pdf"), { subtree: true, attributes: true, attributeFilter: ["style"] })`,
  );
  const turned = (count: number) => expect.poll(() => page.evaluate<number>("turns")).toBeGreaterThan(count);
  await server.speedUp(3, turned(6));
  const before = await memory();
  await server.speedUp(3, turned(30));
  const after = await memory();
  expect(await page.locator("canvas").count()).toBe(2);
  expect(after.nodes).toBeLessThanOrEqual(before.nodes + 5);
  expect(after.megabytes).toBeLessThan(before.megabytes + 3);
});

test.each([
  ["empty.pdf", {}, "decode", /InvalidPDFException|empty/i],
  ["broken.pdf", {}, "decode", /InvalidPDFException/],
  ["mislabelled.pdf", {}, "decode", /InvalidPDFException/],
  ["missing.pdf", {}, "load", /HTTP 404/],
  ["three.pdf", { first_page: 9 }, "unsupported", /has 3 pages/],
])("[ITM27] %s (%j) is reported as %s, and its worker thread is ended", async (name, about, code, reason) => {
  await using opened = await browser.open();
  const { server, page } = opened;
  const play = slot(item({ type: "pdf", src: `/media/${name}`, ...about }), server.now() - 100, long);
  server.draw(stage([zone([play])]));
  const failed = await server.waitForMessage("failed", ({ key }) => key === play.key);
  expect(failed.code).toBe(code);
  expect(failed.detail).toMatch(reason);
  await expect.poll(() => page.workers().length).toBe(0);
  await presented(opened, image("green.png"));
  expect(await nameOn(opened)).toBe("green");
});
