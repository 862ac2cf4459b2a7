// An item that shows another site in a frame, loaded behind the glass and, where asked for, loaded anew behind itself.
import { createElement, setVisibility } from "../../dom.ts";
import { type Item, type ItemFailure, reveal, type ItemContext } from "../item.ts";
import { type FramedPage, SiteIframe } from "./site-iframe.ts";

/** @param refreshMs how often the page is loaded anew; null for never. */
export function createSiteItem(page: FramedPage, refreshMs: number | null, around: ItemContext): Item {
  return new SiteItem(page, refreshMs, around);
}

class SiteItem implements Item {
  readonly element = createElement("div", "item site");
  readonly #page: FramedPage;
  readonly #refreshMs: number | null;
  readonly #around: ItemContext;
  readonly #life = new AbortController();
  #frame: SiteIframe;
  #isGone = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(page: FramedPage, refreshMs: number | null, around: ItemContext) {
    this.#page = page;
    this.#refreshMs = refreshMs;
    this.#around = around;
    this.#frame = new SiteIframe(page, around);
    this.element.style.overflow = "hidden";
  }

  get hasLostPicture(): boolean {
    return this.#isGone;
  }

  async prepare(signal: AbortSignal): Promise<void> {
    // The item stays unseen by its frame's own opacity, so that the frame goes on painting until it is shown.
    setVisibility(this.element, "yes");
    await this.#load(this.#frame, AbortSignal.any([signal, this.#life.signal]));
  }

  show(): Promise<number> {
    setVisibility(this.#frame.element, "yes");
    this.#planRefresh();
    return reveal(this.element, this.#around);
  }

  playUntil(): void {}

  hide(): void {
    setVisibility(this.element, "no");
  }

  dispose(): void {
    this.#life.abort();
    clearTimeout(this.#timer);
    this.#frame.dispose();
    this.element.remove();
  }

  #load(frame: SiteIframe, signal: AbortSignal): Promise<void> {
    const onFailure = (failure: ItemFailure): void => {
      if (frame !== this.#frame) return;
      // The browser puts a crashed face of its own in the place of a frame whose process ended. Nobody is to see that.
      this.#isGone = true;
      clearTimeout(this.#timer);
      setVisibility(frame.element, "no");
      setVisibility(this.element, "no");
      this.#around.onFailure(failure);
    };
    return frame.load(this.element, onFailure, signal);
  }

  #planRefresh(): void {
    if (this.#refreshMs !== null) this.#timer = setTimeout(() => void this.#refresh(), this.#refreshMs);
  }

  /** Changes the page for a fresh one in one frame. One that cannot be had changes nothing: it is tried again next time. */
  async #refresh(): Promise<void> {
    const fresh = new SiteIframe(this.#page, this.#around);
    try {
      await this.#load(fresh, this.#life.signal);
    } catch {
      fresh.dispose();
      if (!this.#life.signal.aborted) this.#planRefresh();
      return;
    }
    if (this.#isGone) return fresh.dispose();
    const stale = this.#frame;
    this.#frame = fresh;
    setVisibility(fresh.element, "yes");
    await this.#around.frames.next();
    stale.dispose();
    if (!this.#life.signal.aborted) this.#planRefresh();
  }
}
