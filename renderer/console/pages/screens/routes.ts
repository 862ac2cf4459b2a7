// The address of the wall of screens, with its filters.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";
import { readScreensSearch } from "./search.ts";

export function routesOfScreens<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "/",
      component: lazyRouteComponent(() => import("./screens-page.tsx"), "ScreensPage"),
      validateSearch: readScreensSearch,
    }),
  ] as const;
}
