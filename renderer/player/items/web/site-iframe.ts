// One frame that shows another site: locked in, scaled, and known to have painted only when the player says so.
import { createElement, setVisibility } from "../../dom.ts";
import { ItemFailure, paintHidden, type ItemContext, withTimeout } from "../item.ts";

/** What a frame shows. */
export interface FramedPage {
  itemId: string;
  url: string;
  /** 1 is the page's own size. */
  zoom: number;
}

// Scripts and its own origin, as everywhere on the web. Not: dialogs, popups, downloads, leaving with the whole page.
const sandbox = "allow-scripts allow-same-origin allow-forms";
// The player gives a page twenty seconds; this is for a player that says nothing.
const silenceLimitMs = 30_000;

/** A frame from its start to its end. */
export class SiteIframe {
  readonly element: HTMLIFrameElement;
  readonly #page: FramedPage;
  readonly #around: ItemContext;
  readonly #life = new AbortController();

  constructor(page: FramedPage, around: ItemContext) {
    this.#page = page;
    this.#around = around;
    const element = createElement("iframe", "site-frame");
    element.setAttribute("sandbox", sandbox);
    element.allow = "autoplay; encrypted-media";
    // Players of embedded videos refuse without any; the origin is that of this box's loopback and tells nothing.
    element.referrerPolicy = "origin";
    element.tabIndex = -1;
    const { style } = element;
    style.position = "absolute";
    style.left = "0";
    style.top = "0";
    style.border = "0";
    style.width = `${around.width / page.zoom}px`;
    style.height = `${around.height / page.zoom}px`;
    style.transformOrigin = "0 0";
    style.transform = `scale(${page.zoom})`;
    style.willChange = "opacity";
    // Pages take a white, light sheet for granted, and keys for theirs once they have been touched.
    style.background = "#fff";
    style.colorScheme = "light";
    style.pointerEvents = "none";
    this.element = element;
  }

  /**
   * Loads the page into `parent`, unseen. Resolves once it has painted; rejects with an ItemFailure.
   * @param onFailure hears of a page that fails after it has resolved.
   */
  async load(parent: HTMLElement, onFailure: (failure: ItemFailure) => void, signal: AbortSignal): Promise<void> {
    const { iframeReports: sites, frames } = this.#around;
    const { element } = this;
    const painted = Promise.withResolvers<void>();
    let failed: ItemFailure | null = null;
    let isReady = false;
    element.name = sites.nameFor(this.#page.itemId);
    sites.listen(
      element.name,
      (failure) => {
        if (failure === null) return painted.resolve();
        failed = new ItemFailure(failure.code, failure.detail, failure.death);
        if (isReady) onFailure(failed);
        else painted.reject(failed);
      },
      this.#life.signal,
    );
    // Seen by a thousandth from the start: a page that is not seen at all need not paint.
    setVisibility(element, "priming");
    element.src = this.#page.url;
    parent.append(element);
    const late = (): ItemFailure => new ItemFailure("timeout", `nothing was heard of ${this.#page.url} within ${silenceLimitMs} ms`);
    await withTimeout(painted.promise, silenceLimitMs, signal, late);
    await paintHidden(element, frames, signal);
    // It may have died in the frames that showed that it paints.
    const broken = failed as ItemFailure | null;
    if (broken !== null) throw broken;
    isReady = true;
  }

  /** Lets go of the page and its process. */
  dispose(): void {
    this.#life.abort();
    this.element.remove();
  }
}
