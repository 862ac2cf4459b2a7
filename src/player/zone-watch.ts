// Learns from the page's reports which zones show an item that works, and which can show none. Takes no action itself.
import type { Clock } from "../base/clock.ts";
import type { FromPage } from "../protocol/page-messages.ts";
import type { CurrentPlan } from "./playback-loop.ts";

export interface ZoneWatchDependencies {
  /** The plan that the page shows now. */
  plan: () => CurrentPlan;
  /** True if the plan is of the content to watch. */
  isWatched: () => boolean;
  /** True if a zone is known to work. */
  isProven: (zoneId: string) => boolean;
  /** True while an override shows. Its content stays, even if a zone of it is empty. */
  isOverridden: () => boolean;
  clock: Clock;
  /** Called when a zone has begun to show an item, or none. */
  onChange: () => void;
}

/** A zone that shows an item, which works if it has not failed until a monotonic instant in ms. */
interface ShownItem {
  key: string;
  provenAt: number;
}

/** A zone that cannot show any of its items, since a monotonic instant in ms. */
interface EmptyZone {
  since: number;
  wasOnScreen: boolean;
}

// An item that failed may be followed by one that works, and reports of the content before may still arrive.
const emptyZoneLimitMs = 5_000;
// An item may show a frame and fail soon after that. An item that played to its end works, too.
const provenAfterMs = 10_000;

export class ZoneWatch {
  readonly #dependencies: ZoneWatchDependencies;
  readonly #emptyZones = new Map<string, EmptyZone>();
  /** The last failure in each zone, for people. */
  readonly #details = new Map<string, string>();
  /** Zones that show their first items. */
  readonly #shown = new Map<string, ShownItem>();
  #page: number | null = null;

  constructor(dependencies: ZoneWatchDependencies) {
    this.#dependencies = dependencies;
  }

  /** Handles a report of the page. */
  handleMessage(message: FromPage): void {
    if (message.type === "hello" && message.opened_at !== this.#page) {
      this.#page = message.opened_at ?? null;
      this.#emptyZones.clear();
      this.#shown.clear();
    }
    if (message.type === "failed") {
      this.#details.set(message.zone_id, `${message.code}: ${message.detail}`);
      if (this.#shown.get(message.zone_id)?.key === message.key) this.#shown.delete(message.zone_id);
    }
    if (message.type === "presented") {
      this.#emptyZones.delete(message.zone_id);
      this.#itemShown(message.zone_id, message.item_id, message.key);
    }
    if (message.type === "fallback") this.#zoneEmpty(message.zone_id);
  }

  /** Forgets all reports, because other content plays. */
  clear(): void {
    this.#emptyZones.clear();
    this.#details.clear();
    this.#shown.clear();
  }

  /** The zones that are now known to work. Each is returned once. */
  takeProven(): string[] {
    const now = this.#dependencies.clock.monotonic();
    const proven = [...this.#shown].filter(([, { provenAt }]) => now >= provenAt).map(([zoneId]) => zoneId);
    for (const zoneId of proven) this.#shown.delete(zoneId);
    return proven;
  }

  /** The zones on the screen that have shown nothing for too long, and why. Each is returned once. */
  takeFailed(): { zoneId: string; detail: string }[] {
    this.#dropZonesThatLeft();
    const now = this.#dependencies.clock.monotonic();
    const failed = this.#emptyZonesOnScreen().filter(([, { since }]) => now >= since + emptyZoneLimitMs);
    return failed.map(([zoneId]) => {
      this.#emptyZones.delete(zoneId);
      return { zoneId, detail: this.#details.get(zoneId) ?? "unknown reason" };
    });
  }

  /** When a zone may count as working or failed, monotonic ms; Infinity: no report leads to that. */
  nextChangeAt(): number {
    const zones = this.#emptyZonesOnScreen().map(([, { since }]) => since + emptyZoneLimitMs);
    const proofs = [...this.#shown.values()].map(({ provenAt }) => provenAt);
    return Math.min(...zones, ...proofs);
  }

  #itemShown(zoneId: string, itemId: string, key: string): void {
    const { isProven, isWatched, clock, onChange } = this.#dependencies;
    if (isProven(zoneId) || !isWatched() || !this.#isPlanned(zoneId, itemId)) return;
    const before = this.#shown.get(zoneId);
    if (before?.key === key) return;
    const now = clock.monotonic();
    this.#shown.set(zoneId, { key, provenAt: before === undefined ? now + provenAfterMs : now });
    onChange();
  }

  #zoneEmpty(zoneId: string): void {
    const { isWatched, clock, onChange } = this.#dependencies;
    this.#shown.delete(zoneId);
    if (this.#emptyZones.has(zoneId) || !isWatched()) return;
    this.#emptyZones.set(zoneId, { since: clock.monotonic(), wasOnScreen: false });
    onChange();
  }

  #emptyZonesOnScreen(): [string, EmptyZone][] {
    if (this.#dependencies.isOverridden()) return [];
    return [...this.#emptyZones].filter(([zoneId]) => this.#isOnScreen(zoneId));
  }

  /** The page reports a zone that comes back to the screen again. */
  #dropZonesThatLeft(): void {
    for (const [zoneId, zone] of this.#emptyZones) {
      const isOnScreen = this.#isOnScreen(zoneId);
      if (zone.wasOnScreen && !isOnScreen) this.#emptyZones.delete(zoneId);
      zone.wasOnScreen ||= isOnScreen;
    }
  }

  #isPlanned(zoneId: string, itemId: string): boolean {
    const zone = this.#dependencies.plan().stage?.zones.find(({ id }) => id === zoneId);
    return zone?.slots.some(({ item }) => item.item_id === itemId) ?? false;
  }

  #isOnScreen(zoneId: string): boolean {
    return this.#dependencies.plan().stage?.zones.some(({ id }) => id === zoneId) ?? false;
  }
}
