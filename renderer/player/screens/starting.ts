// The first screen, shown for a moment while the page connects to the player.
import { createElement } from "../dom.ts";
import type { View } from "./layer.ts";

/** Creates the starting screen. */
export function createStarting(): View<"starting"> {
  return {
    is: "starting",
    element: createElement("div", "layer screen starting", createElement("span", "mark"), createElement("p", "", "Starting")),
    draw() {},
    dispose() {},
  };
}
