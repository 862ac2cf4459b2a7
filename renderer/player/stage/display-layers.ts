// The layers of the display: adds new ones hidden and replaces the visible one in one frame or by a transition.
import type { Screen } from "../../../src/protocol/scene.ts";
import { setVisibility } from "../dom.ts";
import type { Layer, PageContext } from "../page.ts";
import { createLayer } from "./create-layer.ts";
import { runTransition } from "./transition.ts";

// A layer shown within this time after its instant is on time; its transition then follows the timeline.
const onTimeMs = 50;

/** At most one layer is visible, except during a transition. */
export class DisplayLayers {
  readonly #parent: HTMLElement;
  readonly #page: PageContext;
  /** Elements above all layers begin here. */
  readonly #overlays: HTMLElement;
  #visible: Layer | null = null;
  #endTransition = (): void => {};
  #topZIndex = 0;

  constructor(parent: HTMLElement, overlays: HTMLElement, page: PageContext) {
    this.#parent = parent;
    this.#overlays = overlays;
    this.#page = page;
  }

  /** The layer that is shown. */
  get visible(): Layer | null {
    return this.#visible;
  }

  /** Adds a layer for `screen` that is painted but not seen. */
  addHidden(screen: Screen, dueAt?: number): Layer {
    const layer = createLayer(screen, this.#page, dueAt);
    this.#moveToTop(layer);
    setVisibility(layer.element, "painted");
    this.#parent.insertBefore(layer.element, this.#overlays);
    layer.update(screen);
    return layer;
  }

  /** Replaces the visible layer in the current frame. `dueAt` is when the new layer was due, if known. */
  show(layer: Layer, dueAt: number | null): void {
    const { clock, presentation } = this.#page;
    this.#endTransition();
    const before = this.#visible;
    this.#visible = layer;
    this.#moveToTop(layer);
    setVisibility(layer.element, "visible");
    before?.onReplaced?.();
    if (before !== null) this.#replace(before, layer, dueAt);
    layer.onPresented(presentation.timeOfCurrentFrame().then((time) => clock.toWallTime(time)));
  }

  #replace(before: Layer, layer: Layer, dueAt: number | null): void {
    const { clock, transitions } = this.#page;
    const transition = transitions.choose(layer.transition, Number.POSITIVE_INFINITY);
    if (transition === null) return this.#remove(before);
    const now = clock.now();
    const beginsAt = dueAt !== null && Math.abs(now - dueAt) <= onTimeMs ? dueAt : now;
    const change = { incoming: layer.element, outgoing: before.element, transition, beginsAt };
    this.#endTransition = runTransition(change, this.#page, (result) => {
      this.#endTransition = () => {};
      transitions.recordResult(result);
      this.#remove(before);
    });
  }

  /** Changes the z-index only: an iframe that is moved in the document loads again. */
  #moveToTop({ element }: Layer): void {
    this.#topZIndex += 1;
    element.style.zIndex = String(this.#topZIndex);
  }

  /** Hides a layer in the current frame and disposes of it one frame later. */
  #remove(layer: Layer): void {
    setVisibility(layer.element, "hidden");
    this.#page.frames.request(() => layer.dispose());
  }
}
