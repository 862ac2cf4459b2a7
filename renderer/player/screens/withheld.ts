// The screen of a player that keeps its content back, because showing it made the browser fail again and again.
import type { PageClock } from "../link/clock.ts";
import { createElement } from "../dom.ts";
import type { View } from "./layer.ts";
import { createLabelledValue, createFrame, createTroubleCard, setText } from "./components.ts";

/** The screen in place of content that is withheld. */
export function createWithheld(clock: PageClock): View<"withheld"> {
  const title = createElement("h1", "title", "The content is withheld");
  const name = createElement("div", "name");
  const words = createElement("p", "how");
  const trouble = createTroubleCard(clock);
  const service = createLabelledValue("Service");
  return {
    is: "withheld",
    // Laid out like the empty screen.
    element: createFrame("empty", [title], createElement("main", "matter", name, words, trouble.element), [service.element]),
    draw(screen) {
      setText(name, screen.player_name);
      setText(words, screen.remedy);
      trouble.draw(screen.trouble);
      service.draw(screen.service);
    },
    dispose: () => {
      trouble.dispose();
    },
  };
}
