// Lists the player's current problems: those that the page reports about items and zones, and those of the player itself.
import type { DesiredAsset, DesiredState } from "../../protocol/device/desired-state.ts";
import { createProblem, fitProblems, type PlayerProblem, type ProblemList } from "../../protocol/device/player-problems.ts";
import type { Stage } from "../../protocol/scene.ts";
import type { FromPage } from "../../protocol/page-messages.ts";
import { unmetTag } from "../../schedule/agenda/player-conditions.ts";
import { describeFailure, type Generations, hasReturned } from "../content/generations.ts";
import type { DownloadProgress } from "../content/download-progress.ts";
import type { DiskCondition } from "../storage/disk-health.ts";
import { reserveBytes } from "../storage/disk-space.ts";
import { describeWithheld, type WithheldContent } from "../surface/withheld-content.ts";
import { ItemFailures, itemName } from "./item-failures.ts";

/** The condition of the player at one instant. */
export interface PlayerCondition {
  /** Corrected wall time, ms. */
  now: number;
  uptimeMs: number;
  /** The stage that is drawn; null if no layout is due. */
  stage: Stage | null;
  /** The state in force; null before the first. */
  desired: DesiredState | null;
  progress: DownloadProgress;
  /** The complete states, and how the newest one failed. */
  generations: Generations;
  /** The assets of the state in force whose files are lost. */
  lostAssets: readonly DesiredAsset[];
  /** How long no frame has been presented, ms. */
  stillMs: number;
  isDisplayOff: boolean;
  /** True if the display is off on request: an empty screen is no problem then. */
  isOffOnPurpose: boolean;
  withheld: WithheldContent | null;
  /** For how long the browser has drawn without the GPU because it failed with it, ms; null: it does not. */
  withoutGpuMs: number | null;
  diskFreeBytes: number | null;
  disk: DiskCondition;
  /** The largest possible clock error, ms; infinite before the first synchronization. */
  clockErrorMs: number;
  /** The impairment of the connection to the service, and its duration; null: none. */
  impairment: { text: string; forMs: number } | null;
  /** The problems of the program's update. */
  updates: readonly PlayerProblem[];
  /** The problems of recurring commands. */
  recurring: readonly PlayerProblem[];
  /** By how much the service's time is ahead of the time servers', ms; null: it is believed. */
  serviceAheadMs: number | null;
}

// Give the page time to come up after the start.
const startupMs = 60_000;
// As long as recovery waits before it considers a page hung.
const stillLimitMs = 15_000;
const clockPatienceMs = 600_000;
const maxClockErrorMs = 5_000;

export class Problems {
  readonly #items = new ItemFailures();
  /** Since when a zone has nothing to show, by zone, as the page reports it. */
  readonly #emptyZones = new Map<string, number>();
  /** Since when the problems of the last list have existed. */
  #since = new Map<string, number>();
  #page: number | null = null;

  /** Handles a report that the page sends at `now` (corrected wall time, ms) while `stage` is drawn. */
  handleMessage(message: FromPage, stage: Stage | null, now: number): void {
    if (message.type === "hello") this.#pageConnected(message.opened_at ?? null, now);
    else if (message.type === "failed") this.#items.itemFailed(message, now);
    else if (message.type === "flawed") this.#items.itemFlawed(message, now);
    else if (message.type === "presented") {
      this.#emptyZones.delete(message.zone_id);
      this.#items.playEnded(message.zone_id, message.key, stage, message.at);
      this.#items.itemPresented(message, stage);
    } else if (message.type === "fallback") {
      this.#emptyZones.set(message.zone_id, now);
      this.#items.playEnded(message.zone_id, null, stage, message.at);
    }
  }

  /** The current problems, in the form of the heartbeat. */
  list(condition: PlayerCondition): ProblemList {
    const { desired, now } = condition;
    const items = this.#items.problems(playableItems(desired, now), now);
    const all = [...screenProblems(condition), ...this.#zoneProblems(condition), ...items, ...condition.updates, ...condition.recurring];
    const since = new Map<string, number>();
    const dated = all.map((problem): PlayerProblem => {
      const name = [problem.code, problem.zone_id, problem.item_id].join(" ");
      const first = Math.min(this.#since.get(name) ?? Number.POSITIVE_INFINITY, Date.parse(problem.since));
      since.set(name, first);
      return { ...problem, since: new Date(first).toISOString() };
    });
    this.#since = since;
    return fitProblems(dated);
  }

  #pageConnected(openedAt: number | null, now: number): void {
    if (openedAt !== null && openedAt === this.#page) return;
    this.#page = openedAt;
    this.#emptyZones.clear();
    this.#items.pageReloaded(now);
  }

  #zoneProblems({ now, stage, desired, withheld, isOffOnPurpose }: PlayerCondition): PlayerProblem[] {
    if (stage === null || desired === null || withheld?.isNow === true || isOffOnPurpose) return [];
    const zones = new Map(zonesOf(desired).map((zone) => [zone.id, zone]));
    return stage.zones.flatMap(({ id: zone_id, slots }) => {
      if (slots.length === 0) {
        const isAssigned = zones.get(zone_id)?.playlist_id != null;
        return isAssigned ? [createProblem("zone-empty", now, { zone_id, detail: "no item of its playlist is due" })] : [];
      }
      const since = this.#emptyZones.get(zone_id);
      return since === undefined ? [] : [createProblem("zone-empty", since, { zone_id, detail: "none of its items can be shown" })];
    });
  }
}

/** Problems of the whole screen or of the player. */
function screenProblems(condition: PlayerCondition): PlayerProblem[] {
  const {
    now,
    uptimeMs,
    stillMs,
    isDisplayOff,
    isOffOnPurpose,
    withheld,
    withoutGpuMs,
    progress,
    generations,
    lostAssets,
    diskFreeBytes,
    disk,
    impairment,
    clockErrorMs,
    serviceAheadMs,
  } = condition;
  const problems: PlayerProblem[] = [];
  if (withheld !== null) problems.push(createProblem("content-withheld", withheld.since, { detail: describeWithheld(withheld) }));
  if (uptimeMs >= startupMs && stillMs >= stillLimitMs && !isOffOnPurpose)
    problems.push(createProblem(isDisplayOff ? "display-off" : "not-rendering", now - stillMs));
  if (generations.failure !== null && hasReturned(generations)) {
    problems.push(createProblem("content-reverted", generations.failure.since, { detail: describeFailure(generations) }));
  }
  if (progress.is === "failed") {
    const code = progress.shortage === null ? "content-failed" : "no-room";
    problems.push(createProblem(code, now, progress.detail === null ? {} : { detail: progress.detail }));
  }
  problems.push(...diskProblems(disk, now));
  const [lost, ...others] = lostAssets;
  if (lost !== undefined) {
    const detail = others.length === 0 ? `one file (asset ${lost.id})` : `${lostAssets.length} files (asset ${lost.id} and others)`;
    problems.push(createProblem("file-lost", now, { detail }));
  }
  if (withoutGpuMs !== null) problems.push(createProblem("gpu-failed", now - withoutGpuMs));
  if (diskFreeBytes !== null && diskFreeBytes < reserveBytes) {
    problems.push(createProblem("disk-low", now, { detail: `${Math.floor(diskFreeBytes / 1_000_000)} MB are free` }));
  }
  if (impairment !== null) problems.push(createProblem("connection-impaired", now - impairment.forMs, { detail: impairment.text }));
  if (serviceAheadMs !== null) {
    const detail = `it is ${Math.round(Math.abs(serviceAheadMs) / 1_000)} s ${serviceAheadMs > 0 ? "ahead" : "behind"}`;
    problems.push(createProblem("service-time-wrong", now, { detail }));
  }
  if (!Number.isFinite(clockErrorMs)) {
    if (uptimeMs >= clockPatienceMs)
      problems.push(createProblem("clock-unsure", now, { detail: "the screen has not received the time since its start" }));
  } else if (clockErrorMs > maxClockErrorMs) {
    problems.push(createProblem("clock-unsure", now, { detail: `it may be wrong by ${Math.round(clockErrorMs / 1_000)} s` }));
  }
  return problems;
}

function diskProblems({ unwritten, unread, damaged, lost, refused }: DiskCondition, now: number): PlayerProblem[] {
  const problems: PlayerProblem[] = [];
  const failures = [
    ...(unread[0] === undefined ? [] : [`it cannot be read: ${unread[0].reason} (${unread.map(({ what }) => what).join(", ")})`]),
    ...(unwritten[0] === undefined ? [] : [`${unwritten[0].reason} (${unwritten.map(({ what }) => what).join(", ")})`]),
  ];
  if (failures.length > 0) problems.push(createProblem("disk-unwritable", now, { detail: failures.join("; ") }));
  if (damaged.length > 0) problems.push(createProblem("disk-damaged", now, { detail: damaged.join(", ") }));
  if (lost.length > 0) {
    const detail = `${lost.map(({ what, count }) => `${count} ${what}`).join(", ")} since the program started`;
    problems.push(createProblem("records-lost", now, { detail }));
  }
  if (refused.length > 0) {
    const detail = refused.map(({ what, reason }) => `${what} (${reason})`).join(", ");
    problems.push(createProblem("record-unreadable", now, { detail }));
  }
  return problems;
}

/** The items that a state may still show, by {@link itemName}. */
function playableItems(desired: DesiredState | null, now: number): ReadonlySet<string> {
  if (desired === null) return new Set();
  const playlists = new Map(desired.playlists.map(({ id, items }) => [id, items]));
  const names = zonesOf(desired).flatMap(({ id, playlist_id }) => {
    const items = playlist_id === null ? [] : (playlists.get(playlist_id) ?? []);
    return items
      .filter(({ valid_until }) => valid_until === undefined || Date.parse(valid_until) > now)
      .filter(({ conditions = [] }) => unmetTag(conditions, desired.player.tags) === undefined)
      .map((item) => itemName(id, item.id));
  });
  return new Set(names);
}

function zonesOf({ layout, layouts }: DesiredState) {
  return [layout, ...layouts].flatMap((each) => each?.zones ?? []);
}
