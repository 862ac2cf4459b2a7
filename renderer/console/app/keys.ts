// The keys that work on every page: Ctrl+K or ⌘K searches, `?` lists the keys, `g` and a letter lead to a place.
import type { AnyRouter } from "@tanstack/react-router";
import { placesOf } from "./places.ts";

/** The overlays that keys open on any page. */
export type Overlay = "search" | "shortcuts";

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
/** The keys of the search as they are written on this device's keyboard. */
export const searchKeys: readonly string[] = isApple ? ["⌘", "K"] : ["Ctrl", "K"];

const secondKeyMs = 1_500;
const storageKey = "single-keys";

/** True if keys without Ctrl or ⌘ do anything. People who dictate need to switch them off (WCAG 2.1.4). */
export function allowsSingleKeys(): boolean {
  return localStorage.getItem(storageKey) !== "off";
}

/** Switches the keys without Ctrl or ⌘ on or off, on this device. */
export function allowSingleKeys(isAllowed: boolean): void {
  if (isAllowed) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, "off");
}

/** Listens for the keys until `signal` aborts. */
export function listenForKeys(router: AnyRouter, open: (overlay: Overlay) => void, signal: AbortSignal): void {
  let pressedG = Number.NEGATIVE_INFINITY;
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey, isComposing } = event;
    if (isComposing || event.defaultPrevented || altKey) return;
    if ((isApple ? metaKey : ctrlKey) && key.toLowerCase() === "k") {
      event.preventDefault();
      if (!isDialogOpen()) open("search");
      return;
    }
    if (ctrlKey || metaKey || !allowsSingleKeys() || isTyping(event.target) || isDialogOpen()) return;
    const isSecond = event.timeStamp - pressedG < secondKeyMs;
    pressedG = key === "g" && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY;
    if (isSecond) {
      const place = placesOf(router).find((each) => each.key === key);
      if (place === undefined) return;
      event.preventDefault();
      void router.navigate({ to: place.to });
    } else if (key === "?") {
      event.preventDefault();
      open("shortcuts");
    }
  };
  document.addEventListener("keydown", onKeyDown, { signal });
}

/** True if keys go into a text, or choose in a list by their letter. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable], [role=listbox], [role=menu], [role=grid]") !== null
  );
}

function isDialogOpen(): boolean {
  return document.querySelector("[role=dialog], [role=alertdialog]") !== null;
}
