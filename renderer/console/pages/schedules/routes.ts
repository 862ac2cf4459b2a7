// The addresses of schedules: the calendar with its view and its day, a schedule, and a new one with its times.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

/** The parameters in the address of the calendar. */
export interface CalendarSearch {
  view?: "month" | "list" | undefined;
  /** The day that is shown, such as `2026-11-23`. */
  day?: string | undefined;
}

/** The times of a new schedule, such as `2026-11-23T11:00`, or dates, its layout, and the screen that it is for. */
export interface NewScheduleSearch {
  layout?: string | undefined;
  screen?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
}

const date = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const moment = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2})?$/;

/** A text of the address, if it is a time that exists. */
function timeOf(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === "string" && pattern.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

export function routesOfSchedules<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "schedules",
      component: lazyRouteComponent(() => import("./schedules-page.tsx"), "SchedulesPage"),
      validateSearch: ({ view, day }: Record<string, unknown>): CalendarSearch => ({
        view: view === "month" || view === "list" ? view : undefined,
        day: timeOf(day, date),
      }),
    }),
    createRoute({
      getParentRoute: () => shellRoute,
      path: "schedules/new",
      component: lazyRouteComponent(() => import("./form/new-schedule-page.tsx"), "NewSchedulePage"),
      validateSearch: ({ layout, screen, from, until }: Record<string, unknown>): NewScheduleSearch => ({
        layout: typeof layout === "string" && layout.startsWith("lay_") ? layout : undefined,
        screen: typeof screen === "string" && screen.startsWith("plr_") ? screen : undefined,
        from: timeOf(from, moment),
        until: timeOf(until, moment),
      }),
    }),
    createRoute({
      getParentRoute: () => shellRoute,
      path: "schedules/$id",
      component: lazyRouteComponent(() => import("./form/schedule-page.tsx"), "SchedulePage"),
    }),
  ] as const;
}
