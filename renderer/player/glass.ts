// What is on the glass: one layer, replaced in one frame by the next when that one has been painted behind it.
import type { Scene, Screen } from "../../src/protocol/scene.ts";
import { setSeen } from "./dom.ts";
import type { Layer, Page } from "./page.ts";
import { createEmpty } from "./screens/empty.ts";
import { Identify } from "./screens/identify.ts";
import { ScreenLayer } from "./screens/layer.ts";
import { createPairing } from "./screens/pairing.ts";
import { createPreparing } from "./screens/preparing.ts";
import { createStarting } from "./screens/starting.ts";
import { createWithheld } from "./screens/withheld.ts";
import { StageLayer } from "./stage.ts";
import { runTransition } from "./transition.ts";

/** Draws scenes: the newest wins, and the one before stays until its picture is there. */
export class Glass {
  readonly #element: HTMLElement;
  readonly #page: Page;
  readonly #identify: Identify;
  #shown: Layer | null = null;
  #endTransition = (): void => {};
  #coming: { layer: Layer; abort: AbortController } | null = null;

  constructor(element: HTMLElement, page: Page) {
    this.#element = element;
    this.#page = page;
    this.#identify = new Identify(page.clock);
    element.append(this.#identify.element);
  }

  /** Draws a scene. */
  draw({ screen, rotation = 0, identify }: Scene): void {
    this.#element.dataset["rotation"] = String(rotation);
    this.#identify.draw(identify);
    if (this.#coming !== null) {
      if (this.#coming.layer.update(screen)) return;
      this.#callOff();
    }
    if (this.#shown?.update(screen) === true) return;
    const layer = createLayer(screen, this.#page);
    const abort = new AbortController();
    this.#coming = { layer, abort };
    setSeen(layer.element, "priming");
    this.#element.insertBefore(layer.element, this.#identify.element);
    layer.update(screen);
    void this.#reveal(layer, abort.signal);
  }

  /** Waits for the layer's picture, then changes layers in one frame. A failure in here is a fault of the page. */
  async #reveal(layer: Layer, signal: AbortSignal): Promise<void> {
    const { clock, frames, transitions } = this.#page;
    await layer.ready;
    if (this.#shown !== null) {
      // Two frames: the second proves that the first was painted. A glass that shows nothing yet need not wait.
      await frames.next();
      await frames.next();
    }
    if (signal.aborted) return;
    this.#endTransition();
    const before = this.#shown;
    this.#shown = layer;
    this.#coming = null;
    setSeen(layer.element, "yes");
    const transition = before === null ? null : transitions.choose(layer.transition, Number.POSITIVE_INFINITY);
    if (before !== null && transition !== null) {
      // Like every change: it begins where the new one counts as shown, and both play on until it is over.
      const change = { incoming: layer.element, outgoing: before.element, transition, beginsAt: performance.now() };
      this.#endTransition = runTransition(change, frames, (ran) => {
        this.#endTransition = () => {};
        transitions.judge(ran);
        this.#takeOff(before);
      });
    } else if (before !== null) {
      this.#takeOff(before);
    }
    layer.presented(clock.at(await frames.next()));
  }

  /** Takes a layer off the glass in the frame being made, and lets go of it one frame later. */
  #takeOff(layer: Layer): void {
    setSeen(layer.element, "no");
    this.#page.frames.request(() => layer.dispose());
  }

  #callOff(): void {
    this.#coming?.abort.abort();
    this.#coming?.layer.dispose();
    this.#coming = null;
  }
}

function createLayer(screen: Screen, page: Page): Layer {
  switch (screen.is) {
    case "starting":
      return new ScreenLayer(page, createStarting());
    case "pairing":
      return new ScreenLayer(page, createPairing(page.clock));
    case "empty":
      return new ScreenLayer(page, createEmpty(page.clock));
    case "withheld":
      return new ScreenLayer(page, createWithheld(page.clock));
    case "preparing":
      return new ScreenLayer(page, createPreparing(page.clock));
    case "stage":
      return new StageLayer(screen.stage, page);
  }
}
