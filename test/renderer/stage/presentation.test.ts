// When the page says that something was presented, and in which order it says so.
import { expect, test, vi } from "vitest";
import { ReportQueue } from "../../../renderer/player/link/report-queue.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { newId } from "../../support/states.ts";
import { image, slot, stage, zone } from "../scenes.ts";
import { colorNames, isNear, recordScreenTimes } from "../screen.ts";
import { useTestBrowser } from "../setup.ts";

const browser = useTestBrowser();

test("[POP27] what is reported while the instant of a play is not known yet follows it", async () => {
  const sent: FromPage[] = [];
  const order = new ReportQueue((message) => sent.push(message));
  const fault = (detail: string): FromPage => ({ type: "fault", detail });
  order.report(fault("before"));
  expect(sent).toEqual([fault("before")]);
  const { promise: at, resolve: known } = Promise.withResolvers<number>();
  const picture = { type: "presented", zone_id: newId("zon"), key: "k", item_id: newId("itm"), asset_id: null } as const;
  order.reportPresented(picture, at);
  order.report(fault("after"));
  order.reportPresented({ ...picture, key: "second" }, Promise.resolve(7));
  await Promise.resolve();
  expect(sent).toHaveLength(1);
  known(5);
  await vi.waitFor(() => expect(sent).toHaveLength(4));
  expect(sent.slice(1)).toEqual([{ ...picture, at: 5 }, fault("after"), { ...picture, key: "second", at: 7 }]);
  order.report(fault("last"));
  expect(sent.at(-1)).toEqual(fault("last"));
});

test("[POP27] a play is told with the instant at which the browser presented its first frame", async () => {
  await using opened = await browser.open();
  const { page, server } = opened;
  const names = colorNames.slice(0, 4);
  const begin = server.now() + 500;
  const slots = Array.from({ length: 9 }, (_, index) => slot(image(`${names[index % 4]}.png`), begin + 600 * index, 600));
  const frames = await recordScreenTimes(page, [0.5, 0.5], async () => {
    server.draw(stage([zone(slots)]));
    await server.waitForMessage("presented", ({ key }) => key === slots.at(-1)!.key, { timeoutMs: 30_000 });
  });
  const told = server.messages.flatMap((message) => (message.type === "presented" ? [message] : []));
  // The first comes on when it is loaded; frames of the compositor carry the machine's own time, and so does this server.
  const apart = told.slice(1, -1).flatMap(({ key, at }) => {
    const name = names[slots.findIndex((each) => each.key === key) % 4]!;
    const first = frames.find((frame) => frame.at > at - 350 && isNear(frame.color, name));
    return first === undefined ? [] : [Math.abs(first.at - at)];
  });
  expect(apart.length).toBeGreaterThan(5);
  expect(apart.toSorted((a, b) => a - b)[Math.floor(apart.length / 2)]).toBeLessThan(100);
});
