// The screen while the first content is on its way.
import type { PageClock } from "../link/clock.ts";
import { make } from "../dom.ts";
import type { View } from "./layer.ts";
import { createFact, createFrame, createTroubleCard, setText } from "./parts.ts";

/** The preparing screen. */
export function createPreparing(clock: PageClock): View<"preparing"> {
  const name = make("div", "name");
  const done = make("div", "done");
  const bar = make("div", "bar", done);
  const bytes = make("p", "bytes");
  const trouble = createTroubleCard(clock);
  const service = createFact("Service");
  const title = make("h1", "title", "Getting the content ready");
  const matter = make("main", "matter", name, bar, bytes, trouble.element);
  return {
    is: "preparing",
    element: createFrame("preparing", [title], matter, [service.element]),
    draw({ player_name, ready_bytes, total_bytes, trouble: problem, service: address }) {
      setText(name, player_name);
      const share = total_bytes > 0 ? Math.min(1, ready_bytes / total_bytes) : 0;
      done.style.width = `${share * 100}%`;
      setText(bytes, total_bytes > 0 ? `${spell(ready_bytes)} of ${spell(total_bytes)}` : "Looking at what is needed …");
      trouble.draw(problem);
      service.draw(address);
    },
    dispose: () => {
      trouble.dispose();
    },
  };
}

/** A size as people write it. */
function spell(bytes: number): string {
  const units = ["kB", "MB", "GB", "TB"] as const;
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(value < 100 && power > 1 ? 1 : 0)} ${units[power - 1]}`;
}
