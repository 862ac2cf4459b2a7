// The addresses of playlists.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

export function routesOfPlaylists<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "playlists",
      component: lazyRouteComponent(() => import("./playlists-page.tsx"), "PlaylistsPage"),
    }),
    createRoute({
      getParentRoute: () => shellRoute,
      path: "playlists/$id",
      component: lazyRouteComponent(() => import("./playlist-page.tsx"), "PlaylistPage"),
    }),
  ] as const;
}
