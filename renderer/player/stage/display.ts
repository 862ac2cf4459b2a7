// What is on the glass: one layer, replaced in one frame by the next when that one has been painted behind it.
import type { UpcomingStage, Scene, Screen } from "../../../src/protocol/scene.ts";
import { setVisibility } from "../dom.ts";
import type { Layer, PageContext } from "../page.ts";
import { ClaimOverlay } from "../screens/claim.ts";
import { createEmpty } from "../screens/empty.ts";
import { IdentifyOverlay } from "../screens/identify.ts";
import { ScreenLayer } from "../screens/layer.ts";
import { createPairing } from "../screens/pairing.ts";
import { createPreparing } from "../screens/preparing.ts";
import { createStarting } from "../screens/starting.ts";
import { createWithheld } from "../screens/withheld.ts";
import { StageLayer } from "./stage.ts";
import { runTransition } from "./transition.ts";

/** A layer behind the glass. Aborted, it is not to come any more. */
interface Behind {
  layer: Layer;
  abort: AbortController;
}

// A layer may come on in the frame before its instant, or the clock may have been set back since: up to this it stays.
const setBackMs = 1_000;
// Up to this after its instant a layer counts as on time, and its transition runs by the timeline.
const onTimeMs = 50;

/**
 * Draws scenes: the newest wins, and the layer before stays until the picture of the next is there. Layers that come at
 * later instants are prepared behind the one shown, and come on then by themselves.
 */
export class Display {
  readonly #element: HTMLElement;
  readonly #page: PageContext;
  readonly #identify: IdentifyOverlay;
  readonly #claim = new ClaimOverlay();
  #shown: Layer | null = null;
  #endTransition = (): void => {};
  /** What is to be shown as soon as it can be. */
  #coming: Behind | null = null;
  /** What is to be shown at its instant, of what comes next. */
  #ahead: Behind[] = [];
  /** What the newest scene says comes, one after the other. */
  #next: readonly UpcomingStage[] = [];
  #cancelTurn = (): void => {};
  /** The newest scene as it came. */
  #scene: Scene | null = null;
  /** The instant of the stage that was the last to take its turn. */
  #turnedAt = Number.NEGATIVE_INFINITY;
  #layers = 0;

  constructor(element: HTMLElement, page: PageContext) {
    this.#element = element;
    this.#page = page;
    this.#identify = new IdentifyOverlay(page.clock);
    element.append(this.#identify.element, this.#claim.element);
  }

  /** Draws a scene. */
  draw(scene: Scene): void {
    this.#scene = scene;
    this.#draw(scene);
  }

  /** Draws the newest scene again: by a clock that was put forward or back another part of it is due. */
  redraw(): void {
    if (this.#scene !== null) this.#draw(this.#scene);
  }

  #draw(scene: Scene): void {
    const { screen, coming = [], rotation = 0, identify, claim } = scene;
    this.#element.dataset["rotation"] = String(rotation);
    this.#identify.draw(identify);
    this.#claim.draw(claim);
    const last = coming.findLastIndex((each) => this.#isDue(each));
    const due = coming[last];
    this.#next = coming.slice(last + 1);
    this.#turnedAt = due?.at ?? this.#turnedAt;
    if (due === undefined) this.#show(screen, null);
    else this.#show({ is: "stage", stage: due.stage }, due.at);
    this.#prepare();
    this.#awaitTurn(scene);
  }

  /** Whether a stage sent ahead is due, or has taken its turn already and is not to leave for a small correction of the clock. */
  #isDue({ at, stage }: UpcomingStage): boolean {
    const now = this.#page.clock.now();
    if (at <= now) return true;
    const turned = this.#coming?.layer ?? this.#shown;
    return at === this.#turnedAt && at <= now + setBackMs && turned?.update({ is: "stage", stage }) === true;
  }

  /** Has the next of what comes take its turn in the frame in which it is due, whatever the player does then. */
  #awaitTurn(scene: Scene): void {
    const [next] = this.#next;
    this.#cancelTurn();
    this.#cancelTurn = next === undefined ? () => {} : this.#page.clock.alarm(next.at, (frameTime) => this.#takeTurn(scene, frameTime));
  }

  /** Has the glass show a screen as soon as it can. `dueAt` is when it was due, where that is known. */
  #show(screen: Screen, dueAt: number | null): void {
    if (this.#coming !== null) {
      if (this.#coming.layer.update(screen)) return;
      this.#callOff(this.#coming);
      this.#coming = null;
    }
    if (this.#shown?.update(screen) === true) return;
    const ahead = this.#takeAhead(screen);
    if (ahead !== undefined) {
      // Sooner than it was to come, or just then: it is no stranger.
      this.#coming = ahead;
      const { layer, abort } = ahead;
      const cancel = this.#page.clock.alarm(this.#page.clock.now(), (frameTime) => this.#bringOn(layer, abort.signal, dueAt, frameTime));
      abort.signal.addEventListener("abort", cancel);
      return;
    }
    this.#coming = this.#lay(screen);
    void this.#reveal(this.#coming.layer, this.#coming.abort.signal, dueAt);
  }

  /** Lays a new layer behind the glass. */
  #lay(screen: Screen, dueAt?: number): Behind {
    const layer = createLayer(screen, this.#page, dueAt);
    this.#raise(layer);
    setVisibility(layer.element, "priming");
    this.#element.insertBefore(layer.element, this.#identify.element);
    layer.update(screen);
    return { layer, abort: new AbortController() };
  }

  /** Puts a layer above all others: the order in the document stays, since a frame that is moved there loads anew. */
  #raise({ element }: Layer): void {
    this.#layers += 1;
    element.style.zIndex = String(this.#layers);
  }

  /**
   * Prepares what comes later, and lets go of what does not come any more. While something is on its way to the glass,
   * that has the machine to itself.
   */
  #prepare(): void {
    const prepared: Behind[] = [];
    for (const { at, stage } of this.#next) {
      const screen: Screen = { is: "stage", stage };
      const behind = this.#takeAhead(screen, at) ?? (this.#coming === null ? this.#lay(screen, at) : undefined);
      if (behind !== undefined) prepared.push(behind);
    }
    for (const behind of this.#ahead) this.#callOff(behind);
    this.#ahead = prepared;
  }

  /** The layer that was prepared for `screen`, from now on its taker's. */
  #takeAhead(screen: Screen, dueAt?: number): Behind | undefined {
    const index = this.#ahead.findIndex(({ layer }) => layer.update(screen, dueAt));
    return index < 0 ? undefined : this.#ahead.splice(index, 1)[0];
  }

  /** The instant of the next of what comes: it takes the place of what is shown. */
  #takeTurn(scene: Scene, frameTime: number): void {
    const [{ at, stage }, ...coming] = this.#next as [UpcomingStage, ...UpcomingStage[]];
    const screen: Screen = { is: "stage", stage };
    const then: Scene = { ...scene, screen, coming };
    this.#turnedAt = at;
    const ahead = this.#takeAhead(screen);
    if (ahead === undefined) return this.#draw(then);
    this.#next = coming;
    if (this.#coming !== null) this.#callOff(this.#coming);
    this.#coming = ahead;
    this.#bringOn(ahead.layer, ahead.abort.signal, at, frameTime);
    this.#awaitTurn(then);
  }

  /** Shows a layer in the frame being made if all of it is ready, else as soon as it is. */
  #bringOn(layer: Layer, signal: AbortSignal, dueAt: number | null, frameTime: number): void {
    if (layer.showIfReady?.(frameTime) === true) void this.#change(layer, dueAt);
    else void this.#reveal(layer, signal, dueAt);
  }

  /** Waits for the layer's picture, then changes layers in one frame. A failure in here is a fault of the page. */
  async #reveal(layer: Layer, signal: AbortSignal, dueAt: number | null): Promise<void> {
    const { frames } = this.#page;
    await layer.ready;
    if (this.#shown !== null) {
      // Two frames: the second proves that the first was painted. A glass that shows nothing yet need not wait.
      await frames.next();
      await frames.next();
    }
    if (!signal.aborted) await this.#change(layer, dueAt);
  }

  /** Changes layers in the frame being made. */
  async #change(layer: Layer, dueAt: number | null): Promise<void> {
    const { clock, frames, presentation, transitions } = this.#page;
    this.#endTransition();
    const before = this.#shown;
    this.#shown = layer;
    this.#coming = null;
    this.#raise(layer);
    setVisibility(layer.element, "yes");
    const transition = before === null ? null : transitions.choose(layer.transition, Number.POSITIVE_INFINITY);
    if (before !== null && transition !== null) {
      // Like every change: it begins where the new one counts as shown, and both play on until it is over.
      const now = performance.now();
      const onTime = dueAt !== null && Math.abs(clock.toWallTime(now) - dueAt) <= onTimeMs;
      const beginsAt = onTime ? dueAt - clock.toWallTime(0) : now;
      const change = { incoming: layer.element, outgoing: before.element, transition, beginsAt };
      this.#endTransition = runTransition(change, frames, (ran) => {
        this.#endTransition = () => {};
        transitions.recordResult(ran);
        this.#takeOff(before);
      });
    } else if (before !== null) {
      this.#takeOff(before);
    }
    layer.onPresented(presentation.timeOfCurrentFrame().then((time) => clock.toWallTime(time)));
    await frames.next();
    this.#prepare();
  }

  /** Takes a layer off the glass in the frame being made, and lets go of it one frame later. */
  #takeOff(layer: Layer): void {
    setVisibility(layer.element, "no");
    this.#page.frames.request(() => layer.dispose());
  }

  #callOff({ layer, abort }: Behind): void {
    abort.abort();
    layer.dispose();
  }
}

function createLayer(screen: Screen, page: PageContext, dueAt?: number): Layer {
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
      return new StageLayer(screen.stage, page, dueAt);
  }
}
