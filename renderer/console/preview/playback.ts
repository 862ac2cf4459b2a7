// Computes the picture of a screen at any instant, with the player's own functions. Pure: no clock, no network.
import { hourMs } from "../../../src/base/time.ts";
import { pagePlanAt, type PagePlan } from "../../../src/playback/page-plan.ts";
import { showsAnything } from "../../../src/playback/playback.ts";
import type { FeedContent } from "../../../src/playback/scene-item.ts";
import { advancedPlan, schedulePlanAt, type SchedulePlan } from "../../../src/playback/schedule-plan.ts";
import type { ToPreview } from "../../../src/protocol/preview-messages.ts";
import type { Scene, Slot, Stage } from "../../../src/protocol/scene.ts";
import { pauseAt } from "../../../src/schedule/interventions.ts";
import { itemDurationMs } from "../../../src/protocol/content/items.ts";
import { nextPlayStarts } from "../../../src/schedule/timeline.ts";
import type { PreviewContent } from "./content.ts";

/** The data with which the page shows an instant, apart from the clock's rate. */
export type Seek = Pick<Extract<ToPreview, { type: "seek" }>, "scene" | "from" | "steps" | "at">;

/** A scene, and when the page needs the next one. */
export interface SceneUntil {
  scene: Scene;
  changesAt: number;
}

// A changed loop takes over when the item on the screen ends, so the picture depends on the past plays for as long as an item lasts.
const maxMemoryMs = hourMs;
const longestTransitionMs = 10_000;
// How long before a transition the page begins, so that the item that leaves is on the screen: more than it takes a change for due.
const beforeMs = 100;

// Whoever is this near to an item's beginning wants to go to the item before it.
const sameItemMs = 1_500;

/** The picture of one content. */
export class PreviewPlayback {
  readonly #content: PreviewContent;
  readonly #feedContent: (url: string) => FeedContent;
  readonly #memoryMs: number;
  /** The plan of the newest scene, for the one after it. */
  #newest: SchedulePlan | null = null;

  constructor(content: PreviewContent, feedContent: (url: string) => FeedContent) {
    this.#content = content;
    this.#feedContent = feedContent;
    const { playlists, assets } = content.content.desired;
    const byId = new Map(assets.map((asset) => [asset.id, asset]));
    const durations = playlists.flatMap(({ items }) =>
      items.map((item) => itemDurationMs(item, "asset_id" in item ? (byId.get(item.asset_id) ?? null) : null)),
    );
    this.#memoryMs = durations.reduce((longest, each) => Math.min(maxMemoryMs, Math.max(longest, each)), 0);
  }

  /** The scene at an instant, as of a player that has run until then. */
  sceneAt(instant: number): SceneUntil {
    const plan = this.#pagePlanAt(instant);
    return { scene: this.#sceneOf(plan), changesAt: plan.changesAt };
  }

  /** How the page gets to an instant: it begins before the transitions that run then. */
  seekTo(at: number): Seek {
    const lastChange = this.#pagePlanAt(at - longestTransitionMs).upcoming.findLast((each) => each.at <= at);
    const { scene } = this.sceneAt(at);
    const changes = lastChange === undefined ? [] : [{ at: lastChange.at, lengthMs: lengthOf(lastChange.stage.transition) }];
    for (const { slots } of scene.screen.is === "stage" ? scene.screen.stage.zones : []) {
      const [slot] = slots;
      if (slot === undefined || slot.starts_at > at) continue;
      // As the page shortens it.
      changes.push({ at: slot.starts_at, lengthMs: Math.min(lengthOf(slot.transition), (slot.ends_at - slot.starts_at) / 2) });
    }
    const running = changes.filter((each) => each.at + each.lengthMs > at);
    if (running.length === 0) return { scene, from: at, steps: [], at };
    const from = Math.min(...running.map((each) => each.at)) - beforeMs;
    const steps = new Set(changes.flatMap((each) => (each.at > from ? [each.at] : [])));
    return { scene: this.sceneAt(from).scene, from, steps: [...steps].toSorted((a, b) => a - b), at };
  }

  /** How long the longest loop of the layout at an instant is; null: nothing is due. */
  loopAt(instant: number): { from: number; lengthMs: number } | null {
    const zones = this.#planAt(instant).intervals[0]!.playback.zones.values();
    const [longest] = [...zones].map(({ current }) => current).toSorted((a, b) => b.totalMs - a.totalMs);
    if (longest === undefined || longest.totalMs <= 0) return null;
    const rounds = Math.floor((instant - longest.epochMs) / longest.totalMs);
    return { from: longest.epochMs + rounds * longest.totalMs, lengthMs: longest.totalMs };
  }

  /** When the item before, and the one after, of those on the screen at an instant is to be seen whole, after its transition. */
  changesAround(instant: number): { before: number | null; after: number | null } {
    const slots = this.#slotsAt(instant);
    const ends = slots.map(({ ends_at }) => ends_at);
    const after = Math.min(...ends);
    const entries = slots.map(entryEnd).filter((from) => from < instant - sameItemMs);
    if (entries.length > 0) return { before: Math.max(...entries), after: entryEndAfter(this.#slotsAt(after), after) };
    const start = Math.max(...slots.map(({ starts_at }) => starts_at));
    const earlier = this.#slotsAt(start - 1)
      .map(entryEnd)
      .filter((from) => from < instant - sameItemMs);
    return { before: earlier.length === 0 ? null : Math.max(...earlier), after: entryEndAfter(this.#slotsAt(after), after) };
  }

  /** When an item is to be seen whole in the round of its loop at `instant`; null: it does not play. It stays where it is if it plays now. */
  playOf(itemId: string, instant: number): number | null {
    const isPlayed = ({ item }: Slot): boolean => item.item_id === itemId;
    if (this.#slotsAt(instant).some(isPlayed)) return instant;
    const loop = this.loopAt(instant);
    for (const { current } of this.#planAt(instant).intervals[0]!.playback.zones.values()) {
      const startsAt = nextPlayStarts(current, (loop?.from ?? instant) - 1).get(itemId);
      if (startsAt === undefined) continue;
      return this.#slotsAt(startsAt).filter(isPlayed).map(entryEnd)[0] ?? startsAt;
    }
    return null;
  }

  #slotsAt(instant: number): Slot[] {
    if (!Number.isFinite(instant)) return [];
    const { screen } = this.sceneAt(instant).scene;
    return screen.is === "stage"
      ? screen.stage.zones.flatMap(({ slots: [slot] }) => (slot !== undefined && slot.starts_at <= instant ? [slot] : []))
      : [];
  }

  #pagePlanAt(instant: number): PagePlan {
    return pagePlanAt(this.#planAt(instant).intervals, instant, this.#content.context.deviceTimeZone, this.#feedContent);
  }

  #planAt(instant: number): SchedulePlan {
    const { content, context } = this.#content;
    const freshPlan = (): SchedulePlan => schedulePlanAt(null, content, this.#memoryFrom(instant), context);
    const before = advancedPlan(this.#newest, content, instant, context) ?? advancedPlan(freshPlan(), content, instant, context);
    this.#newest = schedulePlanAt(before, content, instant, context);
    return this.#newest;
  }

  /** The instant since which a player must have run for its picture at `instant` not to depend on earlier plays. */
  #memoryFrom(instant: number): number {
    const { interventions } = this.#content.context;
    const from = instant - this.#memoryMs;
    // A pause holds an item for longer than it lasts.
    const pause = pauseAt(interventions, from);
    return pause === null ? from : pause.at - this.#memoryMs;
  }

  #sceneOf({ stage, upcoming }: PagePlan): Scene {
    const { player, layout, layouts } = this.#content.content.desired;
    if (stage !== null && showsAnything(stage)) return { screen: { is: "stage", stage }, upcoming: [...upcoming], identify: null };
    const is_assigned = layout !== null || layouts.length > 0;
    const screen = { is: "empty", player_name: player.name, link: "online", is_assigned, trouble: null, service: "" } as const;
    return { screen, upcoming: [...upcoming], identify: null };
  }
}

/** When an item has come in. */
function entryEnd({ starts_at, ends_at, transition }: Slot): number {
  return starts_at + Math.min(lengthOf(transition), (ends_at - starts_at) / 2);
}

function entryEndAfter(slots: readonly Slot[], after: number): number | null {
  const entries = slots.filter(({ starts_at }) => starts_at >= after).map(entryEnd);
  return entries.length === 0 ? null : Math.max(...entries);
}

function lengthOf(transition: Stage["transition"]): number {
  return transition === undefined || transition.type === "cut" ? 0 : transition.duration_ms;
}
