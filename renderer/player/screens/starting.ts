// The first screen: dark and calm, there for a moment.
import { make } from "../dom.ts";
import type { View } from "./layer.ts";

/** The starting screen. */
export function createStarting(): View<"starting"> {
  return {
    is: "starting",
    element: make("div", "layer screen starting", make("span", "mark"), make("p", "", "Starting")),
    draw() {},
    dispose() {},
  };
}
