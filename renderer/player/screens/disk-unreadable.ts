// The screen of a player whose disk fails to read its stored data.
import type { PageClock } from "../link/clock.ts";
import { createElement } from "../dom.ts";
import type { View } from "./layer.ts";
import { createLabelledValue, createFrame, createProblemCard, setText } from "./components.ts";

/** Creates the screen shown until the disk can be read. */
export function createDiskUnreadable(clock: PageClock): View<"disk-unreadable"> {
  const title = createElement("h1", "title", "The disk cannot be read");
  const words = createElement("p", "how");
  const problemCard = createProblemCard(clock);
  const device = createLabelledValue("This device");
  return {
    is: "disk-unreadable",
    // Same layout as the empty screen.
    element: createFrame("empty", [title], createElement("main", "content", words, problemCard.element), [device.element]),
    draw(screen) {
      setText(words, screen.remedy);
      problemCard.draw(screen.trouble);
      device.draw(screen.device);
    },
    dispose: () => {
      problemCard.dispose();
    },
  };
}
