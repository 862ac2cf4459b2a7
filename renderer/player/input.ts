// Blocks user input: no key, menu, selection, drag, pinch or scroll reaches the browser.

const blockedEvents = [
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

/** Cancels these events in the capture phase, before any other listener sees them. */
export function blockInput(target: Document): void {
  for (const type of blockedEvents) {
    target.addEventListener(
      type,
      (event) => {
        event.preventDefault();
        event.stopImmediatePropagation();
      },
      // Wheel and touch listeners are passive by default, and a passive listener cannot cancel the event.
      { capture: true, passive: false },
    );
  }
}
