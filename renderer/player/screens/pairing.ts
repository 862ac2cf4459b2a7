// The pairing screen: a code to be read from across the room, and how to use it.
import type { PageClock } from "../link/clock.ts";
import { make } from "../dom.ts";
import type { View } from "./layer.ts";
import { createFact, createFrame, createTroubleCard, setText } from "./parts.ts";
import { drawQr } from "../qr.ts";

const placeholder = "····-····";

/** The pairing screen. */
export function createPairing(clock: PageClock): View<"pairing"> {
  const title = make("h1", "title", "Pair this screen");
  const notice = make("p", "notice");
  const code = make("div", "code");
  const words = make("p", "how");
  const qr = make("div", "qr");
  const qrWords = make("p", "scan", "Or scan with a phone to claim this screen");
  const scan = make("div", "claim", qr, qrWords);
  const trouble = createTroubleCard(clock);
  const help = make("div", "help", make("div", "advice", words, trouble.element), scan);
  const service = createFact("Service");
  const device = createFact("This device");
  let drawnUrl: string | null = null;

  function drawClaim(url: string | null): void {
    scan.hidden = url === null;
    if (url === drawnUrl) return;
    drawnUrl = url;
    qr.replaceChildren(...(url === null ? [] : [drawQr(url).svg]));
  }

  return {
    is: "pairing",
    element: createFrame("pairing", [title, notice], make("main", "matter", code, help), [service.element, device.element]),
    draw(screen) {
      notice.hidden = screen.notice === null;
      setText(notice, screen.notice ?? "");
      drawCode(code, screen.code);
      setText(
        words,
        screen.code === null ? waiting(screen.trouble !== null) : instruction(screen.claim_url?.split("?")[0] ?? `${screen.service}/claim`),
      );
      drawClaim(screen.claim_url);
      trouble.draw(screen.trouble);
      service.draw(screen.service);
      device.element.hidden = screen.device === undefined;
      device.draw(screen.device ?? "");
    },
    dispose: () => {
      trouble.dispose();
    },
  };
}

/** Where the code goes: a page for people, a route for programs. */
function instruction(claimPage: string): string {
  return `Enter this code at ${claimPage}, or send it to POST /api/v1/players/pair`;
}

function waiting(troubled: boolean): string {
  return troubled ? "A code appears here as soon as the service answers" : "Asking the service for a code …";
}

/** Each group keeps together, so that a narrow screen breaks the code where people pause. */
function drawCode(element: HTMLElement, code: string | null): void {
  const text = code ?? placeholder;
  element.classList.toggle("pending", code === null);
  if (element.textContent === text) return;
  const groups = text.split("-").map((group) => make("span", "group", group));
  element.replaceChildren(...groups.flatMap((group, index) => (index === 0 ? [group] : [make("span", "dash", "-"), group])));
}
