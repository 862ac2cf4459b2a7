// The address of taking over screens.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

export function routesOfTakeover<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "takeover",
      component: lazyRouteComponent(() => import("./takeover-page.tsx"), "TakeoverPage"),
    }),
  ] as const;
}
