// The addresses of showing something for a time.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

interface ShowSearch {
  /** The file to show, by its id. */
  asset?: string | undefined;
  /** Where, by ids and tags. */
  players?: string[] | undefined;
  tags?: string[] | undefined;
}

export function routesOfShow<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "show",
      component: lazyRouteComponent(() => import("./show-page.tsx"), "ShowPage"),
      validateSearch: ({ asset, players, tags }: Record<string, unknown>): ShowSearch => ({
        ...(typeof asset === "string" ? { asset } : {}),
        ...(isTexts(players) ? { players } : {}),
        ...(isTexts(tags) ? { tags } : {}),
      }),
    }),
  ] as const;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
