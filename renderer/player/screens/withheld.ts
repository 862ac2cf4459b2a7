// The screen of a player that withholds its content because showing it made the browser fail repeatedly.
import type { PageClock } from "../link/clock.ts";
import { createElement } from "../dom.ts";
import type { View } from "./layer.ts";
import { createLabelledValue, createFrame, createProblemCard, setText } from "./components.ts";

/** Creates the screen shown in place of withheld content. */
export function createWithheld(clock: PageClock): View<"withheld"> {
  const title = createElement("h1", "title", "The content is withheld");
  const name = createElement("div", "name");
  const words = createElement("p", "how");
  const problemCard = createProblemCard(clock);
  const service = createLabelledValue("Service");
  return {
    is: "withheld",
    // Same layout as the empty screen.
    element: createFrame("empty", [title], createElement("main", "content", name, words, problemCard.element), [service.element]),
    draw(screen) {
      setText(name, screen.player_name);
      setText(words, screen.remedy);
      problemCard.draw(screen.trouble);
      service.draw(screen.service);
    },
    dispose: () => {
      problemCard.dispose();
    },
  };
}
