// The screen of a player that knows no service: how to set one, and which ones are on the network.
import { createElement } from "../dom.ts";
import type { View } from "./layer.ts";
import { createLabelledValue, createFrame, setText } from "./components.ts";

// More do not fit on the smallest screen.
const maxServices = 3;

/** Creates the screen without a service. */
export function createNoServer(): View<"no-server"> {
  const command = createElement("code", "command");
  const name = createElement("code", "");
  const line = createElement("code", "", 'server = "https://…"');
  const file = createElement("p", "how", "Or put a file ", name, " with the line ", line, " on the boot partition or on a USB stick.");
  const heading = createElement("p", "how", "Found on this network, and not used until you choose:");
  const list = createElement("ul", "services");
  const serviceList = createElement("div", "", heading, list);
  const problem = createElement("p", "what");
  const card = createElement("section", "trouble", createElement("span", "sign", "!"), problem);
  const machine = createLabelledValue("This machine");
  const device = createLabelledValue("Addresses");
  const words = createElement("p", "how", "To choose the service that this player gets its content from, run:");
  const content = createElement("main", "content", words, command, file, serviceList, card);
  return {
    is: "no-server",
    element: createFrame("no-server", [createElement("h1", "title", "No service is set")], content, [machine.element, device.element]),
    draw(screen) {
      setText(command, screen.command);
      file.hidden = screen.file === null;
      setText(name, screen.file ?? "");
      serviceList.hidden = screen.services.length === 0;
      const entries = screen.services.slice(0, maxServices).map(({ name, url }) => createElement("li", "", `${name}: ${url}`));
      list.replaceChildren(...entries);
      card.hidden = screen.problem === null;
      setText(problem, screen.problem ?? "");
      machine.draw(screen.machine_name);
      device.draw(screen.device);
    },
    dispose() {},
  };
}
