// The problems that a player reports, from the page's reports and the condition of the player.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "../../../src/main/folders.ts";
import { reportContent } from "../../../src/player/content/content-report.ts";
import { noProgress } from "../../../src/player/content/download-progress.ts";
import { noGenerations } from "../../../src/player/content/generations.ts";
import { type PlayerCondition, Problems } from "../../../src/player/proof/problems.ts";
import type { PageState } from "../../../src/player/surface/page-state.ts";
import { fitProblems, PlayerProblem, problemCatalog, problemCodes, createProblem } from "../../../src/protocol/device/player-problems.ts";
import { Heartbeat } from "../../../src/protocol/device/heartbeat.ts";
import type { Stage } from "../../../src/protocol/scene.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { FakeClock } from "../../support/clock.ts";
import { createStatus } from "../../support/status.ts";
import { assetOf, desiredOf, newId, readyOf, withItems } from "../../support/states.ts";

const t0 = Date.UTC(2026, 10, 22, 12);
const healthyDisk = { unwritten: [], unread: [], damaged: [], lost: [], refused: [] };
const textItem = () => ({ id: newId("itm"), type: "text" as const, text: "x" }) as never as Parameters<typeof desiredOf>[0][number];

/** A stage of one zone with two items of ten seconds each, from `t0` on. */
function screen() {
  const items = [textItem(), textItem()];
  const desired = desiredOf(items, []);
  const zone_id = desired.layout!.zones[0]!.id;
  const slots = Array.from({ length: 20 }, (_, index) => {
    const startsAt = t0 + index * 10_000;
    return { key: `k${index}`, starts_at: startsAt, ends_at: startsAt + 10_000, offset_ms: 0, item: {} as never };
  });
  const rectangle = { left: 0, top: 0, width: 1, height: 1, z_index: 0 };
  const stage: Stage = { key: "s", width: 1, height: 1, background_color: "#000", zones: [{ id: zone_id, ...rectangle, slots }] };
  const problems = new Problems();
  const about = (index: number) => ({ zone_id, key: `k${index}`, item_id: items[index % 2]!.id, asset_id: null });
  return {
    items,
    desired,
    zone_id,
    stage,
    problems,
    report: (message: FromPage, now: number) => problems.handleMessage(message, stage, now),
    failed: (index: number, code: "load" | "crashed" = "load"): FromPage => ({ type: "failed", ...about(index), code, detail: "HTTP 404" }),
    presented: (index: number, at: number): FromPage => ({ type: "presented", ...about(index), at }),
    at: (now: number, more: Partial<PlayerCondition> = {}) => {
      const parts = {
        uptimeMs: 3_600_000,
        stillMs: 0,
        isDisplayOff: false,
        isOffOnPurpose: false,
        withheld: null,
        withoutGpuMs: null,
        generations: noGenerations,
        lostAssets: [],
        diskFreeBytes: null,
        disk: healthyDisk,
        clockErrorMs: 1,
        impairment: null,
        updates: [],
        recurring: [],
        serviceAheadMs: null,
      };
      return problems.list({ now, stage, desired, progress: noProgress, ...parts, ...more }).problems;
    },
  };
}

const codes = (problems: readonly PlayerProblem[]) => problems.map(({ code }) => code);

test("[PRB6] an item that fails is a problem of its zone, with cause and remedy, until it plays for a while or to its end", () => {
  const { report, at, failed, presented, zone_id, items } = screen();
  report(failed(0), t0);
  const { remedy } = problemCatalog["item-load"];
  const since = new Date(t0).toISOString();
  expect(at(t0 + 1_000)).toEqual([
    { code: "item-load", since, zone_id, item_id: items[0]!.id, detail: "An item could not be loaded: HTTP 404", remedy },
  ]);
  report(presented(1, t0 + 10_000), t0 + 10_000);
  report(presented(2, t0 + 20_000), t0 + 20_000);
  // It is shown only for a moment, and may fail again right after that.
  expect(codes(at(t0 + 21_000))).toEqual(["item-load"]);
  expect(at(t0 + 30_000)).toEqual([]);
  report(presented(3, t0 + 30_000), t0 + 30_000);
  expect(at(t0 + 31_000)).toEqual([]);
});

test("[PRB6] an item that fails again and again stays one problem, although the page reports each cause once", () => {
  const { report, at, failed, presented } = screen();
  report(presented(0, t0), t0);
  report(failed(0, "crashed"), t0 + 1_000);
  report(presented(1, t0 + 2_000), t0 + 2_000);
  report(presented(2, t0 + 20_000), t0 + 20_000);
  // The item left eight seconds before its end.
  report(presented(3, t0 + 22_000), t0 + 22_000);
  expect(at(t0 + 31_000)).toMatchObject([{ code: "item-crashed", since: new Date(t0 + 1_000).toISOString() }]);
  report(presented(4, t0 + 40_000), t0 + 40_000);
  report(presented(5, t0 + 50_000), t0 + 50_000);
  expect(at(t0 + 51_000)).toEqual([]);
});

test("[PRB13] an item that is shown, but not as intended, is a problem for as long as it may play", () => {
  const { report, at, items, zone_id } = screen();
  const about = { zone_id, key: "k0", item_id: items[0]!.id, asset_id: null };
  report({ type: "flawed", ...about, code: "qr-unreadable", detail: "its modules are 1 px wide" }, t0);
  const { remedy } = problemCatalog["item-qr-unreadable"];
  const [problem, ...others] = at(t0 + 20_000);
  expect(problem).toMatchObject({ code: "item-qr-unreadable", item_id: items[0]!.id, since: new Date(t0).toISOString(), remedy });
  expect(others).toEqual([]);
  expect(at(t0 + 20_000, { desired: desiredOf([items[1]!], []) })).toEqual([]);
});

test("[PRB7] a failed item that was removed from the state, or may no longer play, is no longer a problem", () => {
  const { report, at, failed, desired, items } = screen();
  report(failed(0), t0);
  expect(at(t0, { desired: withItems(desired, [items[1]!], [], "r2") })).toEqual([]);
  expect(at(t0)).toEqual([]);
  report(failed(1), t0);
  const outdated = { ...items[1]!, valid_until: new Date(t0 + 5_000).toISOString() };
  const state = withItems(desired, [outdated], [], "r3");
  expect(codes(at(t0 + 4_000, { desired: state }))).toEqual(["item-load"]);
  expect(at(t0 + 6_000, { desired: state })).toEqual([]);
  report(failed(1), t0);
  const elsewhere = { ...items[1]!, conditions: [{ type: "tag" as const, tag: "bar", is_present: true }] };
  const others = withItems(desired, [elsewhere], [], "r4");
  const bar = { ...others, player: { ...others.player, tags: ["bar"] } };
  expect([codes(at(t0, { desired: bar })), at(t0, { desired: others })]).toEqual([["item-load"], []]);
});

test("[PRB8] a zone that has nothing to show is a problem until it shows something or leaves the screen", () => {
  const { report, at, presented, zone_id, stage } = screen();
  report({ type: "fallback", zone_id, at: t0 }, t0);
  expect(at(t0 + 1_000)).toMatchObject([{ code: "zone-empty", zone_id, item_id: null, since: new Date(t0).toISOString() }]);
  expect(at(t0 + 1_000, { stage: { ...stage, zones: [] } })).toEqual([]);
  report(presented(0, t0 + 2_000), t0 + 2_000);
  expect(at(t0 + 3_000)).toEqual([]);
  const bare = { ...stage, zones: [{ ...stage.zones[0]!, slots: [] }] };
  expect(at(t0 + 4_000, { stage: bare })).toMatchObject([{ code: "zone-empty", zone_id }]);
  expect(at(t0 + 9_000, { stage: bare })).toMatchObject([{ since: new Date(t0 + 4_000).toISOString() }]);
  report({ type: "fallback", zone_id, at: t0 }, t0);
  report({ type: "hello", viewport: { width: 1, height: 1, device_pixel_ratio: 1 }, opened_at: 5 }, t0);
  expect(at(t0 + 10_000)).toEqual([]);
});

test("[PRB9] withheld content, a frozen screen, failed downloads, lost files, a full disk and an unknown time are problems of the whole screen", () => {
  const { at, report, failed } = screen();
  report(failed(0), t0);
  const withheld = { isNow: true, hasFailed: false, fault: "out of memory", failures: 5, since: t0 - 9_000, until: t0 + 60_000 };
  const all = at(t0, {
    withheld,
    stillMs: 20_000,
    progress: { ...noProgress, is: "failed", detail: "disk (asset ast_1)" },
    lostAssets: [assetOf(Buffer.from("a")), assetOf(Buffer.from("b"))],
    diskFreeBytes: 1_000_000,
    clockErrorMs: Infinity,
  });
  expect(codes(all)).toEqual(["content-withheld", "not-rendering", "content-failed", "file-lost", "item-load", "disk-low", "clock-unsure"]);
  expect(all[0]).toMatchObject({ since: new Date(t0 - 9_000).toISOString(), detail: expect.stringMatching(/5 times.*out of memory/) });
  expect(all[1]).toMatchObject({ since: new Date(t0 - 20_000).toISOString() });
  expect(all[2]!.detail).toContain(": disk (asset ast_1)");
  expect(all[3]!.detail).toMatch(/: 2 files \(asset ast_\w+ and others\)/);
  expect(codes(at(t0, { stillMs: 20_000, isDisplayOff: true }))).toEqual(["display-off", "item-load"]);
  // A player that has just started has time to show its first frame.
  expect(codes(at(t0, { uptimeMs: 30_000, stillMs: 20_000, clockErrorMs: Infinity }))).toEqual(["item-load"]);
});

test("[PRB10] a heartbeat holds the most severe problems, at most fifty and 16 kB, and says how many it left out", () => {
  const many = Array.from({ length: 120 }, (_, index) =>
    createProblem("item-load", t0 + index, { zone_id: newId("zon"), item_id: newId("itm"), detail: "ü".repeat(2_000) }),
  );
  const { problems, problems_left_out: leftOut } = fitProblems([...many, createProblem("not-rendering", t0)]);
  expect(problems[0]!.code).toBe("not-rendering");
  expect(problems.length + leftOut).toBe(121);
  expect(Buffer.byteLength(JSON.stringify(problems))).toBeLessThan(17_000);
  for (const problem of problems) PlayerProblem.parse(problem);
  const small = fitProblems(many.map((problem) => ({ ...problem, detail: "x", remedy: "y" })));
  expect([small.problems.length, small.problems_left_out]).toEqual([50, 70]);
});

test("[PRB11] docs/faults.md lists exactly the existing codes, each with its title and remedy", async () => {
  const text = await readFile(join(rootFolder, "docs/faults.md"), "utf8");
  const section = text.slice(text.indexOf("## Problems of a player"));
  const rows = [...section.matchAll(/^\| `([a-z-]+)` *\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map((row) =>
    row.slice(1).map((cell) => cell!.trim()),
  );
  expect(rows).toEqual(
    problemCodes.map((code) => [code, problemCatalog[code].by, problemCatalog[code].title, problemCatalog[code].remedy]),
  );
});

test("[DSK1] a disk that cannot be written, damaged files and lost records are problems of the whole screen", () => {
  const { at } = screen();
  const disk = {
    unwritten: [
      { what: "play events", reason: "ENOSPC: no space left on device, write" },
      { what: "command journal", reason: "ENOSPC: no space left on device, open" },
    ],
    unread: [],
    damaged: ["pairing.json"],
    lost: [{ what: "play events", count: 12 }],
    refused: [{ what: "heartbeat", reason: "uptime_ms: Invalid input" }],
  };
  expect(at(t0, { disk }).map(({ code, detail, zone_id }) => [code, detail, zone_id])).toEqual([
    [
      "disk-unwritable",
      "The device cannot read or write its disk: ENOSPC: no space left on device, write (play events, command journal)",
      null,
    ],
    ["records-lost", "Play events or messages of the screen were lost: 12 play events since the program started", null],
    [
      "record-unreadable",
      "The program made a record that it could not read again, and did not store it: heartbeat (uptime_ms: Invalid input)",
      null,
    ],
    ["disk-damaged", "The device's disk has damaged files: pairing.json", null],
  ]);
  expect(at(t0 + 1_000)).toEqual([]);
});

/** The heartbeat of a player with this page and content. */
function heartbeatOf(more: {
  page?: (clock: FakeClock) => PageState;
  withheld?: PlayerCondition["withheld"];
  withoutGpuMs?: number;
  stillMs?: number;
}): Promise<Heartbeat> {
  const base = new FakeClock(t0);
  const page = more.page?.(base) ?? {
    is: "here",
    since: 0,
    viewport: { width: 1, height: 1 },
    lastFrameAt: base.monotonic(),
    reportsWithoutFrame: 0,
  };
  if (more.stillMs !== undefined) base.advance(more.stillMs);
  const { stage, desired } = screen();
  const shows = {
    layer: "default" as const,
    id: null,
    name: null,
    layout_id: null,
    verdict: "shows" as const,
    detail: "the player's layout",
  };
  const readings = { hardware: null, timezone: "UTC", cpuLoad: 0, temperatureC: null, diskFreeBytes: null };
  const presented = { zone_id: stage.zones[0]!.id, item_id: newId("itm"), asset_id: null, presented_at: new Date(t0).toISOString() };
  const { content } = reportContent({ desired, applied: readyOf(desired), progress: noProgress, generations: noGenerations });
  const { withheld = null, withoutGpuMs = null } = more;
  const { status } = createStatus(base, {
    machine: { readings: async () => readings },
    page,
    withheld,
    withoutGpuMs,
    report: { content, now_playing: [presented], why: [shows] },
    condition: { stage, desired },
  });
  return status.heartbeat();
}

test("[REC20] a heartbeat reports that the browser draws without the GPU, and since when", async () => {
  const heartbeat = await heartbeatOf({ withoutGpuMs: 60_000 });
  expect(heartbeat.problems).toMatchObject([{ code: "gpu-failed", since: new Date(t0 - 60_000).toISOString() }]);
  expect((await heartbeatOf({})).problems).toEqual([]);
});

test("[REC5] one late report from the page does not count as a failure to render; four missing reports do", async () => {
  expect(await heartbeatOf({ stillMs: 3_000 })).toMatchObject({ rendering: true });
  expect(await heartbeatOf({ stillMs: 6_500 })).toMatchObject({ rendering: true });
  expect(await heartbeatOf({ stillMs: 12_500 })).toMatchObject({ rendering: false });
});

test("[REC8] while content is withheld, the heartbeat says that none of it is on the screen, why and until when", async () => {
  const withheld = { isNow: true, hasFailed: false, fault: "out of memory", failures: 5, since: t0, until: t0 + 60_000 };
  const heartbeat = Heartbeat.parse(await heartbeatOf({ withheld }));
  expect(heartbeat).toMatchObject({
    rendering: true,
    now_playing: [],
    content: {
      is: "failed",
      revision: "r1",
      applied_revision: null,
      detail: expect.stringMatching(/withheld.*5 times.*out of memory.*12:01/),
    },
    why: [{ verdict: "held", detail: expect.stringContaining("Withheld") }],
    problems: [{ code: "content-withheld" }],
  });
  const normal = Heartbeat.parse(await heartbeatOf({}));
  expect(normal).toMatchObject({ now_playing: [{}], content: { is: "applied" }, why: [{ verdict: "shows" }], problems: [] });
});

test("[DHR22] while the display is off on purpose it is no problem that nothing is drawn and that zones are empty", () => {
  const { at, report, zone_id, stage } = screen();
  const dark = { stillMs: 8 * 3_600_000, isDisplayOff: true };
  report({ type: "fallback", zone_id, stage: stage.key, at: t0 }, t0);
  expect(codes(at(t0, dark))).toEqual(["display-off", "zone-empty"]);
  expect(codes(at(t0, { ...dark, isOffOnPurpose: true }))).toEqual([]);
  expect(codes(at(t0, { stillMs: 8 * 3_600_000, isOffOnPurpose: true }))).toEqual([]);
  expect(codes(at(t0, { stillMs: 8 * 3_600_000 }))).toEqual(["not-rendering", "zone-empty"]);
});
