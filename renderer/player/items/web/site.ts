// An item that shows another site in a frame, loaded behind the glass and, where asked for, loaded anew behind itself.
import { make, setSeen } from "../../dom.ts";
import { type Item, type ItemFailure, reveal, type Surroundings } from "../item.ts";
import { type FramedPage, SiteFrame } from "./site-frame.ts";

/** @param refreshMs how often the page is loaded anew; null for never. */
export function createSite(page: FramedPage, refreshMs: number | null, around: Surroundings): Item {
  return new SiteItem(page, refreshMs, around);
}

class SiteItem implements Item {
  readonly element = make("div", "item site");
  readonly #page: FramedPage;
  readonly #refreshMs: number | null;
  readonly #around: Surroundings;
  readonly #life = new AbortController();
  #frame: SiteFrame;
  #isGone = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(page: FramedPage, refreshMs: number | null, around: Surroundings) {
    this.#page = page;
    this.#refreshMs = refreshMs;
    this.#around = around;
    this.#frame = new SiteFrame(page, around);
    this.element.style.overflow = "hidden";
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  async prepare(signal: AbortSignal): Promise<void> {
    // The item stays unseen by its frame's own opacity, so that the frame goes on painting until it is shown.
    setSeen(this.element, "yes");
    await this.#load(this.#frame, AbortSignal.any([signal, this.#life.signal]));
  }

  show(): Promise<number> {
    setSeen(this.#frame.element, "yes");
    this.#planRefresh();
    return reveal(this.element, this.#around);
  }

  playUntil(): void {}

  hide(): void {
    setSeen(this.element, "no");
  }

  dispose(): void {
    this.#life.abort();
    clearTimeout(this.#timer);
    this.#frame.end();
    this.element.remove();
  }

  #load(frame: SiteFrame, signal: AbortSignal): Promise<void> {
    const onFailure = (failure: ItemFailure): void => {
      if (frame !== this.#frame) return;
      // The browser puts a crashed face of its own in the place of a frame whose process ended. Nobody is to see that.
      this.#isGone = true;
      clearTimeout(this.#timer);
      setSeen(frame.element, "no");
      setSeen(this.element, "no");
      this.#around.onFailure(failure);
    };
    return frame.load(this.element, onFailure, signal);
  }

  #planRefresh(): void {
    if (this.#refreshMs !== null) this.#timer = setTimeout(() => void this.#refresh(), this.#refreshMs);
  }

  /** Changes the page for a fresh one in one frame. One that cannot be had changes nothing: it is tried again next time. */
  async #refresh(): Promise<void> {
    const fresh = new SiteFrame(this.#page, this.#around);
    try {
      await this.#load(fresh, this.#life.signal);
    } catch {
      fresh.end();
      if (!this.#life.signal.aborted) this.#planRefresh();
      return;
    }
    if (this.#isGone) return fresh.end();
    const stale = this.#frame;
    this.#frame = fresh;
    setSeen(fresh.element, "yes");
    await this.#around.frames.next();
    stale.end();
    if (!this.#life.signal.aborted) this.#planRefresh();
  }
}
