// The screen shown while the first content is downloaded.
import type { PageClock } from "../link/clock.ts";
import { createElement } from "../dom.ts";
import type { View } from "./layer.ts";
import { createLabelledValue, createFrame, createProblemCard, setText } from "./components.ts";

/** Creates the preparing screen. */
export function createPreparing(clock: PageClock): View<"preparing"> {
  const name = createElement("div", "name");
  const fill = createElement("div", "done");
  const bar = createElement("div", "bar", fill);
  const bytes = createElement("span", "bytes");
  const files = createElement("span", "files");
  const problemCard = createProblemCard(clock);
  const service = createLabelledValue("Service");
  const title = createElement("h1", "title", "Downloading content");
  const content = createElement("main", "content", name, createElement("div", "progress", bar, bytes, files), problemCard.element);
  return {
    is: "preparing",
    element: createFrame("preparing", [title], content, [service.element]),
    draw({ player_name, ready_bytes, total_bytes, ready_files, total_files, trouble: problem, service: address }) {
      setText(name, player_name);
      const share = total_bytes > 0 ? Math.min(1, ready_bytes / total_bytes) : 0;
      fill.style.transform = `translateX(${(share - 1) * 100}%)`;
      setText(bytes, total_bytes > 0 ? `${describeSize(ready_bytes)} of ${describeSize(total_bytes)}` : "Checking what is needed …");
      setText(files, total_files > 0 ? `${ready_files} of ${total_files} ${total_files === 1 ? "file" : "files"}` : "");
      problemCard.draw(problem);
      service.draw(address);
    },
    dispose: () => {
      problemCard.dispose();
    },
  };
}

/** A size in readable form, such as 12.4 MB. */
function describeSize(bytes: number): string {
  const units = ["kB", "MB", "GB", "TB"] as const;
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(value < 100 && power > 1 ? 1 : 0)} ${units[power - 1]}`;
}
