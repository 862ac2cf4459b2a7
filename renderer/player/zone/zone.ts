// One zone: chooses the item to prepare next, changes items at the start of their slots and handles failures on screen.
import type { SceneZone, Slot } from "../../../src/protocol/scene.ts";
import { kindOf } from "../items/item-kinds.ts";
import type { Item, ItemFailure } from "../items/item.ts";
import type { PageContext } from "../page.ts";
import { NextItem } from "./next-item.ts";
import { RemovalTimer } from "./removal-timer.ts";
import { Retries } from "./retries.ts";
import { canContinue, hasOther, isIdle, slotToPrepare, type ZoneView } from "./slot-choice.ts";
import { type MountedItem, ZoneLayers } from "./zone-layers.ts";
import { reportFailure, reportFlaw, reportPresented } from "./zone-report.ts";

/** The slot on screen and its item, which is playing or has failed. */
interface ShownItem {
  is: "playing" | "broken";
  slot: Slot;
  mountedItem: MountedItem;
}

// A play that starts within this time after its slot's start is on time; its transition then follows the slot's timeline.
const onTimeMs = 50;
// A change is made in the frame nearest to its instant.
const halfFrameMs = 8;
// A new stage waits for an item that starts within this time. The page's clock may be behind the player's, and an empty zone would be seen.
const aboutToStartMs = 1_000;

/** A rectangle with a loop of its own. */
export class Zone {
  readonly element: HTMLElement;
  readonly #page: PageContext;
  readonly #layers: ZoneLayers;
  /** True if the zone shows a fallback when nothing can be shown; otherwise the stage's background is seen. */
  readonly #hasFallback: boolean;
  readonly #disposal = new AbortController();
  readonly #removal: RemovalTimer;
  readonly #retries: Retries;
  readonly #next: NextItem;
  #zone: SceneZone;
  #onScreen: ShownItem | null = null;
  #isFallbackShown = false;
  /** The earliest instant at which the zone may be seen. */
  #dueAt: number;
  /** When the zone's stage is replaced. */
  #leavesAt = Number.POSITIVE_INFINITY;
  #firstResult = Promise.withResolvers<void>();
  /** True if slow items were abandoned since the last change on screen. */
  #isBehindTime = false;

  constructor(zone: SceneZone, page: PageContext, hasFallback: boolean, dueAt = Number.NEGATIVE_INFINITY) {
    this.#page = page;
    this.#dueAt = dueAt;
    this.#zone = zone;
    this.#hasFallback = hasFallback;
    this.#layers = new ZoneLayers(zone, page);
    this.element = this.#layers.element;
    this.#removal = new RemovalTimer(page.clock, () => {
      this.#layers.finishTransition();
      this.#fallBack();
    });
    this.#retries = new Retries(page, () => this.#advance());
    this.#next = new NextItem(page, this.#layers, {
      view: () => this.#view(),
      isBehindTime: () => this.#isBehindTime,
      createItem: (slot) => this.#createItem(slot),
      onDue: (slot, mountedItem, frameTime) => this.#change(slot, mountedItem, frameTime),
      onContinue: (slot) => this.#continueInto(slot),
      onFailure: (slot, error) => this.#failNext(slot, error),
      onDropped: () => this.#advance(),
    });
    page.failures.onUnblocked(() => this.#advance(), this.#disposal.signal);
  }

  /** Resolves once the first item that is due, or about to be, was presented or has failed, or at once when there is none. */
  get firstResult(): Promise<void> {
    return this.#firstResult.promise;
  }

  /** Takes the newest slots, when the stage leaves and, while it is hidden, when it is due. A play that continues is not touched. */
  update(zone: SceneZone, leavesAt = Number.POSITIVE_INFINITY, dueAt = this.#dueAt): void {
    this.#zone = zone;
    this.#leavesAt = leavesAt;
    this.#dueAt = dueAt;
    const same = zone.slots.find(({ key }) => key === this.#onScreen?.slot.key);
    if (this.#onScreen !== null && same !== undefined) this.#onScreen.slot = same;
    // No slots at all means that the zone has to be empty. Slots that are all over mean that the player was away.
    if (zone.slots.length === 0) this.#empty();
    this.#removal.update(zone, this.#onScreen?.slot);
    this.#advance();
  }

  /** True if no change is due at the clock's instant, apart from items that cannot be shown. */
  get isUpToDate(): boolean {
    return isIdle(this.#view());
  }

  /** Makes the zone due in the current frame. Returns whether its content can be painted. */
  checkReady(frameTime: number): boolean {
    this.#dueAt = Math.min(this.#dueAt, this.#page.clock.toWallTime(frameTime) + halfFrameMs);
    this.#advance();
    const view = this.#view();
    if (this.#next.isDue(view)) return true;
    if (this.#onScreen?.is === "playing" && this.#onScreen.slot.starts_at <= view.at) return true;
    if (isIdle(view)) return true;
    // The zone may be settled by an earlier item: wait for the one that is due now.
    this.#firstResult = Promise.withResolvers();
    return false;
  }

  /** Shows the next item in the current frame if it is ready and due. */
  showIfDue(frameTime: number): void {
    this.#next.showIfDue(frameTime);
  }

  /** Stops all work of the zone and removes the element. */
  dispose(): void {
    this.#disposal.abort();
    this.#zone = { ...this.#zone, slots: [] };
    this.#empty();
    this.element.remove();
  }

  /** Prepares the next item if it is time to. Called whenever the slots, the item on screen or the next item have changed. */
  #advance(): void {
    const view = this.#view();
    const target = slotToPrepare(view);
    this.#retries.schedule(view.slots, view.now);
    if (isIdle(view, aboutToStartMs)) this.#firstResult.resolve();
    if (this.#onScreen !== null) {
      const { starts_at: shownSince } = this.#onScreen.slot;
      const successor = view.slots.find((slot) => slot.starts_at > shownSince && view.mayTry(slot));
      this.#onScreen.mountedItem.item.playUntil(successor?.starts_at ?? this.#leavesAt);
    }
    // Two items on screen are enough for the decoders; a third is prepared when the first has left.
    if (this.#layers.isChanging) {
      if (target !== undefined && target.starts_at <= view.now) this.#layers.releaseNow();
      return;
    }
    if (target === undefined) {
      this.#next.drop();
      return this.#fallBack();
    }
    const { slot } = this.#next;
    const isWanted = view.slots.some(({ key }) => key === slot?.key);
    // An item that is being prepared and still wanted may finish, however late: a slow file must not starve the zone.
    if (slot !== undefined && isWanted && slot.starts_at <= target.starts_at) return this.#next.reschedule();
    this.#next.drop();
    if (view.onScreen?.is === "playing" && canContinue(view.onScreen.slot.item, target.item)) this.#next.continueInto(target);
    else this.#next.prepare(target);
  }

  #view(): ZoneView {
    const now = this.#page.clock.now();
    // A removed item is replaced like a broken one: as soon as anything else can be shown.
    const onScreen =
      this.#onScreen === null || !this.#removal.isRunning ? this.#onScreen : ({ is: "broken", slot: this.#onScreen.slot } as const);
    const mayTry = (slot: Slot): boolean => this.#retries.mayTry(slot, now);
    return { slots: this.#zone.slots, now, at: Math.max(now, this.#dueAt), onScreen, mayTry };
  }

  #createItem(slot: Slot): Item {
    const { width, height, id } = this.#zone;
    this.#retries.endRestart();
    const item: Item = kindOf(slot.item).create(slot.item, {
      ...this.#page,
      width,
      height,
      startsAt: slot.starts_at,
      offsetMs: slot.offset_ms,
      onDrift: (driftMs) => this.#page.driftLog.add(driftMs),
      onFailure: (failure) => {
        if (this.#onScreen?.mountedItem.item === item) this.#failOnScreen(this.#onScreen, failure);
        else this.#next.fail(item, failure);
      },
      onFlaw: (flaw) => reportFlaw(this.#page, id, slot, flaw),
    });
    return item;
  }

  /** Changes the item on screen in the current frame. */
  #change(slot: Slot, mountedItem: MountedItem, frameTime: number): void {
    const { clock, failures, transitions } = this.#page;
    this.#layers.finishTransition();
    const before = this.#onScreen;
    if (before?.is === "playing") failures.clearFailures(before.slot.item);
    this.#onScreen = { is: "playing", slot, mountedItem };
    this.#removal.cancel();
    this.#isBehindTime = false;
    this.#isFallbackShown = false;
    const frameAt = clock.toWallTime(frameTime);
    const beginsAt = Math.abs(frameAt - slot.starts_at) <= onTimeMs ? slot.starts_at : frameAt;
    const transition = transitions.choose(slot.transition, slot.ends_at - beginsAt);
    const presentation = this.#layers.change(mountedItem, before?.mountedItem ?? null, { transition, beginsAt }, () => {
      this.#firstResult.resolve();
      this.#advance();
    });
    // The restart of a broken item is another play of the same slot.
    if (before?.slot.key !== slot.key || before.is === "broken") reportPresented(this.#page, this.#zone.id, slot, presentation);
  }

  #continueInto(slot: Slot): void {
    const { clock, frames, failures } = this.#page;
    if (this.#onScreen !== null) this.#onScreen.slot = slot;
    this.#isBehindTime = false;
    failures.clearFailures(slot.item);
    frames.request((time) => {
      reportPresented(this.#page, this.#zone.id, slot, Promise.resolve(clock.toWallTime(time)));
      this.#advance();
    });
  }

  /** The next item failed before it was shown. */
  #failNext(slot: Slot, error: unknown): void {
    reportFailure(this.#page, this.#zone.id, slot, error, null);
    this.#isBehindTime = true;
    this.#next.drop();
    this.#firstResult.resolve();
    this.#advance();
  }

  #failOnScreen(onScreen: ShownItem, failure: ItemFailure): void {
    if (onScreen.is === "broken") return;
    onScreen.is = "broken";
    const { slot, mountedItem } = onScreen;
    // An item that has lost its picture makes room for the fallback until the next item can be shown.
    if (mountedItem.item.hasLostPicture === true && this.#hasFallback) this.#layers.showFallback();
    reportFailure(this.#page, this.#zone.id, slot, failure, mountedItem);
    mountedItem.markStopped();
    const isFirst = this.#page.failures.failureCount(slot.item) === 1;
    // A page that crashed its process is not restarted at once: it would crash the pages of the same origin again.
    if (isFirst && failure.crashId === undefined && !hasOther(this.#view(), slot.item)) this.#retries.restart(slot.item);
    this.#advance();
  }

  /** Replaces a broken or removed item by the fallback when nothing can be shown. An item that still plays stays. */
  #fallBack(): void {
    const mayStay = this.#onScreen?.is === "playing" && !this.#removal.isRunning;
    if (this.#zone.slots.length === 0 || mayStay || this.#isFallbackShown) return;
    this.#isFallbackShown = true;
    this.#isBehindTime = false;
    this.#disposeShown();
    if (this.#hasFallback) this.#layers.showFallback();
    this.#page.report({ type: "fallback", zone_id: this.#zone.id, at: this.#page.clock.now() });
  }

  #empty(): void {
    this.#retries.cancel();
    this.#next.drop();
    this.#layers.clear();
    this.#disposeShown();
    this.#isFallbackShown = false;
  }

  #disposeShown(): void {
    if (this.#onScreen !== null) this.#layers.unmount(this.#onScreen.mountedItem);
    this.#onScreen = null;
    this.#removal.cancel();
  }
}
