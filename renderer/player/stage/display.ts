// Draws scenes on the display: decides which layer is shown now and which upcoming stages are prepared hidden.
import type { UpcomingStage, Scene, Screen } from "../../../src/protocol/scene.ts";
import { familiesOf, loadRules, mayNeedRules } from "../fonts/rules.ts";
import type { Layer, PageContext } from "../page.ts";
import { ClaimOverlay } from "../screens/claim.ts";
import { IdentifyOverlay } from "../screens/identify.ts";
import { TestCardOverlay } from "../screens/test-card.ts";
import { DisplayLayers } from "./display-layers.ts";

/** A hidden layer. Aborted when it is not to be shown any more. */
interface HiddenLayer {
  layer: Layer;
  abort: AbortController;
}

// A stage that has been shown stays if the clock is set back by at most this much.
const setBackToleranceMs = 1_000;

/**
 * Draws scenes: the newest wins, and the visible layer stays until the next one has been painted. Upcoming stages are
 * prepared hidden and shown at their instants even without a message from the player.
 */
export class Display {
  readonly #element: HTMLElement;
  readonly #page: PageContext;
  readonly #layers: DisplayLayers;
  readonly #identify: IdentifyOverlay;
  readonly #claim = new ClaimOverlay();
  readonly #testCard: TestCardOverlay;
  /** The layer to show as soon as it is ready. */
  #next: HiddenLayer | null = null;
  /** The layers prepared for upcoming stages. */
  #hiddenLayers: HiddenLayer[] = [];
  /** The upcoming stages of the newest scene, in their order. */
  #upcoming: readonly UpcomingStage[] = [];
  #cancelAlarm = (): void => {};
  /** The newest scene as received. */
  #scene: Scene | null = null;
  #isWaitingForRules = false;
  /** The instant of the last upcoming stage that became due. */
  #lastDueAt = Number.NEGATIVE_INFINITY;

  constructor(element: HTMLElement, page: PageContext) {
    this.#element = element;
    this.#page = page;
    this.#identify = new IdentifyOverlay(page.clock);
    this.#testCard = new TestCardOverlay(page.clock);
    element.append(this.#identify.element, this.#claim.element, this.#testCard.element);
    this.#layers = new DisplayLayers(element, this.#identify.element, page);
  }

  /** Draws a scene, at once or when the page has the rules of the fonts for its screen and overlays. */
  draw(scene: Scene): void {
    this.#scene = scene;
    const words = wordsOf(scene);
    this.#isWaitingForRules = mayNeedRules(words);
    if (!this.#isWaitingForRules) return this.#draw(scene);
    void loadRules(words, familiesOf(this.#element)).then(() => {
      if (this.#scene !== scene || !this.#isWaitingForRules) return;
      this.#isWaitingForRules = false;
      this.#draw(scene);
    });
  }

  /** Draws the newest scene again: after the clock was set, another part of it may be due. */
  redraw(): void {
    if (this.#scene !== null && !this.#isWaitingForRules) this.#draw(this.#scene);
  }

  /** True if it shows all that is due at the clock's instant, as far as that can be shown. */
  get isUpToDate(): boolean {
    const { visible } = this.#layers;
    return !this.#isWaitingForRules && this.#next === null && visible !== null && visible.isUpToDate !== false;
  }

  #draw(scene: Scene): void {
    const { screen, upcoming = [], rotation = 0, identify, claim, test_card } = scene;
    this.#element.dataset["rotation"] = String(rotation);
    this.#identify.draw(identify);
    this.#claim.draw(claim);
    this.#testCard.draw(test_card, rotation);
    const last = upcoming.findLastIndex((each) => this.#isDue(each));
    const due = upcoming[last];
    this.#upcoming = upcoming.slice(last + 1);
    this.#lastDueAt = due?.at ?? this.#lastDueAt;
    if (due === undefined) this.#show(screen, null);
    else this.#show({ is: "stage", stage: due.stage }, due.at);
    this.#prepareUpcoming();
    this.#scheduleUpcoming(scene);
  }

  /** True if an upcoming stage is due, or was shown already and must not be replaced after a small correction of the clock. */
  #isDue({ at, stage }: UpcomingStage): boolean {
    const now = this.#page.clock.now();
    if (at <= now) return true;
    const latest = this.#next?.layer ?? this.#layers.visible;
    return at === this.#lastDueAt && at <= now + setBackToleranceMs && latest?.update({ is: "stage", stage }) === true;
  }

  /** Sets the alarm for the first upcoming stage. */
  #scheduleUpcoming(scene: Scene): void {
    const [first] = this.#upcoming;
    this.#cancelAlarm();
    this.#cancelAlarm =
      first === undefined ? () => {} : this.#page.clock.alarm(first.at, (frameTime) => this.#showUpcoming(scene, frameTime));
  }

  /** Shows a screen as soon as possible. `dueAt` is when it was due, if known. */
  #show(screen: Screen, dueAt: number | null): void {
    if (this.#next !== null) {
      if (this.#next.layer.update(screen)) return;
      dispose(this.#next);
      this.#next = null;
    }
    if (this.#layers.visible?.update(screen) === true) return;
    const hiddenLayer = this.#takePrepared(screen);
    this.#next = hiddenLayer ?? { layer: this.#layers.addHidden(screen), abort: new AbortController() };
    const { layer, abort } = this.#next;
    if (hiddenLayer === undefined) return void this.#showWhenReady(layer, abort.signal, dueAt);
    // Prepared for this instant or for a later one: it may be ready in the next frame.
    const { clock } = this.#page;
    const cancel = clock.alarm(clock.now(), (frameTime) => this.#showIfReady(layer, abort.signal, dueAt, frameTime));
    abort.signal.addEventListener("abort", cancel);
  }

  /**
   * Prepares the upcoming stages and disposes of layers that are not needed any more. While the next layer is not shown
   * yet, nothing new is prepared, so that it has the CPU to itself.
   */
  #prepareUpcoming(): void {
    const hiddenLayers: HiddenLayer[] = [];
    for (const { at, stage } of this.#upcoming) {
      const screen: Screen = { is: "stage", stage };
      const hiddenLayer = this.#takePrepared(screen, at);
      if (hiddenLayer !== undefined) hiddenLayers.push(hiddenLayer);
      else if (this.#next === null) hiddenLayers.push({ layer: this.#layers.addHidden(screen, at), abort: new AbortController() });
    }
    for (const rest of this.#hiddenLayers) dispose(rest);
    this.#hiddenLayers = hiddenLayers;
  }

  /** Removes and returns the layer that was prepared for `screen`. */
  #takePrepared(screen: Screen, dueAt?: number): HiddenLayer | undefined {
    const index = this.#hiddenLayers.findIndex(({ layer }) => layer.update(screen, dueAt));
    return index < 0 ? undefined : this.#hiddenLayers.splice(index, 1)[0];
  }

  /** The first upcoming stage is due: shows it in place of the screen. */
  #showUpcoming(scene: Scene, frameTime: number): void {
    const [{ at, stage }, ...upcoming] = this.#upcoming as [UpcomingStage, ...UpcomingStage[]];
    const screen: Screen = { is: "stage", stage };
    const sceneFromNow: Scene = { ...scene, screen, upcoming };
    this.#lastDueAt = at;
    const hiddenLayer = this.#takePrepared(screen);
    if (hiddenLayer === undefined) return this.#draw(sceneFromNow);
    this.#upcoming = upcoming;
    if (this.#next !== null) dispose(this.#next);
    this.#next = hiddenLayer;
    this.#showIfReady(hiddenLayer.layer, hiddenLayer.abort.signal, at, frameTime);
    this.#scheduleUpcoming(sceneFromNow);
  }

  /** Shows a prepared layer in the current frame if all of it is ready, otherwise as soon as it is. */
  #showIfReady(layer: Layer, signal: AbortSignal, dueAt: number | null, frameTime: number): void {
    if (layer.showIfReady?.(frameTime) === true) void this.#change(layer, dueAt);
    else void this.#showWhenReady(layer, signal, dueAt);
  }

  /** Waits until the layer is painted, then shows it. An error in here is an uncaught error of the page. */
  async #showWhenReady(layer: Layer, signal: AbortSignal, dueAt: number | null): Promise<void> {
    const { frames } = this.#page;
    await layer.ready;
    if (this.#layers.visible !== null) {
      // Two frames: the second proves that the first was painted. An empty display need not wait.
      await frames.next();
      await frames.next();
    }
    if (!signal.aborted) await this.#change(layer, dueAt);
  }

  async #change(layer: Layer, dueAt: number | null): Promise<void> {
    this.#next = null;
    this.#layers.show(layer, dueAt);
    await this.#page.frames.next();
    this.#prepareUpcoming();
  }
}

/** The words that are drawn without an item, which would wait for its own. */
function wordsOf({ screen, identify, claim, test_card }: Scene): string {
  return JSON.stringify([screen.is === "stage" ? null : screen, identify, claim, test_card]);
}

function dispose({ layer, abort }: HiddenLayer): void {
  abort.abort();
  layer.dispose();
}
