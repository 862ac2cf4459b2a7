// The layers of a zone: the item on screen, one prepared behind it, one that is leaving, and the fallback.
import type { SceneZone } from "../../../src/protocol/scene.ts";
import type { Transition } from "../../../src/protocol/content/transition.ts";
import { createElement, setVisibility } from "../dom.ts";
import type { Item } from "../items/item.ts";
import type { PageContext } from "../page.ts";
import { runTransition } from "../stage/transition.ts";

/** An item and its wrapper element. Transitions animate the wrapper, the item its own element. */
export interface MountedItem {
  item: Item;
  wrapper: HTMLElement;
  /** Records, once, that the item no longer runs. */
  markStopped: () => void;
}

// Unmounting an item and preparing the next one need the CPU. They wait until the new picture is presented: on two cores
// they delayed it by a frame or two, and synchronized displays were no longer in step.
const unmountDelayMs = 120;

/** The elements of one zone. */
export class ZoneLayers {
  readonly element: HTMLElement;
  readonly #page: PageContext;
  readonly #fallback = createElement("div", "fallback");
  /** An isolated group: a crossfade adds up the colours of two items, but not the zone's background. */
  readonly #pictures = createElement("div", "pictures");
  /** Ends the running transition. */
  #endTransition: (() => void) | null = null;
  /** Unmounts the item that has left without waiting for the delay. */
  #unmountNow: (() => void) | null = null;

  constructor(zone: SceneZone, page: PageContext) {
    this.#page = page;
    this.element = createElement("div", "zone", this.#pictures);
    const { style } = this.element;
    style.left = `${zone.left}px`;
    style.top = `${zone.top}px`;
    style.width = `${zone.width}px`;
    style.height = `${zone.height}px`;
    style.zIndex = String(zone.z_index);
    if (zone.rotation !== undefined && zone.rotation !== 0) style.rotate = `${zone.rotation}deg`;
    if (zone.background_color !== undefined) style.backgroundColor = zone.background_color;
  }

  /** True while an item is leaving, or hidden but not yet unmounted. */
  get isChanging(): boolean {
    return this.#endTransition !== null || this.#unmountNow !== null;
  }

  /** Unmounts a hidden item without waiting for the delay, because the next change is already late. */
  releaseNow(): void {
    this.#unmountNow?.();
  }

  /** Adds an item, hidden, above the others. @param markStopped called when it no longer runs. */
  mount(item: Item, markStopped: () => void): MountedItem {
    const wrapper = createElement("div", "item-wrapper", item.element);
    setVisibility(item.element, "hidden");
    this.#pictures.append(wrapper);
    return { item, wrapper, markStopped };
  }

  /**
   * Changes the item on screen in the current frame. `onChanged` is called when the old item has been unmounted: when the
   * new picture has been presented, at the earliest one frame later. Resolves with the time of the frame that shows the
   * new item. `beginsAt` is corrected wall time.
   */
  change(
    next: MountedItem,
    before: MountedItem | null,
    { transition, beginsAt }: { transition: Transition | null; beginsAt: number },
    onChanged: () => void,
  ): Promise<number> {
    const { frames, transitions } = this.#page;
    const presentation = next.item.show();
    const end = (): void => {
      this.#endTransition = null;
      before?.item.hide();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const unmount = (): void => {
        clearTimeout(timer);
        if (this.#unmountNow === unmount) this.#unmountNow = null;
        frames.request(() => {
          if (before !== null) this.unmount(before);
          this.#fallback.remove();
          onChanged();
        });
      };
      if (before === null) return unmount();
      timer = setTimeout(unmount, unmountDelayMs);
      this.#unmountNow = unmount;
    };
    if (transition === null || before === null) {
      end();
      return presentation;
    }
    const change = { incoming: next.wrapper, outgoing: before.wrapper, transition, beginsAt };
    this.#endTransition = runTransition(change, this.#page, (result) => {
      transitions.recordResult(result);
      end();
    });
    return presentation;
  }

  /** Ends a running transition at once. */
  finishTransition(): void {
    this.#endTransition?.();
  }

  /** Shows the fallback, which stays until the next change. */
  showFallback(): void {
    this.element.prepend(this.#fallback);
  }

  /** Disposes of an item and removes it. */
  unmount({ item, wrapper, markStopped }: MountedItem): void {
    item.dispose();
    wrapper.remove();
    markStopped();
  }

  /** Ends any change and removes the fallback at once. */
  clear(): void {
    this.finishTransition();
    this.releaseNow();
    this.#fallback.remove();
  }
}
