// The screen of a paired player without content: nothing is assigned, or nothing is due now.
import type { PageClock } from "../link/clock.ts";
import { createElement } from "../dom.ts";
import type { View } from "./layer.ts";
import { createLabelledValue, createFrame, createProblemCard, setText } from "./components.ts";

const links = { online: "Connected", connecting: "Connecting", offline: "Not connected" } as const;

/** Creates the empty screen. */
export function createEmpty(clock: PageClock): View<"empty"> {
  const title = createElement("h1", "title");
  const name = createElement("div", "name");
  const words = createElement("p", "how");
  const problemCard = createProblemCard(clock);
  const service = createLabelledValue("Service");
  return {
    is: "empty",
    element: createFrame("empty", [title], createElement("main", "content", name, words, problemCard.element), [service.element]),
    draw(screen) {
      const { link = screen.trouble === null ? "online" : "offline", is_assigned: isAssigned = false } = screen;
      setText(title, `${links[link]}. ${isAssigned ? "Nothing to show now" : "Nothing assigned yet"}`);
      setText(name, screen.player_name);
      setText(
        words,
        isAssigned
          ? "None of the assigned content is due now. Check the schedules and playlists."
          : "Assign a layout to this player, and it appears here.",
      );
      words.hidden = link === "offline";
      problemCard.draw(screen.trouble);
      service.draw(screen.service);
    },
    dispose: () => {
      problemCard.dispose();
    },
  };
}
