// The addresses of reports, and of the page by which people without an account read one.
import { createRoute, lazyRouteComponent, redirect, type AnyRoute } from "@tanstack/react-router";
import { validateSearch } from "./search.ts";

export function routesOfReports<R extends AnyRoute>(shellRoute: R) {
  const reportsRoute = createRoute({
    getParentRoute: () => shellRoute,
    path: "reports",
    component: lazyRouteComponent(() => import("./reports-page.tsx"), "ReportsPage"),
    validateSearch,
  });
  return reportsRoute.addChildren([
    createRoute({
      getParentRoute: () => reportsRoute,
      path: "/",
      beforeLoad: ({ search }) => {
        throw redirect({ to: "/reports/plays", search, replace: true });
      },
    }),
    createRoute({
      getParentRoute: () => reportsRoute,
      path: "plays",
      component: lazyRouteComponent(() => import("./report-page.tsx"), "PlaysPage"),
    }),
    createRoute({
      getParentRoute: () => reportsRoute,
      path: "uptime",
      component: lazyRouteComponent(() => import("./report-page.tsx"), "UptimePage"),
    }),
    createRoute({
      getParentRoute: () => reportsRoute,
      path: "planned",
      component: lazyRouteComponent(() => import("./report-page.tsx"), "PlannedPage"),
    }),
    createRoute({
      getParentRoute: () => reportsRoute,
      path: "links",
      component: lazyRouteComponent(() => import("./links/links-page.tsx"), "LinksPage"),
    }),
  ]);
}

export function routesOfSharedReports<R extends AnyRoute>(rootRoute: R) {
  return [
    createRoute({
      getParentRoute: () => rootRoute,
      path: "r/$secret",
      component: lazyRouteComponent(() => import("./links/shared-report-page.tsx"), "SharedReportPage"),
    }),
  ] as const;
}
