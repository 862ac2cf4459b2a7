// Tells the whole of a text that is cut off, as the tooltip of its element, while a pointer is over it.

/** A link that fills a card lies over the text that is cut off: its parents are asked, too. */
const mostParents = 3;

/** Listens until `signal` aborts. */
export function tellWholeTexts(signal: AbortSignal): void {
  const ownTitles = new WeakSet<HTMLElement>();
  document.addEventListener(
    "pointerover",
    ({ target }) => {
      let element = target instanceof HTMLElement ? target : null;
      for (let parents = 0; element !== null && parents < mostParents; parents += 1) {
        if (isCutOff(element)) {
          if (element.title !== "" && !ownTitles.has(element)) return;
          element.title = element.textContent;
          ownTitles.add(element);
          return;
        }
        if (ownTitles.delete(element)) element.removeAttribute("title");
        element = element.parentElement;
      }
    },
    { signal, passive: true },
  );
}

function isCutOff(element: HTMLElement): boolean {
  const { textOverflow, webkitLineClamp } = getComputedStyle(element);
  if (textOverflow === "ellipsis") return element.scrollWidth > element.clientWidth;
  return webkitLineClamp !== "none" && element.scrollHeight > element.clientHeight;
}
