// A layout drawn to scale: its zones in stage pixels, and what they report once people can see it.
import type { Screen, Stage } from "../../../src/protocol/scene.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import type { Transition } from "../../../src/protocol/content/transition.ts";
import { createElement } from "../dom.ts";
import { placementOf } from "./placement.ts";
import type { Layer, PageContext } from "../page.ts";
import type { PresentedReport } from "../link/report-queue.ts";
import { Zone } from "./zone.ts";

type Held = { message: Extract<PresentedReport, { type: "presented" }>; at: Promise<number> };
/** Behind the glass, what was presented is held back by zone until people can see it. */
type Visibility = { is: "behind"; held: Map<string, Held> } | { is: "on-glass" };

// One zone that neither shows nor fails must not hold up the others for longer.
const settleLimitMs = 5_000;

/** The layer that shows a stage. */
export class StageLayer implements Layer {
  readonly element: HTMLElement;
  readonly transition: Transition | undefined;
  readonly #page: PageContext;
  readonly #key: string;
  readonly #zones: Map<string, Zone>;
  readonly #canvas: HTMLElement;
  readonly #fit: () => void;
  readonly #resizes: ResizeObserver;
  readonly #ground: HTMLImageElement | null;
  readonly #life = new AbortController();
  /** Resolves when what does not belong to a zone has been painted. */
  readonly #grounded: Promise<void>;
  #isGrounded = false;
  #dueAt: number;
  #visibility: Visibility = { is: "behind", held: new Map() };

  /** @param dueAt when it is to be seen, corrected wall time; until then it is prepared behind the glass. */
  constructor(stage: Stage, page: PageContext, dueAt = Number.NEGATIVE_INFINITY) {
    this.#page = page;
    this.#key = stage.key;
    this.transition = stage.transition;
    const inner: PageContext = {
      ...page,
      report: (message) => this.#report(message),
      reportPresented: (message, at) => this.#reportPresented(message, at),
    };
    this.#zones = new Map(stage.zones.map((zone) => [zone.id, new Zone(zone, inner, stage.background_src === undefined, dueAt)]));
    const zones = [...this.#zones.values()];
    this.#ground = stage.background_src === undefined ? null : makeGround(stage.background_src);
    this.#canvas = createElement("div", "canvas", ...(this.#ground === null ? [] : [this.#ground]), ...zones.map(({ element }) => element));
    this.#canvas.style.backgroundColor = stage.background_color;
    this.#canvas.style.width = `${stage.width}px`;
    this.#canvas.style.height = `${stage.height}px`;
    const opening = createElement("div", "opening", this.#canvas);
    this.element = createElement("div", "layer stage", opening);
    // It tells in the frame in which the layer comes or changes its size, before that is painted.
    this.#fit = () => fit(stage, this.element, opening, this.#canvas);
    this.#resizes = new ResizeObserver(this.#fit);
    this.#resizes.observe(this.element);
    this.#grounded = this.#paint();
    this.#dueAt = dueAt;
  }

  get ready(): Promise<void> {
    const { clock } = this.#page;
    const parts = [...[...this.#zones.values()].map(({ settled }) => settled), this.#grounded];
    const { promise: late, resolve: giveUp } = Promise.withResolvers<void>();
    const cancel = clock.alarm(Math.max(this.#dueAt, clock.now()) + settleLimitMs, () => giveUp());
    this.#life.signal.addEventListener("abort", cancel);
    return Promise.race([Promise.all(parts).then(cancel), late]);
  }

  update(screen: Screen, dueAt?: number): boolean {
    if (screen.is !== "stage" || screen.stage.key !== this.#key) return false;
    this.#dueAt = dueAt ?? this.#dueAt;
    // In the document by now: items that are made ready at once ask how large they will be on the glass.
    if (this.#canvas.style.transform === "") this.#fit();
    for (const zone of screen.stage.zones) this.#zones.get(zone.id)?.update(zone, screen.stage.until, dueAt);
    return true;
  }

  showIfReady(frameTime: number): boolean {
    const zones = [...this.#zones.values()];
    // Each is asked: what is not ready is hurried.
    const areReady = zones.map((zone) => zone.checkReady(frameTime)).every(Boolean);
    if (!this.#isGrounded || !areReady) return false;
    for (const zone of zones) zone.showIfDue(frameTime);
    return true;
  }

  onPresented(at: Promise<number>): void {
    if (this.#visibility.is === "on-glass") return;
    const { held } = this.#visibility;
    this.#visibility = { is: "on-glass" };
    const showing = [...held.values()].map(({ message: { zone_id, key, cause } }) => ({ zone_id, key, cause }));
    this.#page.reportPresented({ type: "stage", key: this.#key, showing }, at);
    for (const { message, at: behindAt } of held.values()) {
      const later = Promise.all([at, behindAt]).then((times) => Math.max(...times));
      this.#page.reportPresented(message, later);
    }
  }

  dispose(): void {
    this.#life.abort();
    this.#resizes.disconnect();
    for (const zone of this.#zones.values()) zone.dispose();
    this.element.remove();
  }

  /** Has the ground painted. A background that cannot be drawn leaves its colour, and is told. */
  async #paint(): Promise<void> {
    const { frames } = this.#page;
    try {
      await this.#ground?.decode();
    } catch (error) {
      this.#page.report({ type: "fault", detail: `The layout's background cannot be drawn: ${String(error)}` });
    }
    // The first frame paints it, the second proves that.
    void frames.next().then(() => frames.request(() => (this.#isGrounded = true)));
  }

  /** Tells to which stage a report belongs, and forgets what a zone that fell back held. */
  #report(message: FromPage): void {
    if (message.type !== "failed" && message.type !== "fallback") return this.#page.report(message);
    if (this.#visibility.is === "behind" && message.type === "fallback") this.#visibility.held.delete(message.zone_id);
    this.#page.report({ ...message, stage: this.#key });
  }

  /** Like {@link StageLayer.#report}, of what was presented. */
  #reportPresented(message: PresentedReport, at: Promise<number>): void {
    if (message.type !== "presented") return this.#page.reportPresented(message, at);
    const ours = { ...message, stage: this.#key };
    if (this.#visibility.is === "behind") this.#visibility.held.set(ours.zone_id, { message: ours, at });
    else this.#page.reportPresented(ours, at);
  }
}

/** The picture behind all zones. It covers the layout, cropped where the shapes differ. */
function makeGround(src: string): HTMLImageElement {
  const ground = createElement("img", "ground");
  ground.decoding = "sync";
  ground.src = src;
  return ground;
}

/** Puts the stage, or the part of it that this display of a wall shows, into the glass. */
function fit(stage: Stage, glass: HTMLElement, opening: HTMLElement, canvas: HTMLElement): void {
  const { visibleArea: part, left, top, scale } = placementOf(stage, { width: glass.clientWidth, height: glass.clientHeight });
  opening.style.left = `${part.left}px`;
  opening.style.top = `${part.top}px`;
  opening.style.width = `${part.width}px`;
  opening.style.height = `${part.height}px`;
  canvas.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
}
