// The overlay with the code for claiming a player again, after its service's key has changed: small, in a corner over the content.
import type { Scene } from "../../../src/protocol/scene.ts";
import { createElement } from "../dom.ts";

/** The overlay with the claim code. */
export class ClaimOverlay {
  readonly element = createElement("div", "claim-overlay");

  constructor() {
    this.element.hidden = true;
  }

  /** Shows the code, or hides the overlay. */
  draw(claim: Scene["claim"]): void {
    this.element.hidden = claim === undefined;
    if (claim !== undefined) this.element.textContent = claim.code;
  }
}
