// The address of a screen's page: its tab and the instant that it explains are in it.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

export const screenTabs = ["overview", "preview", "health", "log", "commands", "settings"] as const;
export type ScreenTab = (typeof screenTabs)[number];

interface ScreenSearch {
  tab?: ScreenTab | undefined;
  /** The instant that "why" and the preview are about. */
  at?: string | undefined;
}

export function routesOfScreen<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "screens/$id",
      component: lazyRouteComponent(() => import("./screen-page.tsx"), "ScreenPage"),
      validateSearch: ({ tab, at }: Record<string, unknown>): ScreenSearch => {
        const screenTab = screenTabs.find((each) => each === tab);
        return {
          ...(screenTab === undefined ? {} : { tab: screenTab }),
          ...(typeof at === "string" && Number.isFinite(Date.parse(at)) ? { at } : {}),
        };
      },
    }),
  ] as const;
}
