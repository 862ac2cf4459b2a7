// Creates elements and sets their visibility. Strings are always added as text, never as HTML.

/** Creates an element with a class and children. */
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

// Not 0: the compositor skips a layer with opacity 0 and would paint its first picture only when it is shown. At 0.001
// the layer is painted, but changes no colour by even half a step of 255.
const paintedButUnseen = "0.001";

/** Hides an element, paints it invisibly, or shows it. */
export function setVisibility(element: HTMLElement, visibility: "hidden" | "painted" | "visible"): void {
  element.style.opacity = visibility === "visible" ? "1" : visibility === "painted" ? paintedButUnseen : "0";
}
