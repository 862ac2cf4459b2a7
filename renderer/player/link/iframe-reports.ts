// Passes the player's reports on iframes of other sites to the item that owns the iframe: the page itself cannot look into them.
import type { ToPage } from "../../../src/protocol/page-messages.ts";

/** The report on one iframe: null when its page has painted, else why there is nothing to show. */
export type IframeFailure = Extract<ToPage, { type: "frame" }>["failure"];

/** Passes each report to the listener of its iframe. */
export class IframeReports {
  readonly #listeners = new Map<string, (failure: IframeFailure) => void>();

  /** A unique name for an iframe. The player reads the item's id from the part before the dot. */
  nameFor(itemId: string): string {
    return `${itemId}.${crypto.randomUUID()}`;
  }

  /** Calls `listener` with each report on the iframe of this name, until `signal` aborts. */
  listen(name: string, listener: (failure: IframeFailure) => void, signal: AbortSignal): void {
    this.#listeners.set(name, listener);
    signal.addEventListener("abort", () => this.#listeners.delete(name), { once: true });
  }

  /** Handles a message of the player. A report on an iframe that no longer exists is dropped. */
  handle({ frame, failure }: Extract<ToPage, { type: "frame" }>): void {
    this.#listeners.get(frame)?.(failure);
  }
}
