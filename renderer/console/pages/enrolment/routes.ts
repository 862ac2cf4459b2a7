// The addresses of enrolment keys.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

export function routesOfEnrolment<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "enrolment",
      component: lazyRouteComponent(() => import("./enrolment-page.tsx"), "EnrolmentPage"),
    }),
  ] as const;
}
