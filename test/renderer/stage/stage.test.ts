// The stage on a real Chromium: positions, changes on time without foreign frames, and long runs.
import { expect, test } from "vitest";
import type { Scene, SceneZone } from "../../../src/protocol/scene.ts";
import { clockFace, image, consecutiveSlots, slot, stage, text, video, zone } from "../scenes.ts";
import { colorSequence, isNear, readScreen, recordScreen } from "../screen.ts";
import { poll, useTestBrowser } from "../setup.ts";

const browser = useTestBrowser();

const long = 600_000;
const stageKey = "stg_00000000000000000000000000";

test("[PAG5] items fill their zones in stage pixels; the stage is scaled as a whole, with black around it", async () => {
  await using opened = await browser.openDriven(960, 720);
  const { page, server } = opened;
  const start = server.now() - 100;
  server.draw(
    stage([
      zone(consecutiveSlots(start, [[image("red.png"), long]]), { width: 600, height: 400 }),
      zone(consecutiveSlots(start, [[video("blue.mp4", 5_000), long]]), { left: 600, width: 300, height: 400 }),
      zone(consecutiveSlots(start, [[text("مرحبا 欢迎 Welcome", "#203040"), long]]), {
        top: 400,
        width: 600,
        height: 140,
      }),
      zone(consecutiveSlots(start, [[clockFace("#403020"), long]]), {
        left: 600,
        top: 400,
        width: 300,
        height: 140,
      }),
      zone(consecutiveSlots(start, [[image("green.png"), long]]), {
        left: 20,
        top: 20,
        width: 50,
        height: 50,
        z_index: 2,
      }),
    ]),
  );
  await server.waitForMessage("presented", ({ asset_id }) => asset_id === null);
  const at = await readScreen(page);
  // 960x540 in 960x720: 90 rows of black above and below.
  expect(at(480, 40)).toEqual([0, 0, 0]);
  expect(at(480, 680)).toEqual([0, 0, 0]);
  expect(isNear(at(300, 290), "red")).toBe(true);
  expect(isNear(at(750, 290), "blue")).toBe(true);
  expect(isNear(at(4, 494), [0x20, 0x30, 0x40])).toBe(true);
  expect(isNear(at(604, 494), [0x40, 0x30, 0x20])).toBe(true);
  expect(isNear(at(930, 290), [0x10, 0x20, 0x30])).toBe(true);
  expect(isNear(at(45, 135), "green")).toBe(true);
  const words = (await page.locator(".words").boundingBox())!;
  expect(words.y).toBeGreaterThanOrEqual(490);
  expect(words.y + words.height).toBeLessThanOrEqual(630);
  expect(words.height).toBeGreaterThan(60);
});

test("[PAG6] twenty changes between pictures and videos show no blank or foreign frame and are on time", async () => {
  await using opened = await browser.openDriven(480, 270);
  const { page, server, time } = opened;
  const start = server.now() + 1_000;
  const plays = Array.from({ length: 7 }, () => [
    [image("red.png"), 300],
    [video("blue.mp4", 5_000), 300],
    [image("green.png"), 300],
  ]).flat() as Parameters<typeof consecutiveSlots>[1];
  const first = slot(image("yellow.png"), start - 2_000, 2_000);
  const slots = [first, ...consecutiveSlots(start, plays)];
  server.draw(stage([zone(slots)]));
  await server.waitForMessage("presented", ({ key }) => key === first.key);
  const seen = await recordScreen(page, [0.5, 0.5], async () => {
    await server.waitForMessage("presented", ({ key }) => key === slots.at(-1)!.key);
    await time.advance(250);
  });
  expect(seen.length).toBeGreaterThan(40);
  expect(colorSequence(seen)).toEqual(["yellow", ...Array.from({ length: 7 }, () => ["red", "blue", "green"]).flat()]);
  const late = server.messages.flatMap((message) => {
    if (message.type !== "presented" || message.key === first.key) return [];
    return [message.at - slots.find(({ key }) => key === message.key)!.starts_at];
  });
  expect(late).toHaveLength(21);
  expect(Math.min(...late)).toBeGreaterThan(-10);
  // A busy machine presents ten frames a second; bench/changes measures an idle machine.
  expect(late.toSorted((a, b) => a - b)[10]).toBeLessThan(100);
});

test("[PAG7] a scene that names the same play does not restart it; a video keeps its position", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const scene = stage([zone(consecutiveSlots(server.now(), [[video("steps.mp4", 6_000), 6_000]]))]);
  server.draw(scene);
  await server.waitForMessage("presented");
  await page.evaluate('window.before = document.querySelector("video"); window.begun = before.currentTime');
  await time.advance(300);
  const [drawn] = zonesOf(scene);
  drawn!.slots = [{ ...drawn!.slots[0]!, ends_at: drawn!.slots[0]!.ends_at + 500 }, slot(image("red.png"), server.now() + 9_000, 1_000)];
  server.draw(scene);
  await time.advance(300);
  expect(await page.evaluate('document.querySelectorAll("video").length === 1 && document.querySelector("video") === before')).toBe(true);
  const moved = await page.evaluate<number>("before.currentTime - begun");
  expect(moved).toBeGreaterThan(0.4);
  expect(server.messages.filter(({ type }) => type === "presented")).toHaveLength(1);
});

test("[PAG8] a removed item is replaced as soon as the due item is ready", async () => {
  await using opened = await browser.openDriven();
  const { page, server } = opened;
  const scene = stage([zone(consecutiveSlots(server.now(), [[image("red.png"), long]]))]);
  server.draw(scene);
  await server.waitForMessage("presented");
  const next = slot(image("green.png"), server.now() - 5_000, long);
  zonesOf(scene)[0]!.slots = [next];
  const startedAt = server.now();
  server.draw(scene);
  const { at } = await server.waitForMessage("presented", ({ key }) => key === next.key);
  // The removed item's slot ends much later; the next item still has to be loaded.
  expect(at - startedAt).toBeLessThan(2_000);
  expect(isNear((await readScreen(page))(480, 270), "green")).toBe(true);
});

test.for([0, 200])(
  "[PAG9] a new layout whose items start in %i ms is built hidden and replaces the old one as a whole in one frame",
  async (inMs) => {
    await using opened = await browser.openDriven(480, 270);
    const { page, server, time } = opened;
    server.draw(stage([zone(consecutiveSlots(server.now(), [[image("red.png"), long]]))]));
    await server.waitForMessage("presented");
    server.mediaDelayMs = 150;
    const left = { width: 480 };
    const right = { left: 480, width: 480 };
    const slots = consecutiveSlots(server.now() + inMs, [[video("blue.mp4", 5_000), long]]);
    const other = stage([zone(consecutiveSlots(server.now() + inMs, [[image("green.png"), long]]), left), zone(slots, right)]);
    const seen = await recordScreen(page, [0.25, 0.5], async () => {
      server.draw(other);
      await server.waitForMessage("presented", ({ key }) => key === slots[0]!.key);
      await time.advance(150);
    });
    expect(colorSequence(seen)).toEqual(["red", "green"]);
    const at = await readScreen(page);
    expect(isNear(at(120, 135), "green") && isNear(at(360, 135), "blue")).toBe(true);
    expect(await page.locator(".layer").count()).toBe(1);
  },
);

test("[PAG10] an item that cannot be shown is reported once, the previous one stays, and the next is on time", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const plays = consecutiveSlots(server.now() - 100, [
    [image("red.png"), 600],
    [image("missing.png"), 500],
    [video("broken.mp4", 3_000), 500],
    [image("broken.png"), 500],
    [image("green.png"), long],
  ]);
  server.draw(stage([zone(plays)]));
  await server.waitForMessage("failed", ({ code }) => code === "unsupported");
  await server.waitForMessage("failed", ({ code }) => code === "decode");
  await time.advance(Math.max(0, plays[1]!.starts_at + 250 - server.now()));
  expect(isNear((await readScreen(page))(480, 270), "red")).toBe(true);
  const { at } = await server.waitForMessage("presented", ({ key }) => key === plays[4]!.key);
  // The failed items cause no delay: the shortest of their slots is longer.
  expect(at - plays[4]!.starts_at).toBeLessThan(450);
  const failed = server.messages.filter((message) => message.type === "failed");
  expect(failed.map(({ key, code }) => [key, code])).toEqual([
    [plays[1]!.key, "load"],
    [plays[2]!.key, "unsupported"],
    [plays[3]!.key, "decode"],
  ]);
});

test("[PAG11] a video that starts late or midway starts at its position by the clock", async () => {
  await using opened = await browser.openDriven();
  const { page, server } = opened;
  const scene = stage([
    // 10.5 s into a video of 6 s is 4.5 s: the magenta third.
    zone([slot(video("steps.mp4", 6_000), server.now() - 10_500, long)], { width: 480 }),
    // Begins now, 2.5 s in: the yellow third.
    zone([{ ...slot(video("steps.mp4", null), server.now(), long), offset_ms: 2_500 }], {
      left: 480,
      width: 480,
    }),
  ]);
  server.draw(scene);
  await server.waitForMessage("presented", ({ zone_id }) => zone_id === zonesOf(scene)[1]!.id);
  const at = await readScreen(page);
  expect(isNear(at(240, 270), "magenta"), String(at(240, 270))).toBe(true);
  expect(isNear(at(720, 270), "yellow"), String(at(720, 270))).toBe(true);
});

test("[PAG12] a video shorter than its slot is repeated and never ends on its first frame; a longer one is cut off", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  // Three rounds of two seconds in six, then a cut after one second.
  const plays = consecutiveSlots(server.now() + 100, [
    [video("green.mp4", 2_000), 4_000],
    [video("steps.mp4", 6_000), 1_000],
    [image("blue.png"), long],
  ]);
  server.draw(stage([zone(plays)]));
  await server.waitForMessage("presented", ({ key }) => key === plays[0]!.key);
  await time.advance(2_600);
  const again = await page.evaluate<number>('document.querySelector("video").currentTime');
  // At its end the position would be 2.
  expect(again).toBeLessThan(1.8);
  const { at } = await server.waitForMessage("presented", ({ key }) => key === plays[2]!.key);
  // The whole video would take five seconds more.
  expect(at - plays[2]!.starts_at).toBeGreaterThan(-60);
  expect(at - plays[2]!.starts_at).toBeLessThan(1_000);
  expect(server.messages.some(({ type }) => type === "failed" || type === "fault")).toBe(false);
});

test("[PAG13] a still item that follows itself keeps its element, and each play is reported", async () => {
  await using opened = await browser.openDriven();
  const { page, server } = opened;
  const item = image("red.png");
  const plays = consecutiveSlots(server.now(), [
    [item, 300],
    [item, 300],
    [item, long],
  ]);
  server.draw(stage([zone(plays)]));
  await server.waitForMessage("presented", ({ key }) => key === plays[0]!.key);
  await page.evaluate('window.before = document.querySelector("img")');
  await server.waitForMessage("presented", ({ key }) => key === plays[2]!.key);
  expect(await page.evaluate('document.querySelectorAll("img").length === 1 && document.querySelector("img") === before')).toBe(true);
  expect(server.messages.filter(({ type }) => type === "presented")).toHaveLength(3);
});

test("[PAG14] without a connection to its player the page keeps playing, reconnects and loses no report", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const plays = consecutiveSlots(server.now(), [
    [image("red.png"), 400],
    [image("green.png"), 200],
    [video("blue.mp4", 5_000), long],
  ]);
  server.draw(stage([zone(plays)]));
  await server.waitForMessage("presented", ({ key }) => key === plays[0]!.key);
  server.dropConnections();
  await poll(time, () => server.connectionCount()).toBe(1);
  server.dropConnections();
  await server.waitForMessage("presented", ({ key }) => key === plays[1]!.key);
  await server.waitForMessage("presented", ({ key }) => key === plays[2]!.key);
  expect(isNear((await readScreen(page))(480, 270), "blue")).toBe(true);
});

test("[PAG15] a video without progress is reported within five seconds and restarted once", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  server.draw(stage([zone(consecutiveSlots(server.now(), [[video("blue.mp4", 5_000), long]]))]));
  await server.waitForMessage("presented");
  await page.evaluate('window.before = document.querySelector("video"); before.pause()');
  const { code } = await server.waitForMessage("failed");
  expect(code).toBe("stalled");
  await poll(time, () => page.evaluate('document.querySelector("video") !== before && !document.querySelector("video").paused')).toBe(true);
});

test("[PAG21] while a new picture is being presented nothing is unmounted or prepared, unless the next item is already late", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  // Records when items are mounted or unmounted; `neverCalm` replaces the delay before an unmount by ten minutes.
  await page.evaluate(`{
    globalThis.mountTimes = [];
    const items = (nodes) => [...nodes].filter((node) => node.classList?.contains("item-wrapper")).length;
    new MutationObserver((changes) => {
      const count = changes.reduce((sum, { addedNodes, removedNodes }) => sum + items(addedNodes) + items(removedNodes), 0);
      if (count > 0) globalThis.mountTimes.push(performance.timeOrigin + performance.now());
    }).observe(document.body, { childList: true, subtree: true });
    const real = setTimeout;
    globalThis.neverCalm = false;
    globalThis.setTimeout = (call, ms, ...more) => real(call, globalThis.neverCalm && ms > 50 && ms < 250 ? 600_000 : ms, ...more);
  }`);
  const only = zone([]);
  const plays = consecutiveSlots(server.now() - 1_000, [
    [image("red.png"), 2_500],
    [video("blue.mp4", 5_000), 2_000],
    [image("green.png"), long],
  ]);
  server.draw(stage([{ ...only, slots: plays }], { key: stageKey }));
  const { at } = await server.waitForMessage("presented", ({ key }) => key === plays[1]!.key);
  const after = async () => (await page.evaluate<number[]>("mountTimes")).filter((time) => time > at);
  await poll(time, async () => (await after()).length).toBeGreaterThan(0);
  expect(Math.min(...(await after())) - at).toBeGreaterThan(90);

  await page.evaluate("neverCalm = true");
  for (const name of ["yellow", "magenta", "red", "green"] as const) {
    const late = slot(image(`${name}.png`), server.now() - 5_000, long);
    server.draw(stage([{ ...only, slots: [late] }], { key: stageKey }));
    await server.waitForMessage("presented", ({ key }) => key === late.key);
  }
});

test("[PAG16] a hundred quick changes leave no elements or decoders behind", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const session = await page.context().newCDPSession(page);
  const count = async (): Promise<number> => {
    await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Memory.getDOMCounters")).nodes;
  };
  const scene = stage([0, 240, 480, 720].map((left) => zone([], { left, width: 240 })));
  // Four zones change at once, so 26 turns make about a hundred changes.
  const change = async (turn: number): Promise<void> => {
    const from = server.messages.length;
    const plays = zonesOf(scene).map((drawn, index) => {
      const kind = (turn + index) % 4;
      const item = kind === 0 ? video("blue.mp4", 5_000) : image(kind === 1 ? "red.png" : "green.png");
      const play = slot(item, server.now() - 1, long);
      drawn.slots = [play];
      return play;
    });
    server.draw(scene);
    await Promise.all(plays.map((play) => server.waitForMessage("presented", ({ key }) => key === play.key, { from })));
  };
  // Items that have left are unmounted a moment later.
  const settled = () => poll(time, () => page.locator(".item").count()).toBe(4);
  for (let turn = 1; turn <= 8; turn++) await change(turn);
  await settled();
  const before = await count();
  for (let turn = 9; turn <= 34; turn++) await change(turn);
  await settled();
  await poll(time, count).toBeLessThanOrEqual(before + 5);
});

test("[PAG17] a page with still content is idle, and its heartbeat reports that frames are presented", async () => {
  await using opened = await browser.openDriven();
  const { server } = opened;
  server.draw(stage([zone(consecutiveSlots(server.now(), [[image("red.png"), long]]))]));
  await server.waitForMessage("presented");
  const from = server.messages.length;
  await server.waitForMessage("beat", undefined, { from });
  const { frames } = await server.waitForMessage("beat", undefined, { from: server.messages.length });
  expect(frames).toBeGreaterThanOrEqual(1);
  expect(frames).toBeLessThanOrEqual(4);
});

test("[PAG18] the clock shows the corrected time in its time zone and changes with the second", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  // The time changes in the first frame of each second, so a frame must be shorter than the tolerance.
  time.frameMs = 1_000 / 60;
  await server.moveClock(-5 * 3_600_000 - 123);
  server.draw(stage([zone(consecutiveSlots(server.now(), [[clockFace("#000000"), long]]))]));
  await server.waitForMessage("presented");
  await page.evaluate(`const time = document.querySelector(".time");
    window.seen = [];
    const look = () => seen.push([Date.now(), time.textContent]);
    look();
    new MutationObserver(look).observe(time, { childList: true, characterData: true, subtree: true });`);
  await poll(time, () => page.evaluate("seen.length")).toBe(4);
  const seen = (await page.evaluate<[number, string][]>("seen")).map(([at, shown]) => ({ at: at + server.clockOffsetMs, shown }));
  const toleranceMs = 40;
  for (const { at, shown } of seen) {
    expect([-toleranceMs, toleranceMs].map((ms) => new Date(at + ms).toISOString().slice(11, 19))).toContain(shown);
  }
  // Without the correction every change would be 123 ms off.
  for (const { at } of seen.slice(1)) expect(Math.abs(((at + 500) % 1_000) - 500)).toBeLessThan(toleranceMs);
});

test("[PAG19] user input has no effect: no menu, no selection, no key, no cursor", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  server.draw(stage([zone(consecutiveSlots(server.now(), [[text("Do not touch", "#203040"), long]]))]));
  await server.waitForMessage("presented");
  await time.during(page.mouse.click(400, 200, { button: "right" }));
  await time.during(page.mouse.dblclick(400, 200));
  await time.during(page.keyboard.press("Control+A"));
  expect(await page.evaluate("getSelection().toString()")).toBe("");
  expect(await page.evaluate('getComputedStyle(document.querySelector(".words")).cursor')).toBe("none");
  expect(
    await page.evaluate('document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "F5", bubbles: true, cancelable: true }))'),
  ).toBe(false);
});

test("[PAG20] an empty zone shows the stage's background; a zone whose slots have all ended keeps its last item", async () => {
  await using opened = await browser.openDriven();
  const { page, server, time } = opened;
  const scene = stage([
    zone(consecutiveSlots(server.now(), [[image("red.png"), long]]), { width: 480 }),
    zone(consecutiveSlots(server.now() - 100, [[image("green.png"), 300]]), { left: 480, width: 480 }),
  ]);
  server.draw(scene);
  await server.waitForMessage("presented", ({ zone_id }) => zone_id === zonesOf(scene)[1]!.id);
  zonesOf(scene)[0]!.slots = [];
  server.draw(scene);
  await time.advance(500);
  const at = await readScreen(page);
  expect(isNear(at(240, 270), [0x10, 0x20, 0x30])).toBe(true);
  expect(isNear(at(720, 270), "green")).toBe(true);
});

function zonesOf(scene: Scene): SceneZone[] {
  return scene.screen.is === "stage" ? scene.screen.stage.zones : [];
}

test("[POP25] the page reports the stage and the cause of each item, and when a stage appeared, even one without items", async () => {
  await using opened = await browser.openDriven();
  const { server } = opened;
  const start = server.now();
  const shared = image("red.png");
  const causes = ["default lay_a -", "schedule lay_b sch_b"] as const;
  const slots = (cause: string, more: Parameters<typeof consecutiveSlots>[1]) =>
    consecutiveSlots(start - 100, more).map((each) => ({ ...each, cause }));
  const first = slots(causes[0], [
    [shared, 1_600],
    [image("missing.png"), 400],
    [image("green.png"), long],
  ]);
  // The same item at the same instant, on another stage and for another cause; and a zone that can show nothing.
  const second = slots(causes[1], [[shared, long]]);
  const broken = slots(causes[1], [[image("missing.png"), long]]);
  server.draw(stage([zone(first)], { key: "one" }));
  await server.waitForMessage("presented", ({ key }) => key === first[2]!.key);
  server.draw(stage([zone(second, { width: 480 }), zone(broken, { left: 480, width: 480 })], { key: "two" }));
  await server.waitForMessage("presented", ({ stage: of }) => of === "two");
  server.draw(stage([zone([])], { key: "three" }));
  await server.waitForMessage("stage", ({ key }) => key === "three");
  const about = server.messages.flatMap((message): unknown[][] => {
    if (message.type === "stage") return [["stage", message.key, message.showing.map(({ key, cause }) => `${cause} ${key}`)]];
    if (message.type === "presented") return [["presented", message.stage, `${message.cause} ${message.key}`, message.ends_at]];
    if (message.type === "failed") return [["failed", message.stage, `${message.cause} ${message.key}`]];
    return message.type === "fallback" ? [["fallback", message.stage]] : [];
  });
  const named = ({ cause, key }: { cause: string; key: string }): string => `${cause} ${key}`;
  const own = (key: string) => about.filter(([type, of]) => of === key && (type === "stage" || type === "presented"));
  expect(own("one")).toEqual([
    ["stage", "one", [named(first[0]!)]],
    ["presented", "one", named(first[0]!), first[0]!.ends_at],
    ["presented", "one", named(first[2]!), first[2]!.ends_at],
  ]);
  expect(own("two")).toEqual([
    ["stage", "two", [named(second[0]!)]],
    ["presented", "two", named(second[0]!), second[0]!.ends_at],
  ]);
  expect(own("three")).toEqual([["stage", "three", []]]);
  for (const expected of [
    ["failed", "one", named(first[1]!)],
    ["failed", "two", named(broken[0]!)],
    ["fallback", "two"],
  ]) {
    expect(about).toContainEqual(expected);
  }
  const times = server.messages.flatMap((message) => (message.type === "stage" || message.type === "presented" ? [message.at] : []));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});
