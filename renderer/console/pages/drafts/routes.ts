// The addresses of drafts and versions.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

/** Which drafts the list shows; by default those that are not published. */
export interface DraftsSearch {
  show?: "published" | undefined;
}

/** Whose versions the list shows; by default those of all content. */
export interface VersionsSearch {
  of?: string | undefined;
}

const resource = /^(?:pls|lay|sch)_[0-9a-z]{26}$/;

export function routesOfDrafts<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "drafts",
      component: lazyRouteComponent(() => import("./drafts-page.tsx"), "DraftsPage"),
      validateSearch: ({ show }: Record<string, unknown>): DraftsSearch => ({ show: show === "published" ? show : undefined }),
    }),
    createRoute({
      getParentRoute: () => shellRoute,
      path: "drafts/$id",
      component: lazyRouteComponent(() => import("./draft-page.tsx"), "DraftPage"),
    }),
    createRoute({
      getParentRoute: () => shellRoute,
      path: "versions",
      component: lazyRouteComponent(() => import("./versions/versions-page.tsx"), "VersionsPage"),
      validateSearch: ({ of }: Record<string, unknown>): VersionsSearch => ({
        of: typeof of === "string" && resource.test(of) ? of : undefined,
      }),
    }),
    createRoute({
      getParentRoute: () => shellRoute,
      path: "versions/$number",
      component: lazyRouteComponent(() => import("./versions/version-page.tsx"), "VersionPage"),
    }),
  ] as const;
}
