// The steps around a change of pages: their code is loaded, and the focus goes to the heading, which screen readers then read.
import type { AnyRouter } from "@tanstack/react-router";

/** Moves the focus at each change of the page until the returned function is called. */
export function focusHeadings(router: AnyRouter): () => void {
  return router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
    // The first page is read from its beginning anyway.
    if (fromLocation === undefined || !pathChanged) return;
    // After a link was pressed by a key, React Aria puts the focus into a page's first field in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(focusHeading));
  });
}

/** Focuses the heading of the page, unless something else on the page has the focus. */
export function focusHeading(): void {
  const content = document.querySelector<HTMLElement>("#content");
  // A page that has put the focus into one of its fields knows better, and so does a dialog.
  if (content === null || (document.activeElement !== content && document.activeElement?.closest("#content, [role=dialog]") != null))
    return;
  const heading = content.querySelector<HTMLElement>("h1") ?? content;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/**
 * Loads the code of all pages when the browser has nothing else to do, until `signal` aborts: the next page then opens at once, and
 * also while the service is away.
 */
export async function loadPages(router: AnyRouter, signal: AbortSignal): Promise<void> {
  for (const routeId of Object.keys(router.routesById)) {
    await new Promise<void>((resolve) => {
      // Safari has no requestIdleCallback.
      if ("requestIdleCallback" in globalThis) requestIdleCallback(() => resolve());
      else setTimeout(resolve, 200);
    });
    if (signal.aborted) return;
    await pageOf(router, routeId)?.preload?.();
  }
}

/** Begins to load the page at the present address. */
export function loadPage(router: AnyRouter): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    // The router loads it again and tells the person if it fails.
    pageOf(router, routeId)
      ?.preload?.()
      .catch(() => undefined);
  }
}

function pageOf(router: AnyRouter, routeId: string): { preload?: () => Promise<unknown> } | undefined {
  return (router.routesById as Record<string, { options: { component?: { preload?: () => Promise<unknown> } } }>)[routeId]?.options
    .component;
}
