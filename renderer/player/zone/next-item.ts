// Prepares the next item of a zone behind the one on screen and hands it over at its start.
import type { Slot } from "../../../src/protocol/scene.ts";
import { type Item, ItemFailure } from "../items/item.ts";
import type { PageContext } from "../page.ts";
import { giveUpTimeOf, hasOther, replacementFor, showTimeOf, type ZoneView } from "./slot-choice.ts";
import type { MountedItem, ZoneLayers } from "./zone-layers.ts";

/**
 * `waiting` for the preload budget; `preparing` the item; `ready` until its start; `continuing`: the item on screen stays
 * for this slot, too.
 */
type State =
  | { is: "none" }
  | { is: "waiting" | "continuing"; slot: Slot; cancel: () => void }
  | { is: "preparing"; slot: Slot; mountedItem: MountedItem; cancel: () => void }
  | { is: "ready"; slot: Slot; mountedItem: MountedItem; releaseBudget: () => void; cancelStart: () => void };
type ReadyState = Extract<State, { is: "ready" }>;

/** The zone, as its next item sees it. */
export interface NextItemOwner {
  view(): ZoneView;
  /** True if slow items were abandoned since the last change on screen. */
  isBehindTime(): boolean;
  createItem(slot: Slot): Item;
  /** The item is due: it is to be shown in the current frame. */
  onDue(slot: Slot, mountedItem: MountedItem, frameTime: number): void;
  /** The item on screen is to stay for this slot, which begins in the current frame. */
  onContinue(slot: Slot): void;
  onFailure(slot: Slot, error: unknown): void;
  /** The slot was dropped before it was prepared; another one may be prepared. */
  onDropped(): void;
}

// A slow item may take at least this long, even if its slot is shorter; otherwise very short slots would never change.
const minPrepareMs = 1_000;

/** The item that a zone shows next. */
export class NextItem {
  readonly #page: PageContext;
  readonly #layers: ZoneLayers;
  readonly #owner: NextItemOwner;
  #state: State = { is: "none" };

  constructor(page: PageContext, layers: ZoneLayers, owner: NextItemOwner) {
    this.#page = page;
    this.#layers = layers;
    this.#owner = owner;
  }

  /** The slot that is being prepared or ready, if any. */
  get slot(): Slot | undefined {
    return this.#state.is === "none" ? undefined : this.#state.slot;
  }

  /** Prepares a slot as soon as the preload budget allows, or when the slot is due. */
  prepare(slot: Slot): void {
    const { budget, clock } = this.#page;
    const reservation = budget.reserve(slot.cost, slot.starts_at, () => {
      cancelAlarm();
      // An item that crashed the renderer process it shared with this one may have started meanwhile.
      if (this.#owner.view().mayTry(slot)) return this.#load(slot, () => reservation.release());
      this.drop();
      this.#owner.onDropped();
    });
    const cancelAlarm = clock.alarm(showTimeOf(this.#owner.view(), slot), () => reservation.grantNow());
    const cancel = (): void => {
      cancelAlarm();
      reservation.release();
    };
    this.#state = { is: "waiting", slot, cancel };
  }

  /** Lets the item on screen stay for a slot with an equal item. */
  continueInto(slot: Slot): void {
    const cancel = this.#page.clock.alarm(slot.starts_at, () => {
      this.#state = { is: "none" };
      this.#owner.onContinue(slot);
    });
    this.#state = { is: "continuing", slot, cancel };
  }

  /** True if a ready item is due at the instant of the view. */
  isDue(view: ZoneView): boolean {
    return this.#state.is === "ready" && showTimeOf(view, this.#state.slot) <= view.at;
  }

  /** Hands a ready item over in the current frame if it is due, instead of waiting for its alarm. */
  showIfDue(frameTime: number): void {
    const state = this.#state;
    if (state.is !== "ready" || !this.isDue(this.#owner.view())) return;
    state.cancelStart();
    this.#handOver(state, frameTime);
  }

  /** Sets the alarm of a ready item again, because the slots have changed. */
  reschedule(): void {
    if (this.#state.is === "ready") this.#awaitStart(this.#state);
  }

  /** Handles the failure of an item that is being prepared or ready; other items are ignored. */
  fail(item: Item, error: unknown): void {
    const state = this.#state;
    if ((state.is === "preparing" || state.is === "ready") && state.mountedItem.item === item) this.#owner.onFailure(state.slot, error);
  }

  /** Cancels the preparation in progress. */
  drop(): void {
    const state = this.#state;
    this.#state = { is: "none" };
    switch (state.is) {
      case "none":
        return;
      case "waiting":
      case "continuing":
        return state.cancel();
      case "preparing":
        state.cancel();
        return this.#layers.unmount(state.mountedItem);
      case "ready":
        state.cancelStart();
        state.releaseBudget();
        return this.#layers.unmount(state.mountedItem);
    }
  }

  #load(slot: Slot, releaseBudget: () => void): void {
    const { clock, failures } = this.#page;
    const abort = new AbortController();
    const item = this.#owner.createItem(slot);
    const mountedItem = this.#layers.mount(item, failures.trackRunning(slot.item));
    const giveUp = (): void => this.fail(item, new ItemFailure("timeout", "not ready in time"));
    const cancelEnd = clock.alarm(Math.max(slot.ends_at, clock.now() + minPrepareMs), giveUp);
    const history = { isFollower: this.#owner.isBehindTime(), hasFailed: failures.failureCount(slot.item) > 0 };
    const cancelGiveUp = clock.alarm(giveUpTimeOf(this.#owner.view(), slot, history), () => {
      if (hasOther(this.#owner.view(), slot.item)) giveUp();
    });
    const cancelTimers = (): void => {
      cancelEnd();
      cancelGiveUp();
    };
    const cancel = (): void => {
      cancelTimers();
      releaseBudget();
      abort.abort();
    };
    this.#state = { is: "preparing", slot, mountedItem, cancel };
    item.prepare(abort.signal).then(
      () => {
        if (abort.signal.aborted) return;
        cancelTimers();
        this.#state = { is: "ready", slot, mountedItem, releaseBudget, cancelStart: () => {} };
        this.#awaitStart(this.#state);
      },
      (error: unknown) => {
        if (!abort.signal.aborted) this.fail(item, error);
      },
    );
  }

  /** Waits until a ready item is due: at its start, or earlier where there is a gap to fill. */
  #awaitStart(state: ReadyState): void {
    state.cancelStart();
    state.cancelStart = this.#page.clock.alarm(showTimeOf(this.#owner.view(), state.slot), (frameTime) => this.#handOver(state, frameTime));
  }

  #handOver({ slot, mountedItem, releaseBudget }: ReadyState, frameTime: number): void {
    releaseBudget();
    this.#state = { is: "none" };
    this.#owner.onDue(replacementFor(this.#owner.view(), slot), mountedItem, frameTime);
  }
}
