// The first screen: dark and calm, there for a moment.
import { createElement } from "../dom.ts";
import type { View } from "./layer.ts";

/** The starting screen. */
export function createStarting(): View<"starting"> {
  return {
    is: "starting",
    element: createElement("div", "layer screen starting", createElement("span", "mark"), createElement("p", "", "Starting")),
    draw() {},
    dispose() {},
  };
}
