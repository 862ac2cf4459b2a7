// An iframe that shows another site, sandboxed and scaled. The player reports when its page has painted or failed.
import { createElement, setVisibility } from "../../dom.ts";
import { ItemFailure, paintHidden, type ItemContext, withTimeout } from "../item.ts";

/** The page that an iframe shows. */
export interface FramedPage {
  itemId: string;
  url: string;
  /** The scale of the page; 1 is its own size. */
  zoom: number;
}

// Allows scripts and the site's own origin. Blocks dialogs, popups, downloads and navigating the top window.
const sandbox = "allow-scripts allow-same-origin allow-forms";
// The player itself gives a page 20 s; this limit is for a player that reports nothing.
const reportTimeoutMs = 30_000;

/** One iframe. Load once, dispose once. */
export class SiteIframe {
  readonly element: HTMLIFrameElement;
  readonly #page: FramedPage;
  readonly #context: ItemContext;
  readonly #lifetime = new AbortController();

  constructor(page: FramedPage, context: ItemContext) {
    this.#page = page;
    this.#context = context;
    const element = createElement("iframe", "site-frame");
    element.setAttribute("sandbox", sandbox);
    element.allow = "autoplay; encrypted-media";
    // Embedded video players refuse to play without a referrer. The loopback origin reveals nothing.
    element.referrerPolicy = "origin";
    element.tabIndex = -1;
    const { style } = element;
    style.position = "absolute";
    style.left = "0";
    style.top = "0";
    style.border = "0";
    style.width = `${context.width / page.zoom}px`;
    style.height = `${context.height / page.zoom}px`;
    style.transformOrigin = "0 0";
    style.transform = `scale(${page.zoom})`;
    style.willChange = "opacity";
    // Pages expect a white background in light mode. Without pointer events they cannot take the keyboard focus.
    style.background = "#fff";
    style.colorScheme = "light";
    style.pointerEvents = "none";
    this.element = element;
  }

  /**
   * Loads the page into `parent` without showing it. Resolves once it has painted; rejects with an ItemFailure.
   * @param onFailure called when the page fails after the promise has resolved.
   */
  async load(parent: HTMLElement, onFailure: (failure: ItemFailure) => void, signal: AbortSignal): Promise<void> {
    const { iframeReports, frames } = this.#context;
    const { element } = this;
    const paint = Promise.withResolvers<void>();
    let lastFailure: ItemFailure | null = null;
    let isReady = false;
    element.name = iframeReports.nameFor(this.#page.itemId);
    iframeReports.listen(
      element.name,
      (failure) => {
        if (failure === null) return paint.resolve();
        lastFailure = new ItemFailure(failure.code, failure.detail, failure.crash_id);
        if (isReady) onFailure(lastFailure);
        else paint.reject(lastFailure);
      },
      this.#lifetime.signal,
    );
    // Painted from the start: a browser need not paint a page that is fully transparent.
    setVisibility(element, "painted");
    element.src = this.#page.url;
    parent.append(element);
    const createTimeout = (): ItemFailure =>
      new ItemFailure("timeout", `the player reported nothing about ${this.#page.url} within ${reportTimeoutMs} ms`);
    await withTimeout(paint.promise, reportTimeoutMs, signal, createTimeout);
    await paintHidden(element, frames, signal);
    // The page may have crashed during those two frames.
    const broken = lastFailure as ItemFailure | null;
    if (broken !== null) throw broken;
    isReady = true;
  }

  /** Ends the page and its process. */
  dispose(): void {
    this.#lifetime.abort();
    this.element.remove();
  }
}
