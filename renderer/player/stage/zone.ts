// One zone: keeps the next item ready behind the one on the glass and changes them at the slot's start, in one frame.
import type { SceneItem, SceneZone, Slot } from "../../../src/protocol/scene.ts";
import { createItem } from "../items/create.ts";
import { type Item, ItemFailure } from "../items/item.ts";
import { identityOf } from "./failure-memory.ts";
import type { PageContext } from "../page.ts";
import { showTimeOf, giveUpTimeOf, canContinue, isIdle, replacementFor, slotToPrepare, type ZoneView } from "./slot-choice.ts";
import { RemovalTimer } from "./removal-timer.ts";
import { type MountedItem, ZoneLayers } from "./zone-layers.ts";
import { reportFailure, reportFlaw, reportPresented } from "./zone-report.ts";

/** What is on the glass: a slot and the element that plays it, or that stopped playing. */
type Play = { is: "playing" | "broken"; slot: Slot; borne: MountedItem };

/**
 * What is behind the glass: nothing, a slot that waits for room, an item on its way, one ready that waits for its
 * start, or a slot that the element on the glass will simply go on into. `callOff` ends what is under way for it.
 */
type Next =
  | { is: "none" }
  | { is: "waiting" | "carrying"; slot: Slot; callOff: () => void }
  | { is: "preparing"; slot: Slot; borne: MountedItem; callOff: () => void }
  | { is: "ready"; slot: Slot; borne: MountedItem; release: () => void; unwait: () => void };

// A slow item keeps its chance beyond a slot that is shorter than this, or very short slots would never change.
const minPrepareMs = 1_000;
// Up to this after its start a play counts as on time, and its transition runs by the timeline.
const onTimeMs = 50;
// Times are met in the frame nearest.
const halfFrameMs = 8;

/** A rectangle that loops on its own. */
export class Zone {
  readonly #page: PageContext;
  readonly #glass: ZoneLayers;
  /** Whether the zone has a plate of its own when nothing can be shown; else the stage's background is seen. */
  readonly #hasPlate: boolean;
  readonly #life = new AbortController();
  readonly #removal: RemovalTimer;
  #zone: SceneZone;
  #shown: Play | null = null;
  #next: Next = { is: "none" };
  #hasFallenBack = false;
  /** When the zone may be seen, at the earliest. */
  #dueAt: number;
  /** When its stage leaves. */
  #leavesAt = Number.POSITIVE_INFINITY;
  #settled = Promise.withResolvers<void>();
  /** Whether items were given up since the glass changed last. */
  #isBehindTime = false;
  /** The item that broke on the glass and, having no other beside it, is begun anew at once. */
  #again: string | null = null;
  #cancelRetry = (): void => {};

  constructor(zone: SceneZone, page: PageContext, hasPlate: boolean, dueAt = Number.NEGATIVE_INFINITY) {
    this.#page = page;
    this.#dueAt = dueAt;
    this.#zone = zone;
    this.#hasPlate = hasPlate;
    this.#glass = new ZoneLayers(zone, page);
    this.#removal = new RemovalTimer(page.clock, () => this.#leave());
    page.failures.onUnblocked(() => this.#advance(), this.#life.signal);
  }

  get element(): HTMLElement {
    return this.#glass.element;
  }

  /** Resolves once what is due first was presented or failed, or at once where nothing is due. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Takes the newest slots, when the stage leaves and, while it is behind, when it is due. A play that goes on is not touched. */
  update(zone: SceneZone, leavesAt = Number.POSITIVE_INFINITY, dueAt = this.#dueAt): void {
    this.#zone = zone;
    this.#leavesAt = leavesAt;
    this.#dueAt = dueAt;
    const same = zone.slots.find(({ key }) => key === this.#shown?.slot.key);
    if (this.#shown !== null && same !== undefined) this.#shown.slot = same;
    // No slots at all means that the zone is to be empty, unlike slots that ran out while the player was away.
    if (zone.slots.length === 0) this.#empty();
    this.#removal.update(zone, this.#shown?.slot);
    this.#advance();
  }

  /** Says that the zone is due in the frame being made. True when what it has to show then can be painted. */
  checkReady(frameTime: number): boolean {
    this.#dueAt = Math.min(this.#dueAt, this.#page.clock.toWallTime(frameTime) + halfFrameMs);
    this.#advance();
    const view = this.#view();
    if (this.#next.is === "ready" && showTimeOf(view, this.#next.slot) <= view.at) return true;
    if (this.#shown?.is === "playing" && this.#shown.slot.starts_at <= view.at) return true;
    if (isIdle(view)) return true;
    // What was due before may have been settled; this is not.
    this.#settled = Promise.withResolvers();
    return false;
  }

  /** Brings on in the frame being made what is ready and due, instead of waiting for its own alarm. */
  showIfDue(frameTime: number): void {
    const next = this.#next;
    const view = this.#view();
    if (next.is !== "ready" || showTimeOf(view, next.slot) > view.at) return;
    next.unwait();
    this.#bringOn(next, frameTime);
  }

  /** Ends everything under way. */
  dispose(): void {
    this.#life.abort();
    this.#zone = { ...this.#zone, slots: [] };
    this.#empty();
    this.element.remove();
  }

  /** Makes ready what has to be ready now. Called whenever the slots, the glass or what is behind it changed. */
  #advance(): void {
    const view = this.#view();
    const target = slotToPrepare(view);
    this.#armRetry(view);
    if (isIdle(view)) this.#settled.resolve();
    this.#shown?.borne.item.playUntil(this.#successor(this.#shown.slot)?.starts_at ?? this.#leavesAt);
    // Two items on the glass are enough for the decoders; the third is made ready when the first has left.
    if (this.#glass.isChanging) {
      if (target !== undefined && target.starts_at <= view.now) this.#glass.releaseNow();
      return;
    }
    if (target === undefined) {
      this.#dropNext();
      this.#fallBack();
      return;
    }
    const next = this.#next;
    // One that is under way and still wanted may finish, however late: a slow file must not starve the zone.
    if (next.is !== "none" && this.#wants(next.slot) && next.slot.starts_at <= target.starts_at) {
      if (next.is === "ready") this.#awaitStart(next);
      return;
    }
    this.#dropNext();
    if (view.shown?.is === "playing" && canContinue(view.shown.slot.item, target.item)) this.#carry(target);
    else this.#awaitRoom(target);
  }

  #view(): ZoneView {
    const now = this.#page.clock.now();
    // A removed item is followed like a broken one: as soon as anything can be shown.
    const shown = this.#shown === null || !this.#removal.isRunning ? this.#shown : ({ is: "broken", slot: this.#shown.slot } as const);
    return { slots: this.#zone.slots, now, at: Math.max(now, this.#dueAt), shown, mayTry: (slot) => this.#mayTry(slot, now) };
  }

  /** Takes off the removed item whose successor is still not ready. */
  #leave(): void {
    this.#glass.finishTransition();
    this.#fallBack();
  }

  #successor(slot: Slot): Slot | undefined {
    const { now } = this.#view();
    return this.#zone.slots.find((other) => other.starts_at > slot.starts_at && this.#mayTry(other, now));
  }

  #wants(slot: Slot): boolean {
    return this.#zone.slots.some(({ key }) => key === slot.key);
  }

  #mayTry({ item }: Slot, now: number): boolean {
    const { failures } = this.#page;
    return (failures.retryAt(item) <= now || this.#again === identityOf(item)) && failures.mayRun(item);
  }

  /** Whether the zone has something else to show than this item. */
  #hasOther(item: SceneItem): boolean {
    const { now } = this.#view();
    const isOther = (slot: Slot): boolean => slot.ends_at > now && identityOf(slot.item) !== identityOf(item);
    return this.#zone.slots.some((slot) => isOther(slot) && this.#mayTry(slot, now));
  }

  /** Comes back when the first of the failed items may be tried again. */
  #armRetry({ slots, now }: ZoneView): void {
    this.#cancelRetry();
    const times = slots.map(({ item }) => this.#page.failures.retryAt(item)).filter((time) => time > now);
    this.#cancelRetry = times.length === 0 ? () => {} : this.#page.clock.alarm(Math.min(...times), () => this.#advance());
  }

  /** Waits until there is room to make the slot ready, at the longest until it is due. */
  #awaitRoom(slot: Slot): void {
    const { budget, clock } = this.#page;
    const claim = budget.reserve(slot.cost, slot.starts_at, () => {
      due();
      // Of two that ended one process the other may run by now.
      if (this.#mayTry(slot, clock.now())) return this.#prepare(slot, () => claim.release());
      this.#dropNext();
      this.#advance();
    });
    const due = clock.alarm(showTimeOf(this.#view(), slot), () => claim.grantNow());
    const callOff = (): void => {
      due();
      claim.release();
    };
    this.#next = { is: "waiting", slot, callOff };
  }

  #prepare(slot: Slot, release: () => void): void {
    const { clock, driftLog: drift } = this.#page;
    const { width, height } = this.#zone;
    const abort = new AbortController();
    this.#again = null;
    const item: Item = createItem(slot.item, {
      ...this.#page,
      width,
      height,
      startsAt: slot.starts_at,
      offsetMs: slot.offset_ms,
      onDrift: (driftMs) => drift.add(driftMs),
      onFailure: (failure) => this.#breakDown(slot, item, failure),
      onFlaw: (flaw) => reportFlaw(this.#page, this.#zone.id, slot, flaw),
    });
    const borne = this.#glass.mount(item, this.#page.failures.trackRunning(slot.item));
    const late = (): void => this.#failBehind(slot, item, new ItemFailure("timeout", "not ready in time"));
    const now = clock.now();
    const over = clock.alarm(Math.max(slot.ends_at, now + minPrepareMs), late);
    const about = { isFollower: this.#isBehindTime, hasFailed: this.#page.failures.failureCount(slot.item) > 0 };
    const passOver = clock.alarm(giveUpTimeOf(this.#view(), slot, about), () => {
      if (this.#hasOther(slot.item)) late();
    });
    const callOff = (): void => {
      over();
      passOver();
      release();
      abort.abort();
    };
    this.#next = { is: "preparing", slot, borne, callOff };
    item.prepare(abort.signal).then(
      () => {
        if (abort.signal.aborted) return;
        over();
        passOver();
        this.#next = { is: "ready", slot, borne, release, unwait: () => {} };
        this.#awaitStart(this.#next);
      },
      (error: unknown) => {
        if (!abort.signal.aborted) this.#failBehind(slot, item, error);
      },
    );
  }

  /** Has what is ready come on at its time, or earlier where there is a gap to fill. */
  #awaitStart(next: Extract<Next, { is: "ready" }>): void {
    next.unwait();
    next.unwait = this.#page.clock.alarm(showTimeOf(this.#view(), next.slot), (frameTime) => this.#bringOn(next, frameTime));
  }

  #bringOn(next: Extract<Next, { is: "ready" }>, frameTime: number): void {
    next.release();
    this.#next = { is: "none" };
    this.#change(replacementFor(this.#view(), next.slot), next.borne, frameTime);
  }

  /** Changes the glass in the frame being made. */
  #change(slot: Slot, borne: MountedItem, frameTime: number): void {
    const { clock, failures, transitions } = this.#page;
    this.#glass.finishTransition();
    const before = this.#shown;
    if (before?.is === "playing") failures.clearFailures(before.slot.item);
    this.#shown = { is: "playing", slot, borne };
    this.#removal.cancel();
    this.#isBehindTime = false;
    this.#hasFallenBack = false;
    const frameAt = clock.toWallTime(frameTime);
    const beginsAt = Math.abs(frameAt - slot.starts_at) <= onTimeMs ? slot.starts_at : frameAt;
    const transition = transitions.choose(slot.transition, slot.ends_at - beginsAt);
    const presented = this.#glass.change(borne, before?.borne ?? null, { transition, beginsAt }, () => {
      this.#settled.resolve();
      this.#advance();
    });
    // One that broke and was begun anew is another play of the same slot.
    if (before?.slot.key !== slot.key || before.is === "broken") reportPresented(this.#page, this.#zone.id, slot, presented);
  }

  /** Lets the element on the glass go on into a slot with an equal item. */
  #carry(slot: Slot): void {
    const { clock, frames, failures } = this.#page;
    const callOff = clock.alarm(slot.starts_at, () => {
      this.#next = { is: "none" };
      if (this.#shown !== null) this.#shown.slot = slot;
      this.#isBehindTime = false;
      failures.clearFailures(slot.item);
      frames.request((time) => {
        reportPresented(this.#page, this.#zone.id, slot, Promise.resolve(clock.toWallTime(time)));
        this.#advance();
      });
    });
    this.#next = { is: "carrying", slot, callOff };
  }

  #failBehind(slot: Slot, item: Item, error: unknown): void {
    const next = this.#next;
    if ((next.is !== "preparing" && next.is !== "ready") || next.borne.item !== item) return;
    reportFailure(this.#page, this.#zone.id, slot, error, null);
    this.#isBehindTime = true;
    this.#dropNext();
    this.#settled.resolve();
    this.#advance();
  }

  /** An item failed that had been ready: on the glass, or behind it while it waited for its start. */
  #breakDown(slot: Slot, item: Item, failure: ItemFailure): void {
    if (this.#shown?.borne.item === item) this.#breakOnGlass(this.#shown, failure);
    else this.#failBehind(slot, item, failure);
  }

  #breakOnGlass(shown: Play, failure: ItemFailure): void {
    if (shown.is === "broken") return;
    shown.is = "broken";
    const { slot, borne } = shown;
    // What has no picture any more makes room for the plate until the next can be shown.
    if (borne.item.hasLostPicture === true && this.#hasPlate) this.#glass.showFallback();
    reportFailure(this.#page, this.#zone.id, slot, failure, borne);
    borne.markStopped();
    const isFirst = this.#page.failures.failureCount(slot.item) === 1;
    // Begun anew at once, a page that ended its process would end what follows it on the same origin too.
    if (isFirst && failure.crashId === undefined && !this.#hasOther(slot.item)) this.#again = identityOf(slot.item);
    this.#advance();
  }

  /** Nothing can be shown: what broke or was removed gives way to a calm ground. What still plays stays. */
  #fallBack(): void {
    const mayStay = this.#shown?.is === "playing" && !this.#removal.isRunning;
    if (this.#zone.slots.length === 0 || mayStay || this.#hasFallenBack) return;
    this.#hasFallenBack = true;
    this.#isBehindTime = false;
    this.#takeOff();
    if (this.#hasPlate) this.#glass.showFallback();
    this.#page.report({ type: "fallback", zone_id: this.#zone.id, at: this.#page.clock.now() });
  }

  #empty(): void {
    this.#cancelRetry();
    this.#dropNext();
    this.#glass.clear();
    this.#takeOff();
    this.#hasFallenBack = false;
  }

  #takeOff(): void {
    if (this.#shown !== null) this.#glass.unmount(this.#shown.borne);
    this.#shown = null;
    this.#removal.cancel();
  }

  #dropNext(): void {
    const next = this.#next;
    this.#next = { is: "none" };
    switch (next.is) {
      case "none":
        return;
      case "waiting":
      case "carrying":
        return next.callOff();
      case "preparing":
        next.callOff();
        return this.#glass.unmount(next.borne);
      case "ready":
        next.unwait();
        next.release();
        return this.#glass.unmount(next.borne);
    }
  }
}
