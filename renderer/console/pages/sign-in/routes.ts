// The addresses of the pages for people who are not signed in.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

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
      // What is left out here would stay as it is in the address: the router adds to it, and takes nothing away.
      validateSearch: ({ to }: Record<string, unknown>): SignInSearch => ({ to: isOwnPath(to) ? to : undefined }),
    }),
  ] as const;
}

/** Whether a text is a path of this website: `//elsewhere` and `/\elsewhere` are other websites to a browser, which also ignores tabs. */
function isOwnPath(to: unknown): to is string {
  if (typeof to !== "string" || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to) || !URL.canParse(to, location.origin)) return false;
  const { origin, pathname } = new URL(to, location.origin);
  return origin === location.origin && !pathname.startsWith("//");
}
