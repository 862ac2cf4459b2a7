// The address of a person's own account.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

export function routesOfAccount<R extends AnyRoute>(shellRoute: R) {
  return createRoute({
    getParentRoute: () => shellRoute,
    path: "account",
    component: lazyRouteComponent(() => import("./account-page.tsx"), "AccountPage"),
  });
}
