// The addresses of the pages for people who are not signed in.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";
import { isOwnPath } from "../../data/own-path.ts";
// Loaded at the start: it reads the address before the router does.
import "../../data/sso.ts";

interface SignInSearch {
  /** Where to go afterwards: a path of the console. */
  to?: string | undefined;
}

export function routesOfSignIn<R extends AnyRoute>(rootRoute: R) {
  return [
    createRoute({
      getParentRoute: () => rootRoute,
      path: "sign-in",
      component: lazyRouteComponent(() => import("./sign-in-page.tsx"), "SignInPage"),
      // The router keeps a parameter that is only left out, so a wrong one is replaced.
      validateSearch: ({ to }: Record<string, unknown>): SignInSearch => ({ to: isOwnPath(to) ? to : undefined }),
    }),
    createRoute({
      getParentRoute: () => rootRoute,
      path: "sign-in/sso",
      component: lazyRouteComponent(() => import("./sso-return-page.tsx"), "SsoReturnPage"),
    }),
  ] as const;
}
