// The addresses of the console. Each area brings its own routes; its pages are loaded when they are first opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { queryClient } from "../data/query-client.ts";
import { sessionQuery } from "../data/session.ts";
import { routesOfSignIn } from "../pages/sign-in/routes.ts";
import { FailedPage, MissingPage } from "./failed-page.tsx";
import { Root } from "./root.tsx";
import { Shell } from "./shell.tsx";

export const rootRoute = createRootRoute({ component: Root, errorComponent: FailedPage, notFoundComponent: MissingPage });

/** The parent of all pages for which somebody must be signed in. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  component: Shell,
  errorComponent: FailedPage,
  notFoundComponent: MissingPage,
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    // Only the path, so that nobody can be sent to another website.
    if (session === null) throw redirect({ to: "/sign-in", search: { to: location.href === "/" ? undefined : location.href } });
  },
});

const screensRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/screens/screens-page.tsx"), "ScreensPage"),
});

/** Any other address: inside the frame, from where a person goes on. */
const missingRoute = createRoute({ getParentRoute: () => shellRoute, path: "$", component: MissingPage });

const routeTree = rootRoute.addChildren([...routesOfSignIn(rootRoute), shellRoute.addChildren([screensRoute, missingRoute])]);

export function createConsoleRouter() {
  return createRouter({
    routeTree,
    basepath: new URL(document.baseURI).pathname,
    defaultPreload: "intent",
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
