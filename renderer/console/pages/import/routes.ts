// The address of the import: the kind of import is in it.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

/** The kinds of import. */
export const importKinds = ["playlists", "schedules", "media"] as const;
export type ImportKind = (typeof importKinds)[number];

export function routesOfImport<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "import",
      validateSearch: ({ of }: Record<string, unknown>): { of?: ImportKind | undefined } => ({
        of: importKinds.find((kind) => kind === of),
      }),
      component: lazyRouteComponent(() => import("./import-page.tsx"), "ImportPage"),
    }),
  ] as const;
}
