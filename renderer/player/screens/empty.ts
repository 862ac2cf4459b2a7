// The screen of a player that is paired and has nothing to show yet.
import type { PageClock } from "../clock.ts";
import { make } from "../dom.ts";
import type { View } from "./layer.ts";
import { createFact, createFrame, createTroubleCard, setText } from "./parts.ts";

/** The empty screen. */
export function createEmpty(clock: PageClock): View<"empty"> {
  const title = make("h1", "title");
  const name = make("div", "name");
  const words = make("p", "how", "Assign a layout to this player and it appears here.");
  const trouble = createTroubleCard(clock);
  const service = createFact("Service");
  return {
    is: "empty",
    element: createFrame("empty", [title], make("main", "matter", name, words, trouble.element), [service.element]),
    draw(screen) {
      const offline = screen.trouble !== null;
      setText(title, offline ? "Not connected. Nothing assigned yet" : "Connected. Nothing assigned yet");
      setText(name, screen.player_name);
      words.hidden = offline;
      trouble.draw(screen.trouble);
      service.draw(screen.service);
    },
    dispose: () => {
      trouble.dispose();
    },
  };
}
