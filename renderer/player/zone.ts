// One zone: keeps the next item ready behind the one on the glass and changes them at the slot's start, in one frame.
import type { SceneItem, SceneZone, Slot } from "../../src/protocol/scene.ts";
import { make, setSeen } from "./dom.ts";
import { createItem } from "./items/create.ts";
import { type Item, ItemFailure } from "./items/item.ts";
import type { Page } from "./page.ts";

/** What is on the glass: a slot and the element that plays it, or that stopped playing. */
type Play = { is: "playing" | "broken"; slot: Slot; item: Item };

/**
 * What is behind the glass: nothing, an item on its way, one ready that waits for its start, or a slot that the
 * element on the glass will simply go on into. `callOff` ends what is under way for it.
 */
type Next =
  | { is: "none" }
  | { is: "preparing" | "ready"; slot: Slot; item: Item; callOff: () => void }
  | { is: "carrying"; slot: Slot; callOff: () => void };

// A slow item keeps its chance beyond a slot that is shorter than this, or very short slots would never change.
const leastPrepareMs = 1_000;
// What broke on the glass is begun anew once; what could not be prepared is not.
const triesPerPlay = 2;
const longestDetail = 2_000;
// Corrections of the clock up to this do not bring back an item that just left.
const setBackMs = 1_000;

/** A rectangle that loops on its own. */
export class Zone {
  readonly element: HTMLElement;
  /** Resolves once the first due item was presented or failed, or at once where none is due. */
  readonly settled: Promise<void>;
  readonly #settle: () => void;
  readonly #page: Page;
  #zone: SceneZone;
  #shown: Play | null = null;
  #next: Next = { is: "none" };
  /** Failed tries by slot key. */
  #failures = new Map<string, number>();

  constructor(zone: SceneZone, page: Page) {
    this.#page = page;
    this.#zone = zone;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#settle = resolve;
    this.element = make("div", "zone");
    const { style } = this.element;
    style.left = `${zone.left}px`;
    style.top = `${zone.top}px`;
    style.width = `${zone.width}px`;
    style.height = `${zone.height}px`;
    style.zIndex = String(zone.z_index);
  }

  /** Takes the newest slots. A play that goes on is not touched. */
  update(zone: SceneZone): void {
    this.#zone = zone;
    const slots = new Map(zone.slots.map((slot) => [slot.key, slot]));
    for (const key of this.#failures.keys()) if (!slots.has(key)) this.#failures.delete(key);
    const same = this.#shown === null ? undefined : slots.get(this.#shown.slot.key);
    if (this.#shown !== null && same !== undefined) this.#shown.slot = same;
    // No slots at all means that the zone is to be empty, unlike slots that ran out while the player was away.
    if (zone.slots.length === 0) this.#empty();
    this.#advance();
  }

  /** Ends everything under way. */
  dispose(): void {
    this.#zone = { ...this.#zone, slots: [] };
    this.#empty();
    this.element.remove();
  }

  /** Makes ready what has to be ready now. Called whenever the slots, the glass or what is behind it changed. */
  #advance(): void {
    const target = this.#target();
    if (target === undefined || target.starts_at > this.#page.clock.now()) this.#settle();
    this.#shown?.item.playUntil(this.#successor(this.#shown.slot)?.starts_at ?? Number.POSITIVE_INFINITY);
    if (target === undefined) return this.#dropNext();
    const next = this.#next;
    // One that is under way and still wanted may finish, however late: a slow file must not starve the zone.
    if (next.is !== "none" && this.#wants(next.slot) && next.slot.starts_at <= target.starts_at) return;
    this.#dropNext();
    if (this.#shown !== null && goesOn(this.#shown.slot.item, target.item)) this.#carry(target);
    else this.#prepare(target);
  }

  /** The slot to make ready: the one due, unless it plays already or failed; else the first to come that did not fail. */
  #target(): Slot | undefined {
    const { slots } = this.#zone;
    const now = this.#page.clock.now();
    // A play may have begun in the frame nearest, just before its time, or the clock may have been set back since:
    // what is on the glass is never left for the one before it.
    const begun = ({ key, starts_at }: Slot): boolean => key === this.#shown?.slot.key && starts_at < now + setBackMs;
    const due = slots.findLast((slot) => slot.starts_at <= now || begun(slot));
    const plays = this.#shown?.is === "playing" && this.#shown.slot.key === due?.key;
    if (due !== undefined && !plays && this.#mayTry(due)) return due;
    return slots.find((slot) => slot.starts_at > now && slot.key !== this.#shown?.slot.key && this.#mayTry(slot));
  }

  #successor(slot: Slot): Slot | undefined {
    return this.#zone.slots.find((other) => other.starts_at > slot.starts_at && this.#mayTry(other));
  }

  #wants(slot: Slot): boolean {
    return this.#zone.slots.some(({ key }) => key === slot.key);
  }

  #mayTry(slot: Slot): boolean {
    return (this.#failures.get(slot.key) ?? 0) < triesPerPlay;
  }

  #prepare(slot: Slot): void {
    const { clock, frames, sites } = this.#page;
    const { width, height } = this.#zone;
    const abort = new AbortController();
    const item = createItem(slot.item, {
      clock,
      frames,
      sites,
      width,
      height,
      startsAt: slot.starts_at,
      offsetMs: slot.offset_ms,
      onFailure: (failure) => {
        this.#breakOnGlass(item, failure);
      },
    });
    const patience = clock.alarm(Math.max(slot.ends_at, clock.now() + leastPrepareMs), () => {
      this.#failBehind(slot, item, new ItemFailure("timeout", "not ready before its time was over"));
    });
    const callOff = (): void => {
      patience();
      abort.abort();
    };
    this.#next = { is: "preparing", slot, item, callOff };
    setSeen(item.element, "no");
    this.element.append(item.element);
    item.prepare(abort.signal).then(
      () => {
        if (abort.signal.aborted) return;
        patience();
        const wait = clock.alarm(slot.starts_at, () => void this.#swap(slot, item));
        this.#next = { is: "ready", slot, item, callOff: wait };
      },
      (error: unknown) => {
        if (!abort.signal.aborted) this.#failBehind(slot, item, error);
      },
    );
  }

  /** Changes the glass in the frame being made. A failure in here is a fault of the page and surfaces as one. */
  async #swap(slot: Slot, item: Item): Promise<void> {
    const before = this.#shown;
    this.#shown = { is: "playing", slot, item };
    this.#next = { is: "none" };
    const presented = item.show();
    before?.item.hide();
    this.#page.frames.request(() => {
      before?.item.dispose();
      this.#settle();
      this.#advance();
    });
    const at = await presented;
    if (before?.slot.key !== slot.key) this.#reportPresented(slot, at);
  }

  /** Lets the element on the glass go on into a slot with an equal item. */
  #carry(slot: Slot): void {
    const { clock, frames } = this.#page;
    const callOff = clock.alarm(slot.starts_at, () => {
      this.#next = { is: "none" };
      if (this.#shown !== null) this.#shown.slot = slot;
      frames.request((time) => {
        this.#reportPresented(slot, clock.at(time));
        this.#advance();
      });
    });
    this.#next = { is: "carrying", slot, callOff };
  }

  #failBehind(slot: Slot, item: Item, error: unknown): void {
    if (this.#next.is !== "preparing" || this.#next.item !== item) return;
    this.#dropNext();
    this.#reportFailed(slot, error, triesPerPlay);
    this.#settle();
    this.#advance();
  }

  #breakOnGlass(item: Item, failure: ItemFailure): void {
    if (this.#shown?.item !== item || this.#shown.is === "broken") return;
    this.#shown.is = "broken";
    this.#reportFailed(this.#shown.slot, failure, 1);
    this.#advance();
  }

  #reportPresented({ key, item }: Slot, at: number): void {
    const { item_id, asset_id } = item;
    this.#page.report({ type: "presented", zone_id: this.#zone.id, key, item_id, asset_id, at });
  }

  #reportFailed({ key, item }: Slot, error: unknown, tries: number): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + tries);
    if (failures > 0) return;
    const { item_id, asset_id } = item;
    const code = error instanceof ItemFailure ? error.code : "load";
    const detail = (error instanceof Error ? error.message : String(error)).slice(0, longestDetail);
    this.#page.report({
      type: "failed",
      zone_id: this.#zone.id,
      key,
      item_id,
      asset_id,
      code,
      detail,
    });
  }

  #empty(): void {
    this.#dropNext();
    this.#shown?.item.dispose();
    this.#shown = null;
  }

  #dropNext(): void {
    const next = this.#next;
    this.#next = { is: "none" };
    if (next.is === "none") return;
    next.callOff();
    if (next.is !== "carrying") next.item.dispose();
  }
}

/** Whether one element can stay for both: a still item that equals the one before. A clip begins anew. */
function goesOn(shown: SceneItem, next: SceneItem): boolean {
  return shown.type !== "video" && JSON.stringify(shown) === JSON.stringify(next);
}
