// Presentation reports: their instants and their order.
import { expect, test, vi } from "vitest";
import { ReportQueue } from "../../../renderer/player/link/report-queue.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { startPageServer } from "../../support/browser/page-server.ts";
import { newId } from "../../support/states.ts";
import { image, slot, stage, zone } from "../scenes.ts";
import { colorNames, isNear, recordScreenTimes } from "../screen.ts";
import { useTestBrowser } from "../setup.ts";

const hourMs = 3_600_000;

const browser = useTestBrowser();

test("[POP27] reports made while the instant of a play is unknown are sent after that play", async () => {
  const sent: FromPage[] = [];
  const queue = new ReportQueue((message) => sent.push(message));
  const fault = (detail: string): FromPage => ({ type: "fault", detail });
  queue.report(fault("before"));
  expect(sent).toEqual([fault("before")]);
  const { promise: at, resolve: known } = Promise.withResolvers<number>();
  const picture = { type: "presented", zone_id: newId("zon"), key: "k", item_id: newId("itm"), asset_id: null } as const;
  queue.reportPresented(picture, at);
  queue.report(fault("after"));
  queue.reportPresented({ ...picture, key: "second" }, Promise.resolve(7));
  await Promise.resolve();
  expect(sent).toHaveLength(1);
  known(5);
  await vi.waitFor(() => expect(sent).toHaveLength(4));
  expect(sent.slice(1)).toEqual([{ ...picture, at: 5 }, fault("after"), { ...picture, key: "second", at: 7 }]);
  queue.report(fault("last"));
  expect(sent.at(-1)).toEqual(fault("last"));
});

test("[POP27] a play is reported with the instant at which the browser presented its first frame", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { page, server } = opened;
  const names = colorNames.slice(0, 4);
  const begin = server.now() + 500;
  const slots = Array.from({ length: 9 }, (_, index) => slot(image(`${names[index % 4]}.png`), begin + 600 * index, 600));
  const frames = await recordScreenTimes(page, [0.5, 0.5], async () => {
    server.draw(stage([zone(slots)]));
    await server.waitForMessage("presented", ({ key }) => key === slots.at(-1)!.key);
  });
  const reports = server.messages.flatMap((message) => (message.type === "presented" ? [message] : []));
  // The first play starts when it is loaded. Compositor frames and this server use the machine's own time.
  const differences = reports.slice(1, -1).flatMap(({ key, at }) => {
    const name = names[slots.findIndex((each) => each.key === key) % 4]!;
    const first = frames.find((frame) => frame.at > at - 350 && isNear(frame.color, name));
    return first === undefined ? [] : [Math.abs(first.at - at)];
  });
  expect(differences.length).toBeGreaterThan(5);
  expect(differences.toSorted((a, b) => a - b)[Math.floor(differences.length / 2)]).toBeLessThan(100);
});

test("[POP27] on a page that runs by itself the instant is the one that the browser reports for the frame", async () => {
  await using server = await startPageServer(browser.mediaFolder, browser.rendererFolder);
  const page = await browser.chromium.newPage({ viewport: { width: 480, height: 270 } });
  // The browser's own entries (Element Timing), an hour earlier, so that they cannot be confused with any other time of the page.
  await page.addInitScript(`window.PerformanceObserver = class extends PerformanceObserver {
    constructor(callback) {
      const hourEarlier = ({ identifier, renderTime }) => ({ identifier, renderTime: renderTime - ${hourMs} });
      super((list, observer) => callback({ getEntries: () => list.getEntries().map(hourEarlier) }, observer));
    }
  };`);
  await page.goto(server.url);
  await server.waitForMessage("hello");
  const from = server.now();
  server.draw(
    stage([zone(Array.from({ length: 300 }, (_, index) => slot(image(`${colorNames[index % 2]}.png`), from + 600 * index, 600)))]),
  );
  // A busy browser may report a frame too late; the time of a later frame is told then.
  const { at } = await server.waitForMessage("presented", (message) => message.at < from - hourMs / 2);
  expect(at + hourMs).toBeGreaterThan(from);
  expect(at + hourMs).toBeLessThan(server.now());
  await page.close();
});

test("[POP28] an item that appears only when the next layout already replaces its own is not reported: nobody saw it there", async () => {
  await using opened = await browser.openDriven();
  const { server } = opened;
  const at = server.now() + 5_000;
  const [first, changed] = [slot(image("red.png"), at - 6_000, 6_000), slot(image("green.png"), at, 5_000)];
  // The second zone keeps its picture for the next play.
  const continued = image("magenta.png");
  const [before, after] = [slot(continued, at - 6_000, 6_000), slot(continued, at, 5_000)];
  const right = zone([before, after], { left: 480, width: 480 });
  const { screen } = stage([zone([first, changed], { width: 480 }), right]);
  const next = stage([zone([slot(image("blue.png"), at, 600_000)])]).screen;
  if (next.is !== "stage") throw new Error("no stage was created");
  server.draw({ screen, identify: null, upcoming: [{ at, stage: next.stage }] });
  const { key: nextKey } = next.stage.zones[0]!.slots[0]!;
  await server.waitForMessage("presented", ({ key }) => key === nextKey);
  await server.waitForMessage("beat", () => true, { from: server.messages.length });
  const presented = server.messages.flatMap((message) => (message.type === "presented" ? [message.key] : []));
  expect(presented.toSorted()).toEqual([first.key, before.key, nextKey].toSorted());
});
