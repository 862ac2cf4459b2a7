// A simulated player for proof of play: real schedule follower, plan and proof of play, a fake clock, and a page played by the test.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { ReadyState } from "../../../src/player/content/ready-content.ts";
import { pagePlanAt } from "../../../src/playback/page-plan.ts";
import { ScheduleFollower } from "../../../src/player/playback/schedule-follower.ts";
import { ProofOfPlay } from "../../../src/player/proof/proof-of-play.ts";
import { InterventionStore } from "../../../src/player/playback/intervention-store.ts";
import type { DesiredLayout } from "../../../src/protocol/device/desired-state.ts";
import { PlayCommand } from "../../../src/protocol/device/play-commands.ts";
import { PlayEvent } from "../../../src/protocol/device/play-events.ts";
import type { SceneZone, Slot, Stage } from "../../../src/protocol/scene.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { FakeClock } from "../../support/clock.ts";
import { assetOf, desiredOf, imageItem, newId, readyOf } from "../../support/states.ts";

export const t0 = Date.UTC(2026, 10, 21, 9);
export const iso = (instant: number): string => new Date(instant).toISOString();
const red = assetOf(Buffer.from("red"));
const green = assetOf(Buffer.from("green"));
export const blue = assetOf(Buffer.from("blue"));

/** A layout of one zone for each playlist. */
function layoutOf(...playlistIds: string[]): DesiredLayout {
  const size = { name: "z", top: 0, width: 100, height: 100, z_index: 0 };
  const zones = playlistIds.map((playlist_id, index) => ({ ...size, id: newId("zon"), left: index * 100, playlist_id }));
  return { id: newId("lay"), width: 1920, height: 1080, background_color: "#000000", zones };
}

/** Two layouts that share a playlist of red and green, ten seconds each; `other` also has a zone with blue. `black` has an empty playlist. */
export function content(schedules: (layouts: Layouts) => Record<string, unknown>[], usual: keyof Layouts | null = "usual") {
  const [shared, own, empty] = [newId("pls"), newId("pls"), newId("pls")];
  const layouts = { usual: layoutOf(shared), other: layoutOf(shared, own), black: layoutOf(empty) };
  const base = desiredOf([], [red, green, blue]);
  const ready = readyOf({
    ...base,
    layout: usual === null ? null : layouts[usual],
    layouts: Object.values(layouts),
    schedules: schedules(layouts),
    playlists: [
      { id: shared, items: [imageItem(red, 10_000), imageItem(green, 10_000)] },
      { id: own, items: [imageItem(blue, 10_000)] },
      { id: empty, items: [] },
    ],
  });
  return { ready, layouts };
}
type Layouts = Record<"usual" | "other" | "black", DesiredLayout>;

/** The content of one zone from one instant to another, as a viewer would see it. */
export interface ObservedSpan {
  from: number;
  until: number;
  itemId: string;
  zoneId: string;
  by: string;
}

/** The player from its schedule follower to its proof of play, and a page that presents due items a few ms late. */
export class SimulatedPlayer {
  readonly clock: FakeClock;
  /** The content of the screen, with causes from {@link ScheduleFollower.why}, not from the slots. */
  readonly observed: ObservedSpan[] = [];
  readonly #proof: ProofOfPlay;
  readonly #follower: ScheduleFollower;
  readonly #ready: ReadyState;
  #stage: Stage | null = null;
  #plannedAt = Number.NEGATIVE_INFINITY;
  #shown: string | null = null;
  #playing = new Map<string, Slot>();
  #open = new Map<string, ObservedSpan>();

  private constructor(clock: FakeClock, proof: ProofOfPlay, follower: ScheduleFollower, ready: ReadyState) {
    this.clock = clock;
    this.#proof = proof;
    this.#follower = follower;
    this.#ready = ready;
  }

  static async start(folder: string, ready: ReadyState, at = t0): Promise<SimulatedPlayer> {
    const fake = new FakeClock(at);
    const clock = new CorrectedClock(fake);
    const records = await InterventionStore.open(folder, silentLog);
    const proof = await ProofOfPlay.open({ folder: join(folder, "plays"), bootId: `b${at}`, clock, log: silentLog });
    const player = new SimulatedPlayer(fake, proof, new ScheduleFollower(records, clock, silentLog, "UTC"), ready);
    await player.report({ type: "hello", viewport: { width: 1, height: 1, device_pixel_ratio: 1 }, opened_at: at });
    return player;
  }

  get stage(): Stage {
    return this.#stage!;
  }

  zone(index = 0): SceneZone {
    return this.stage.zones[index]!;
  }

  report(message: FromPage): Promise<void> {
    return this.#proof.handleMessage(message);
  }

  /** The page's report after the first frame of a slot. */
  reportPresented(zoneId: string, slot: Slot, at: number, stage = this.stage.key): Promise<void> {
    const { key, cause, starts_at, offset_ms, ends_at, whole_ends_at = ends_at, item } = slot;
    const about = { zone_id: zoneId, stage, key, cause, item_id: item.item_id, asset_id: item.asset_id };
    return this.report({ type: "presented", ...about, starts_at: starts_at - offset_ms, ends_at: whole_ends_at, at });
  }

  /** Plans the current plays and passes them to proof of play. Returns when the next plan is due. */
  async plan(): Promise<number> {
    const now = this.clock.now();
    const intervals = this.#follower.follow(this.#ready, now);
    const { stage, changesAt } = pagePlanAt(intervals, now, "UTC");
    this.#stage = stage;
    await this.#proof.setPlan(stage, this.#ready, Math.max(intervals[0]?.from ?? now, this.#plannedAt));
    this.#plannedAt = now;
    return changesAt;
  }

  /** Presents the due items, like the page. */
  async present(): Promise<void> {
    const at = this.clock.now();
    const stage = this.#stage;
    const key = stage?.key ?? null;
    const due = new Map((stage?.zones ?? []).flatMap(({ id, slots }) => (slots[0] === undefined ? [] : [[id, slots[0]] as const])));
    if (key !== this.#shown) {
      this.#shown = key;
      this.#playing = new Map();
      if (stage === null) await this.report({ type: "screen", is: "empty", code: null, at });
      else {
        const showing = [...due].map(([zone_id, slot]) => ({ zone_id, key: slot.key, cause: slot.cause }));
        await this.report({ type: "stage", key: stage.key, at, showing });
      }
    }
    for (const [zoneId, slot] of due) {
      if (this.#playing.get(zoneId)?.key !== slot.key) await this.reportPresented(zoneId, slot, at);
    }
    this.#playing = due;
    this.#observe(at);
  }

  /** Runs until `until`, with the page `late` ms behind each change. */
  async runTo(until: number, late = 0): Promise<void> {
    while (this.clock.now() < until) {
      const next = await this.plan();
      this.clock.advance(late);
      await this.present();
      this.clock.advance(Math.max(1, Math.min(next, until) - this.clock.now()));
    }
  }

  async command(type: string, args: Record<string, unknown> = {}): Promise<string> {
    const id = newId("cmd");
    await this.#follower.apply({ ...PlayCommand.parse({ type, args }), id });
    return id;
  }

  /** Stops, and returns the written events. */
  async stop(folder: string): Promise<PlayEvent[]> {
    this.#observe(this.clock.now(), true);
    await this.#proof.stop();
    return writtenEvents(folder);
  }

  #observe(at: number, isOver = false): void {
    const cause = this.#follower.why().find(({ verdict, layer }) => (verdict === "shows" || verdict === "held") && layer !== "pause");
    for (const [zoneId, span] of this.#open) {
      const slot = this.#playing.get(zoneId);
      if (!isOver && slot?.item.item_id === span.itemId && span.by === `${cause!.layer} ${cause!.id}`) continue;
      this.observed.push({ ...span, until: at });
      this.#open.delete(zoneId);
    }
    for (const [zoneId, { item }] of this.#playing) {
      if (!this.#open.has(zoneId))
        this.#open.set(zoneId, { from: at, until: at, itemId: item.item_id, zoneId, by: `${cause!.layer} ${cause!.id}` });
    }
  }
}

/** The events in the queue, oldest first. */
export async function writtenEvents(folder: string): Promise<PlayEvent[]> {
  const files = (await readdir(join(folder, "plays"))).filter((name) => name.endsWith(".plays")).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, "plays", name), "utf8")));
  const lines = texts.flatMap((text) => text.split("\n").filter((line) => line !== ""));
  const events = lines.flatMap((line) => (JSON.parse(line.slice(9)) as { event?: unknown }).event ?? []);
  return events.map((event) => PlayEvent.parse(event)).toSorted((a, b) => a.started_monotonic_ms - b.started_monotonic_ms);
}

export const causeOf = ({ layer, schedule_id, override_id }: PlayEvent): string => `${layer} ${override_id ?? schedule_id}`;

export function sums<T>(all: readonly T[], key: (each: T) => string, ms: (each: T) => number): Record<string, number> {
  const total: Record<string, number> = {};
  for (const each of all) total[key(each)] = (total[key(each)] ?? 0) + ms(each);
  return total;
}

/** Checks that the keys are equal and each sum is within `tolerance` ms. */
export function expectSums(reported: Record<string, number>, observed: Record<string, number>, tolerance: number): void {
  expect(Object.keys(reported).toSorted()).toEqual(Object.keys(observed).toSorted());
  for (const [key, ms] of Object.entries(observed))
    expect(Math.abs(reported[key]! - ms), `${key}: ${reported[key]} reported, ${ms} observed`).toBeLessThanOrEqual(tolerance);
}
