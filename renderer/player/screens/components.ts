// Components of the text screens: their frame, labelled values, and the card that describes a problem and counts down to the next attempt.
import type { ScreenProblem } from "../../../src/protocol/scene.ts";
import type { PageClock } from "../link/clock.ts";
import { createElement } from "../dom.ts";

/** The frame of a screen: title at the top, content in the middle, connection details at the bottom. */
export function createFrame(kind: string, head: readonly HTMLElement[], content: HTMLElement, footer: readonly HTMLElement[]): HTMLElement {
  const top = createElement("header", "head", createElement("span", "mark"), ...head);
  return createElement("div", `layer screen ${kind}`, top, content, createElement("footer", "foot", ...footer));
}

/** A labelled value at the bottom of a screen. */
export function createLabelledValue(label: string): { element: HTMLElement; draw(value: string): void } {
  const value = createElement("span", "value");
  return {
    element: createElement("div", "fact", createElement("span", "label", label), value),
    draw: (text) => {
      setText(value, text);
    },
  };
}

/** The card for a problem; hidden while there is none. */
export function createProblemCard(clock: PageClock): {
  element: HTMLElement;
  draw(problem: ScreenProblem | null): void;
  dispose(): void;
} {
  const text = createElement("p", "what");
  const retry = createElement("p", "retry");
  const element = createElement("section", "trouble", createElement("span", "sign", "!"), createElement("div", "", text, retry));
  element.hidden = true;
  let cancelCount = (): void => {};

  function count(retryAt: number): void {
    const seconds = Math.ceil((retryAt - clock.now()) / 1_000);
    setText(retry, seconds > 0 ? `Next attempt in ${describeDuration(seconds)}` : "Trying now …");
    if (seconds > 0) cancelCount = clock.alarm(retryAt - (seconds - 1) * 1_000 + 1, () => count(retryAt));
  }

  return {
    element,
    draw(problem) {
      cancelCount();
      element.hidden = problem === null;
      if (problem === null) return;
      setText(text, problem.text);
      retry.hidden = problem.retry_at === null;
      if (problem.retry_at !== null) count(problem.retry_at);
    },
    dispose: () => {
      cancelCount();
    },
  };
}

/** Sets a text only when it differs, which avoids a layout. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function describeDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`;
}
