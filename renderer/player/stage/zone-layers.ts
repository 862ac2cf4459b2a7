// What lies in a zone's rectangle: the item on the glass, one behind it, one that is leaving, and the plate when there is none.
import type { SceneZone } from "../../../src/protocol/scene.ts";
import type { Transition } from "../../../src/protocol/content/transition.ts";
import { createElement, setVisibility } from "../dom.ts";
import type { Item } from "../items/item.ts";
import type { PageContext } from "../page.ts";
import { runTransition } from "./transition.ts";

/** An item and the element that bears it; transitions move the bearer, the item its own element. */
export interface MountedItem {
  item: Item;
  wrapper: HTMLElement;
  /** Says, once, that the item does not run any more. */
  markStopped: () => void;
}

// What is let go of and what is made ready next take the processor just while the new picture is on its way to the
// screen: on two cores that cost it a frame or two, and two screens their step.
const calmMs = 120;

/** The pictures of one zone. */
export class ZoneLayers {
  readonly element: HTMLElement;
  readonly #page: PageContext;
  readonly #plate = createElement("div", "plate");
  /** Keeps the zone's colour out of the sum of two pictures. */
  readonly #pictures = createElement("div", "pictures");
  /** Ends the transition under way. */
  #end: (() => void) | null = null;
  /** Lets go of what has left, before its time. */
  #hurry: (() => void) | null = null;

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

  /** Whether an item is still on its way out, or out of sight but not let go of yet. */
  get isChanging(): boolean {
    return this.#end !== null || this.#hurry !== null;
  }

  /** Lets go of what is out of sight without waiting for a calm moment: for who is late already. */
  releaseNow(): void {
    this.#hurry?.();
  }

  /** Lays an item behind the glass, over what is there, unseen. @param letGo called when it does not run any more. */
  mount(item: Item, letGo: () => void): MountedItem {
    const bearer = createElement("div", "bearer", item.element);
    setVisibility(item.element, "no");
    this.#pictures.append(bearer);
    return { item, wrapper: bearer, markStopped: letGo };
  }

  /**
   * Changes the glass in the frame being made; `changed` is called when the old one is out of sight and has been let go
   * of: when the new picture has come through, at the earliest a frame after. Resolves with the time of the frame that
   * shows the new one. `beginsAt` is corrected wall time.
   */
  change(
    borne: MountedItem,
    before: MountedItem | null,
    how: { transition: Transition | null; beginsAt: number },
    changed: () => void,
  ): Promise<number> {
    const { clock, frames, transitions } = this.#page;
    const presented = borne.item.show();
    const release = (): void => {
      this.#end = null;
      before?.item.hide();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const letGo = (): void => {
        clearTimeout(timer);
        if (this.#hurry === letGo) this.#hurry = null;
        frames.request(() => {
          if (before !== null) this.unmount(before);
          this.#plate.remove();
          changed();
        });
      };
      if (before === null) return letGo();
      timer = setTimeout(letGo, calmMs);
      this.#hurry = letGo;
    };
    if (how.transition === null || before === null) {
      release();
      return presented;
    }
    const beginsAt = how.beginsAt - clock.toWallTime(0);
    const change = { incoming: borne.wrapper, outgoing: before.wrapper, transition: how.transition, beginsAt };
    this.#end = runTransition(change, frames, (ran) => {
      transitions.recordResult(ran);
      release();
    });
    return presented;
  }

  /** Ends a transition under way, at once. */
  finishTransition(): void {
    this.#end?.();
  }

  /** Shows the plate, which stays until the next change. */
  showFallback(): void {
    this.element.prepend(this.#plate);
  }

  /** Lets go of an item. */
  unmount({ item, wrapper: bearer, markStopped: letGo }: MountedItem): void {
    item.dispose();
    bearer.remove();
    letGo();
  }

  /** Takes everything off the glass at once. */
  clear(): void {
    this.finishTransition();
    this.releaseNow();
    this.#plate.remove();
  }
}
