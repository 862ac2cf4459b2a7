// Builds elements: text only ever goes in as text.

/** A new element with a class and its children. */
export function createElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

// Not 0: at 0 the compositor skips the layer, and its first picture would be painted only when it is due. At a
// thousandth it is painted, yet adds less than half a step of 255 to any colour.
const primingOpacity = "0.001";

/** Whether an element is unseen, painted but unseen, or on the glass. */
export function setVisibility(element: HTMLElement, seen: "no" | "priming" | "yes"): void {
  element.style.opacity = seen === "yes" ? "1" : seen === "priming" ? primingOpacity : "0";
}
