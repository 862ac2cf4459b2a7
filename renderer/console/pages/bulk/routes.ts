// The address of the selected screens. `ids` selects screens by a link.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

export interface BulkSearch {
  /** Ids of players, separated by commas: they are selected when the page opens. */
  ids?: string | undefined;
}

export function routesOfBulk<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "screens/bulk",
      component: lazyRouteComponent(() => import("./bulk-page.tsx"), "BulkPage"),
      validateSearch: ({ ids }: Record<string, unknown>): BulkSearch => (typeof ids === "string" ? { ids } : {}),
    }),
  ] as const;
}
