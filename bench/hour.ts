// An hour on a real screen: compares a log of the screen with proof of play, forecast and `why`, through every kind of change.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Forecast, Why } from "../src/protocol/scheduling/forecast.ts";
import type { PlayEventRecord } from "../src/protocol/device/play-events.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { eventually } from "../test/support/polling.ts";
import { startPlayer, startService } from "../test/support/programs/programs.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import type { Disturbance } from "./hour/compare.ts";
import { publishHour, TestWebsite } from "./hour/content.ts";
import { type PlannedAction, planHour } from "./hour/plan.ts";
import { type ForecastSample, causeForecast, causeOfWhy, type PlannedCauses, observedRuns, reportedRuns } from "./hour/records.ts";
import { logScreen } from "./hour/screen.ts";
import { type Evidence, judge } from "./hour/verdict.ts";
import { printFigure } from "./lib.ts";

const minutes = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? 1);
const toleranceMs = Number(process.argv[4] ?? 50);
// Where to write all observations as JSON, to investigate a difference.
const evidenceFile = process.argv[5];
// The plays of a killed player count up to the last saved frame.
const savedEveryMs = 6_000;
// The picture must appear within this time after the first frame of a new page.
const pictureMs = 1_000;
// The picture of an override, or the one after it, cannot be prepared ahead. It may appear this long after the command's result.
const preparingMs = 1_000;
const leadMs = 15_000;
const leadOfScheduleMs = 150;

const lengthMs = minutes * 60_000;
const plan = planHour(minutes, seed);
await using folder = await temporaryFolder();
await using xvfb = await startXvfb({ width: 1_920, height: 1_080 });
await using programs = new AsyncDisposableStack();
await using site = new TestWebsite();
await site.open();
const serviceFolder = join(folder.path, "service");
const playerFolder = join(folder.path, "player");
let service = programs.use(await startService(serviceFolder));
const { api } = service;
const content = await publishHour(api, site);
let player = programs.use(startPlayer(api.url, playerFolder, xvfb.display));
const playerId = await api.pair(player, content.layoutIds.get("home"));
await player.line("presented");

const iso = (at: number): string => new Date(at).toISOString();
// Each schedule costs the service some milliseconds, and all must be on the player before the hour begins.
const begin = Math.ceil((Date.now() + leadMs + leadOfScheduleMs * plan.windows.length) / 1_000) * 1_000;
const end = begin + lengthMs;
const target = { type: "player", player_id: playerId };
const schedule = async (layout: string, from: number, until: number, about: Record<string, unknown>): Promise<string> => {
  const times = { starts_at: iso(from), ends_at: iso(until) };
  const layout_id = content.layoutIds.get(layout as "one");
  return (await api.ok("POST", "schedules", { name: layout, layout_id, target, ...times, ...about })).id;
};
// Schedules of priority 2 suppress it. Its turns do not start at whole seconds, when this bench keeps the service busy.
const turns = { priority: 1, interrupt: { share_percent: 20, play_ms: 4_137 } };
const ordered: PlannedCauses = {
  schedules: [],
  interruptId: await schedule("between", begin - 60_000, end + 600_000, turns),
  overrides: [],
};
for (const { layout, from, until, priority } of plan.windows) {
  const id = await schedule(layout, begin + from, begin + until, { priority });
  ordered.schedules.push({ id, layout, from: begin + from, until: begin + until });
}
await eventually(async () => (await api.ok("GET", `players/${playerId}`))["in_sync"] === true);
const forecasts: ForecastSample[] = [];
await askForecast();
if (Date.now() > begin) throw new Error("the schedules were not on the player in time: raise leadMs");

const restarts: Evidence["restarts"][number][] = [];
const others: Disturbance[] = [];
const siteClosed = { from: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY };
let isServiceUp = true;
let serviceLostAt = 0;
await untilInstant(begin);
const watching = new AbortController();
const logging = logScreen(xvfb.framebuffer, watching.signal);
const whys = new Map<number, Promise<string | undefined>>();
try {
  const acts = plan.acts.map(async (act) => {
    await untilInstant(begin + act.at, watching.signal);
    await perform(act);
  });
  await Promise.all([...acts, sampleWhy()]);
} finally {
  watching.abort();
}
const log = await logging;
await Promise.all(whys.values());
await player.stop();
// The next start sends all waiting messages to the service.
programs.use(startPlayer(api.url, playerFolder));
const isReported = async (zone: "left" | "right"): Promise<boolean> => {
  const recent = await pageOfEvents(null);
  return recent.data.some(({ ended_at, asset_id }) => {
    const isMark = [...content.layoutIds.keys()].some((name) => content.assetIds.get(name) === asset_id);
    return isMark === (zone === "right") && Date.parse(ended_at) >= end;
  });
};
await eventually(async () => (await isReported("left")) && (await isReported("right")));
const events = await allEvents();

const seen = observedRuns(log.spans, ordered);
const told = reportedRuns(events, content, begin, end);
const seconds = await Promise.all(
  [...whys].map(async ([at, why]) => {
    const on = seen.find(({ zone, from, until }) => zone === "right" && from <= at && at < until);
    return { at, seen: on?.cause ?? null, forecast: causeForecast(forecasts, at, ordered.interruptId), why: await why };
  }),
);
const { overrides, schedules } = ordered;
const counts = { schedules: schedules.length, overrides: overrides.length, restarts: restarts.length, forecasts: forecasts.length };
printFigure("the run", { minutes, seed, tolerance_ms: toleranceMs, from: iso(begin), ...counts, play_events: events.length });
const evidence: Evidence = { log, seen, told, seconds, events, overrides, restarts, others, siteClosed };
if (evidenceFile !== undefined) await writeFile(evidenceFile, JSON.stringify({ ...evidence, ordered, forecasts }));
const unexplained = judge(evidence, toleranceMs);
printFigure("unexplained differences", { n: unexplained });
if (unexplained > 0) process.exitCode = 1;

function untilInstant(at: number, signal?: AbortSignal): Promise<void> {
  return wait(Math.max(0, at - Date.now()), undefined, signal === undefined ? {} : { signal });
}

async function perform(act: PlannedAction): Promise<void> {
  switch (act.do) {
    case "override":
      return override(act);
    case "close-site":
      siteClosed.from = Date.now();
      return site.close();
    case "open-site":
      siteClosed.until = Date.now();
      return site.open();
    case "kill-player":
    case "restart-player":
      return restartPlayer(act.do === "kill-player");
    case "stop-service":
      isServiceUp = false;
      serviceLostAt = Date.now();
      await service.program.stop();
      return;
    case "start-service":
      service = programs.use(await startService(serviceFolder, "--port", new URL(api.url).port));
      isServiceUp = true;
      others.push({ from: serviceLostAt, until: Date.now(), reason: "service-lost" });
  }
}

async function override({ layout, durationMs, clearMs }: Extract<PlannedAction, { do: "override" }>): Promise<void> {
  const from = Date.now();
  const ends = clearMs === null ? { duration_ms: durationMs } : {};
  const { id, result } = await succeeded("override.set", {
    layout_id: content.layoutIds.get(layout),
    level: layout === "alarm" ? "emergency" : "normal",
    ...ends,
  });
  const ordering = { id: String(id), layout, from, until: Number.POSITIVE_INFINITY };
  ordered.overrides.push(ordering);
  await afterCommand(from);
  if (clearMs === null) {
    ordering.until = Date.parse(String((result as { until: string }).until));
    return;
  }
  await wait(clearMs);
  const clearedAt = Date.now();
  await succeeded("override.clear", { override_id: id });
  ordering.until = Date.now();
  await afterCommand(clearedAt);
}

async function succeeded(type: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const command = await api.command(playerId, type, args);
  if (command["status"] !== "succeeded") throw new Error(`${type} ended ${JSON.stringify(command)}`);
  return command;
}

/** Records a disturbance: between a command and the next forecast only the player knows what is on screen. */
async function afterCommand(from: number): Promise<void> {
  await askForecast();
  others.push({ from, until: Date.now() + preparingMs, reason: "command" });
}

async function restartPlayer(isKilled: boolean): Promise<void> {
  const from = Date.now();
  if (isKilled) await player.kill();
  else await player.stop();
  player = programs.use(startPlayer(api.url, playerFolder, xvfb.display));
  await player.line("presented");
  restarts.push({ from, leftAt: isKilled ? from - savedEveryMs : from, until: Date.now() + pictureMs, reason: "restart" });
}

async function askForecast(): Promise<void> {
  const stretches: Forecast["stretches"] = [];
  let from: string | null = iso(Date.now());
  while (from !== null) {
    const part = (await api.ok("GET", `players/${playerId}/forecast?from=${from}&to=${iso(end + 1_000)}&limit=500`)) as unknown as Forecast;
    stretches.push(...part.stretches);
    from = part.next_from;
  }
  forecasts.push({ at: Date.now(), stretches });
}

/** Requests at each whole second why the screen shows what it shows. */
async function sampleWhy(): Promise<void> {
  for (let at = begin + 1_000; at < end; at += 1_000) {
    await untilInstant(at);
    whys.set(at, isServiceUp ? askWhy(at) : Promise.resolve(undefined));
  }
  await untilInstant(end);
}

async function askWhy(at: number): Promise<string | undefined> {
  try {
    return causeOfWhy((await api.ok("GET", `players/${playerId}/why?at=${iso(at)}`)) as unknown as Why, content);
  } catch (error) {
    if (isServiceUp) printFigure("why request failed", { at: iso(at), error: String(error) });
    return undefined;
  }
}

async function pageOfEvents(cursor: string | null): Promise<{ data: PlayEventRecord[]; next_cursor: string | null }> {
  const more = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  return (await api.ok("GET", `play-events?player_id=${playerId}&limit=100${more}`)) as unknown as Awaited<ReturnType<typeof pageOfEvents>>;
}

async function allEvents(): Promise<PlayEventRecord[]> {
  const events: PlayEventRecord[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await pageOfEvents(cursor);
    events.push(...page.data);
    cursor = page.next_cursor;
    if (cursor === null) return events.toReversed();
  }
}
