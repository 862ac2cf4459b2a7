// The screen of a player that keeps its content back, because showing it made the browser fail again and again.
import type { PageClock } from "../link/clock.ts";
import { make } from "../dom.ts";
import type { View } from "./layer.ts";
import { createFact, createFrame, createTroubleCard, setText } from "./parts.ts";

/** The screen in place of content that is withheld. */
export function createWithheld(clock: PageClock): View<"withheld"> {
  const title = make("h1", "title", "The content is withheld");
  const name = make("div", "name");
  const words = make("p", "how");
  const trouble = createTroubleCard(clock);
  const service = createFact("Service");
  return {
    is: "withheld",
    // Laid out like the empty screen.
    element: createFrame("empty", [title], make("main", "matter", name, words, trouble.element), [service.element]),
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
