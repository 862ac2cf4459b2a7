// An item that shows another site in an iframe. It is loaded hidden and, if requested, reloaded hidden at intervals.
import { createElement, setVisibility } from "../../dom.ts";
import { type Item, type ItemFailure, reveal, type ItemContext } from "../item.ts";
import { type FramedPage, SiteIframe } from "./site-iframe.ts";

/** Creates the item. @param refreshMs how often the page is reloaded; null for never. */
export function createSiteItem(page: FramedPage, refreshMs: number | null, context: ItemContext): Item {
  return new SiteItem(page, refreshMs, context);
}

class SiteItem implements Item {
  readonly element = createElement("div", "item site");
  readonly #page: FramedPage;
  readonly #refreshMs: number | null;
  readonly #context: ItemContext;
  readonly #lifetime = new AbortController();
  #iframe: SiteIframe;
  #hasLostPicture = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(page: FramedPage, refreshMs: number | null, context: ItemContext) {
    this.#page = page;
    this.#refreshMs = refreshMs;
    this.#context = context;
    this.#iframe = new SiteIframe(page, context);
    this.element.style.overflow = "hidden";
  }

  get hasLostPicture(): boolean {
    return this.#hasLostPicture;
  }

  async prepare(signal: AbortSignal): Promise<void> {
    // The iframe's opacity hides the item, so that the iframe keeps painting until it is shown.
    setVisibility(this.element, "visible");
    await this.#load(this.#iframe, AbortSignal.any([signal, this.#lifetime.signal]));
  }

  show(): Promise<number> {
    setVisibility(this.#iframe.element, "visible");
    this.#scheduleRefresh();
    return reveal(this.element, this.#context);
  }

  playUntil(): void {}

  hide(): void {
    setVisibility(this.element, "hidden");
  }

  dispose(): void {
    this.#lifetime.abort();
    clearTimeout(this.#timer);
    this.#iframe.dispose();
    this.element.remove();
  }

  #load(iframe: SiteIframe, signal: AbortSignal): Promise<void> {
    const onFailure = (failure: ItemFailure): void => {
      if (iframe !== this.#iframe) return;
      // The browser shows an error picture in place of an iframe whose process has crashed. Hide it.
      this.#hasLostPicture = true;
      clearTimeout(this.#timer);
      setVisibility(iframe.element, "hidden");
      setVisibility(this.element, "hidden");
      this.#context.onFailure(failure);
    };
    return iframe.load(this.element, onFailure, signal);
  }

  #scheduleRefresh(): void {
    if (this.#refreshMs !== null) this.#timer = setTimeout(() => void this.#refresh(), this.#refreshMs);
  }

  /** Replaces the page by a reloaded one in a single frame. If the reload fails, the old page stays and the next refresh tries again. */
  async #refresh(): Promise<void> {
    const replacement = new SiteIframe(this.#page, this.#context);
    try {
      await this.#load(replacement, this.#lifetime.signal);
    } catch {
      replacement.dispose();
      if (!this.#lifetime.signal.aborted) this.#scheduleRefresh();
      return;
    }
    if (this.#hasLostPicture) return replacement.dispose();
    const previous = this.#iframe;
    this.#iframe = replacement;
    setVisibility(replacement.element, "visible");
    await this.#context.frames.next();
    previous.dispose();
    if (!this.#lifetime.signal.aborted) this.#scheduleRefresh();
  }
}
