// What the player says of frames that show other sites: the page itself cannot look into them.
import type { ToPage } from "../../../src/protocol/page-messages.ts";

/** Told of one frame: null when its page has painted, else why there is nothing to show. */
export type IframeFailure = Extract<ToPage, { type: "frame" }>["failure"];

/** Brings each frame's news to whoever made the frame. */
export class IframeReports {
  readonly #listeners = new Map<string, (failure: IframeFailure) => void>();

  /** A name that no other frame has or had; the player knows the item by what stands before its dot. */
  nameFor(itemId: string): string {
    return `${itemId}.${crypto.randomUUID()}`;
  }

  /** Hears of the frame of this name until `signal` aborts. */
  listen(name: string, listener: (failure: IframeFailure) => void, signal: AbortSignal): void {
    this.#listeners.set(name, listener);
    signal.addEventListener("abort", () => this.#listeners.delete(name), { once: true });
  }

  /** Takes a message of the player in. News of a frame that is gone is dropped. */
  handle({ frame, failure }: Extract<ToPage, { type: "frame" }>): void {
    this.#listeners.get(frame)?.(failure);
  }
}
