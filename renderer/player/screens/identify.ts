// The overlay of the `identify` command: shows the player's name over the content for a limited time.
import type { Scene } from "../../../src/protocol/scene.ts";
import type { PageClock } from "../link/clock.ts";
import { createElement } from "../dom.ts";

/** The overlay with the player's name. */
export class IdentifyOverlay {
  readonly element = createElement("div", "identify");
  readonly #clock: PageClock;
  #cancelEnd = (): void => {};

  constructor(clock: PageClock) {
    this.#clock = clock;
    this.element.hidden = true;
  }

  /** Shows the name until its time is over, or hides the overlay. */
  draw(identify: Scene["identify"]): void {
    this.#cancelEnd();
    this.element.hidden = identify === null || identify.until <= this.#clock.now();
    if (identify === null || this.element.hidden) return;
    const lines = identify.lines.map((line) => createElement("p", "line", line));
    this.element.replaceChildren(createElement("div", "card", createElement("div", "name", identify.player_name), ...lines));
    this.#cancelEnd = this.#clock.alarm(identify.until, () => {
      this.element.hidden = true;
    });
  }
}
