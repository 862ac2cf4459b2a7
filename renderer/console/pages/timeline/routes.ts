// The address of the timeline: its day, how much it shows, in which time zone, and of which screens.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

export interface TimelineSearch {
  /** The first day, such as `2026-11-23`; undefined: today. */
  day?: string | undefined;
  zoom?: "day" | undefined;
  /** `own`: times of the reader, not of each screen. */
  zone?: "own" | undefined;
  view?: "table" | undefined;
  tag?: string | undefined;
  /** A part of the screens' names. */
  q?: string | undefined;
  /** In a draft: the plans as they are published, or beside those of the draft. */
  shows?: "before" | "both" | undefined;
  /** In a draft: only screens that it changes. */
  only?: true | undefined;
}

export function routesOfTimeline<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "timeline",
      component: lazyRouteComponent(() => import("./timeline-page.tsx"), "TimelinePage"),
      validateSearch: ({ day, zoom, zone, view, tag, q, shows, only }: Record<string, unknown>): TimelineSearch => ({
        day: typeof day === "string" && /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined,
        zoom: zoom === "day" ? zoom : undefined,
        zone: zone === "own" ? zone : undefined,
        view: view === "table" ? view : undefined,
        tag: typeof tag === "string" && tag !== "" ? tag : undefined,
        q: typeof q === "string" && q !== "" ? q : undefined,
        shows: shows === "before" || shows === "both" ? shows : undefined,
        only: only === true ? only : undefined,
      }),
    }),
  ] as const;
}
