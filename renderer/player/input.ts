// Makes the page deaf to hands: no keys, menus, selections, drags, pinches or scrolling reach the browser.

const refused = [
  "keydown",
  "keypress",
  "keyup",
  "contextmenu",
  "selectstart",
  "dragstart",
  "dragover",
  "drop",
  "mousedown",
  "auxclick",
  "dblclick",
  "wheel",
  "touchstart",
  "touchmove",
  "gesturestart",
  "gesturechange",
] as const;

/** Refuses every gesture in the capture phase, before anything else could take it. */
export function blockInput(target: Document): void {
  for (const type of refused) {
    target.addEventListener(
      type,
      (event) => {
        event.preventDefault();
        event.stopImmediatePropagation();
      },
      // Wheel and touch listeners are passive unless they say otherwise, and passive ones cannot refuse.
      { capture: true, passive: false },
    );
  }
}
