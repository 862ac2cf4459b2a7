// What happens when a person comes to another page: the focus goes to its heading, which screen readers then read.
import type { AnyRouter } from "@tanstack/react-router";

/** Moves the focus at each change of the page until the returned function is called. */
export function focusHeadings(router: AnyRouter): () => void {
  return router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
    // The first page is read from its beginning anyway.
    if (fromLocation === undefined || !pathChanged) return;
    const content = document.querySelector<HTMLElement>("#content");
    // A page that has put the focus into one of its fields knows better.
    if (content === null || (content.contains(document.activeElement) && document.activeElement !== content)) return;
    const heading = content.querySelector<HTMLElement>("h1") ?? content;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  });
}

/**
 * Loads the code of all pages when the browser has nothing else to do, until `signal` aborts: the next page then opens at once, and
 * also while the service is away.
 */
export async function loadPages(router: AnyRouter, signal: AbortSignal): Promise<void> {
  for (const { options } of Object.values<{ options: { component?: { preload?: () => Promise<unknown> } } }>(router.routesById)) {
    await new Promise<void>((resolve) => {
      // Safari has no requestIdleCallback.
      if ("requestIdleCallback" in globalThis) requestIdleCallback(() => resolve());
      else setTimeout(resolve, 200);
    });
    if (signal.aborted) return;
    await options.component?.preload?.();
  }
}
