// The addresses of calendars: all of them, one, and a new one.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

export function routesOfCalendars<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "calendars",
      component: lazyRouteComponent(() => import("./calendars-page.tsx"), "CalendarsPage"),
    }),
    createRoute({
      getParentRoute: () => shellRoute,
      path: "calendars/new",
      component: lazyRouteComponent(() => import("./new-calendar-page.tsx"), "NewCalendarPage"),
    }),
    createRoute({
      getParentRoute: () => shellRoute,
      path: "calendars/$id",
      component: lazyRouteComponent(() => import("./calendar-page.tsx"), "CalendarPage"),
    }),
  ] as const;
}
