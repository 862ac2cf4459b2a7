// The pairing screen: a code that can be read from across the room, and how to use it.
import type { PageClock } from "../link/clock.ts";
import { createElement } from "../dom.ts";
import type { View } from "./layer.ts";
import { createLabelledValue, createFrame, createProblemCard, setText } from "./components.ts";
import { drawQr } from "../qr.ts";

const placeholder = "····-····";

/** Creates the pairing screen. */
export function createPairing(clock: PageClock): View<"pairing"> {
  const title = createElement("h1", "title", "Pair this screen");
  const notice = createElement("p", "notice");
  const code = createElement("div", "code");
  const words = createElement("p", "how");
  const enrolment = createElement("p", "enrolment");
  const qr = createElement("div", "qr");
  const qrWords = createElement("p", "scan", "Or scan with a phone to claim this screen");
  const scan = createElement("div", "claim", qr, qrWords);
  const problemCard = createProblemCard(clock);
  const help = createElement("div", "help", createElement("div", "advice", words, enrolment, problemCard.element), scan);
  const service = createLabelledValue("Service");
  const device = createLabelledValue("This device");
  let drawnUrl: string | null = null;

  function drawClaim(url: string | null): void {
    scan.hidden = url === null;
    if (url === drawnUrl) return;
    drawnUrl = url;
    qr.replaceChildren(...(url === null ? [] : [drawQr(url).svg]));
  }

  return {
    is: "pairing",
    element: createFrame("pairing", [title, notice], createElement("main", "content", code, help), [service.element, device.element]),
    draw(screen) {
      notice.hidden = screen.notice === null;
      setText(notice, screen.notice ?? "");
      const isEnrolling = screen.enrolment?.is === "trying";
      setText(title, isEnrolling ? "Setting up this screen" : "Pair this screen");
      code.hidden = isEnrolling;
      drawCode(code, screen.code);
      words.hidden = isEnrolling;
      enrolment.hidden = screen.enrolment == null;
      setText(enrolment, screen.enrolment?.text ?? "");
      setText(
        words,
        screen.code === null ? waiting(screen.trouble !== null) : instruction(screen.claim_url?.split("?")[0] ?? `${screen.service}/claim`),
      );
      drawClaim(screen.claim_url);
      problemCard.draw(screen.trouble);
      service.draw(screen.service);
      device.element.hidden = screen.device === undefined;
      device.draw(screen.device ?? "");
    },
    dispose: () => {
      problemCard.dispose();
    },
  };
}

/** Where to enter the code: a web page for people, a route for programs. */
function instruction(claimPage: string): string {
  return `Enter this code at ${claimPage}, or send it to POST /api/v1/players/pair`;
}

function waiting(hasProblem: boolean): string {
  return hasProblem ? "A code appears here as soon as the service answers" : "Asking the service for a code …";
}

/** Draws each group as one unit, so that a narrow screen breaks the code at the dash. */
function drawCode(element: HTMLElement, code: string | null): void {
  const text = code ?? placeholder;
  element.classList.toggle("pending", code === null);
  if (element.textContent === text) return;
  const groups = text.split("-").map((group) => createElement("span", "group", group));
  element.replaceChildren(...groups.flatMap((group, index) => (index === 0 ? [group] : [createElement("span", "dash", "-"), group])));
}
