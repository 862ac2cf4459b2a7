// The layer that shows a stage: a layout drawn to scale with its zones. Holds their reports back until the layer is visible.
import { createElement } from "../dom.ts";
import { withShippedFonts } from "../items/image/svg-fonts.ts";
import type { PresentedReport } from "../link/report-queue.ts";
import type { Layer, PageContext } from "../page.ts";
import { placementOf } from "./placement.ts";
import { Zone } from "../zone/zone.ts";
import type { Transition } from "../../../src/protocol/content/transition.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import type { Screen, Stage } from "../../../src/protocol/scene.ts";

type HeldReport = { message: Extract<PresentedReport, { type: "presented" }>; at: Promise<number | null> };
/** While the layer is hidden, the last report of each zone is held back. `replacedIn` is the frame in which another layer replaced it. */
type Visibility = { is: "hidden"; reports: Map<string, HeldReport> } | { is: "visible" } | { is: "replaced"; replacedIn: number };

// A zone that neither shows anything nor fails delays the others by at most this much.
const settleTimeoutMs = 5_000;

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
  readonly #background: HTMLImageElement | null;
  readonly #disposal = new AbortController();
  /** Resolves when the background picture has loaded or failed. */
  readonly #backgroundLoaded: Promise<void>;
  #isBackgroundPainted = false;
  #dueAt: number;
  #visibility: Visibility = { is: "hidden", reports: new Map() };

  /** @param dueAt when it is to be visible, corrected wall time; until then it is prepared hidden. */
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
    this.#background = stage.background_src === undefined ? null : createBackground();
    this.#canvas = createElement(
      "div",
      "canvas",
      ...(this.#background === null ? [] : [this.#background]),
      ...zones.map(({ element }) => element),
    );
    this.#canvas.style.backgroundColor = stage.background_color;
    this.#canvas.style.width = `${stage.width}px`;
    this.#canvas.style.height = `${stage.height}px`;
    const visibleArea = createElement("div", "visible-area", this.#canvas);
    this.element = createElement("div", "layer stage", visibleArea);
    // The observer calls back before a layer that was added or resized is painted.
    this.#fit = () => fit(stage, this.element, visibleArea, this.#canvas);
    this.#resizes = new ResizeObserver(this.#fit);
    this.#resizes.observe(this.element);
    this.#backgroundLoaded = this.#loadBackground(stage);
    this.#dueAt = dueAt;
  }

  get ready(): Promise<void> {
    const { clock } = this.#page;
    const parts = [...[...this.#zones.values()].map(({ firstResult }) => firstResult), this.#backgroundLoaded];
    const { promise: timeout, resolve: giveUp } = Promise.withResolvers<void>();
    const cancel = clock.alarm(Math.max(this.#dueAt, clock.now()) + settleTimeoutMs, () => giveUp());
    this.#disposal.signal.addEventListener("abort", cancel);
    return Promise.race([Promise.all(parts).then(cancel), timeout]);
  }

  update(screen: Screen, dueAt?: number): boolean {
    if (screen.is !== "stage" || screen.stage.key !== this.#key) return false;
    this.#dueAt = dueAt ?? this.#dueAt;
    // The element is in the document now. Items prepared at once need the scale to find their size in device pixels.
    if (this.#canvas.style.transform === "") this.#fit();
    for (const zone of screen.stage.zones) this.#zones.get(zone.id)?.update(zone, screen.stage.until, dueAt);
    return true;
  }

  showIfReady(frameTime: number): boolean {
    const zones = [...this.#zones.values()];
    // No short cut: the call also makes each zone due.
    const areReady = zones.map((zone) => zone.checkReady(frameTime)).every(Boolean);
    if (!this.#isBackgroundPainted || !areReady) return false;
    for (const zone of zones) zone.showIfDue(frameTime);
    return true;
  }

  get isUpToDate(): boolean {
    return this.#zones.values().every((zone) => zone.isUpToDate);
  }

  onPresented(at: Promise<number>): void {
    if (this.#visibility.is !== "hidden") return;
    const { reports } = this.#visibility;
    this.#visibility = { is: "visible" };
    const showing = [...reports.values()].map(({ message: { zone_id, key, cause } }) => ({ zone_id, key, cause }));
    this.#page.reportPresented({ type: "stage", key: this.#key, showing }, this.#ifSeen(at));
    for (const { message, at: heldAt } of reports.values()) {
      const later = Promise.all([at, heldAt]).then(([shownAt, changedAt]) => Math.max(shownAt, changedAt ?? shownAt));
      this.#page.reportPresented(message, this.#ifSeen(later));
    }
  }

  onReplaced(): void {
    this.#visibility = { is: "replaced", replacedIn: this.#page.frames.current };
  }

  dispose(): void {
    this.#disposal.abort();
    this.#resizes.disconnect();
    for (const zone of this.#zones.values()) zone.dispose();
    this.element.remove();
  }

  /** Loads the background picture. If it cannot be drawn, the background colour is shown and an error reported. */
  async #loadBackground({ background_src: src = "", background_is_svg: isSvg = false }: Stage): Promise<void> {
    const { frames } = this.#page;
    try {
      if (this.#background !== null) {
        // A picture whose fonts cannot be put into it is shown as it is.
        const withFonts = (): Promise<string> =>
          withShippedFonts(src, this.#disposal.signal).then(
            (picture) => picture.src,
            () => src,
          );
        this.#background.src = isSvg ? await withFonts() : src;
        await this.#background.decode();
      }
    } catch (error) {
      this.#page.report({ type: "fault", detail: `The layout's background cannot be drawn: ${String(error)}` });
    }
    // The first frame paints it; the second proves that it was painted.
    void frames.next().then(() => frames.request(() => (this.#isBackgroundPainted = true)));
  }

  /** Adds the stage to a report, and drops the held report of a zone that shows its fallback. */
  #report(message: FromPage): void {
    if (message.type !== "failed" && message.type !== "fallback") return this.#page.report(message);
    if (this.#visibility.is === "hidden" && message.type === "fallback") this.#visibility.reports.delete(message.zone_id);
    this.#page.report({ ...message, stage: this.#key });
  }

  /** Like {@link StageLayer.#report}, for reports of something presented. Frames with the next layer belong to that layer. */
  #reportPresented(message: PresentedReport, at: Promise<number | null>): void {
    if (message.type !== "presented") return this.#page.reportPresented(message, at);
    const report = { ...message, stage: this.#key };
    if (this.#visibility.is === "hidden") this.#visibility.reports.set(report.zone_id, { message: report, at });
    else if (this.#visibility.is === "visible") this.#page.reportPresented(report, this.#ifSeen(at));
  }

  /** The instant of a change made in the current frame, or null if the layer was replaced in the same frame. */
  async #ifSeen(at: Promise<number | null>): Promise<number | null> {
    const frame = this.#page.frames.current;
    const instant = await at;
    return this.#visibility.is === "replaced" && this.#visibility.replacedIn === frame ? null : instant;
  }
}

/** The picture behind all zones. It covers the layout and is cropped if its proportions differ. */
function createBackground(): HTMLImageElement {
  const background = createElement("img", "background");
  background.decoding = "sync";
  return background;
}

/** Scales the stage, or the part of it that this display of a wall shows, to the size of the layer. */
function fit(stage: Stage, layer: HTMLElement, areaElement: HTMLElement, canvas: HTMLElement): void {
  const { visibleArea: part, left, top, scale } = placementOf(stage, { width: layer.clientWidth, height: layer.clientHeight });
  areaElement.style.left = `${part.left}px`;
  areaElement.style.top = `${part.top}px`;
  areaElement.style.width = `${part.width}px`;
  areaElement.style.height = `${part.height}px`;
  canvas.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
}
