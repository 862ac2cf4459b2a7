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
        ...namedIn("players", players),
        ...namedIn("tags", tags),
      }),
    }),
  ] as const;
}

/** Links may give one or several. */
function namedIn(field: "players" | "tags", value: unknown): ShowSearch {
  const all = typeof value === "string" ? [value] : value;
  return Array.isArray(all) && all.every((each) => typeof each === "string") ? { [field]: all } : {};
}
