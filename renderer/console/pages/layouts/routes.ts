// The addresses of layouts.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

export function routesOfLayouts<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "layouts",
      component: lazyRouteComponent(() => import("./layouts-page.tsx"), "LayoutsPage"),
    }),
    createRoute({
      getParentRoute: () => shellRoute,
      path: "layouts/$id",
      component: lazyRouteComponent(() => import("./layout-page.tsx"), "LayoutPage"),
    }),
  ] as const;
}
