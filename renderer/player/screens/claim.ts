// The code of a player whose service has another key: small, in a corner over whatever plays.
import type { Scene } from "../../../src/protocol/scene.ts";
import { createElement } from "../dom.ts";

/** The overlay by which such a player can be claimed anew. */
export class ClaimOverlay {
  readonly element = createElement("div", "reclaim");

  constructor() {
    this.element.hidden = true;
  }

  /** Shows the code, or takes it away. */
  draw(claim: Scene["claim"]): void {
    this.element.hidden = claim === undefined;
    if (claim !== undefined) this.element.textContent = claim.code;
  }
}
