// The addresses of the console. Each area brings its own routes; its pages are loaded when they are first opened.
import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { queryClient } from "../data/query-client.ts";
import { sessionQuery } from "../data/session.ts";
import { routesOfAccount } from "../pages/account/routes.ts";
import { routesOfBulk } from "../pages/bulk/routes.ts";
import { routesOfCalendars } from "../pages/calendars/routes.ts";
import { routesOfEnrolment } from "../pages/enrolment/routes.ts";
import { routesOfLayouts } from "../pages/layouts/routes.ts";
import { routesOfImport } from "../pages/import/routes.ts";
import { routesOfLibrary } from "../pages/library/routes.ts";
import { routesOfPairing } from "../pages/pair/routes.ts";
import { routesOfDrafts } from "../pages/drafts/routes.ts";
import { routesOfReports, routesOfSharedReports } from "../pages/reports/routes.ts";
import { routesOfScreen } from "../pages/screen/routes.ts";
import { routesOfScreens } from "../pages/screens/routes.ts";
import { routesOfSignIn } from "../pages/sign-in/routes.ts";
import { routesOfPlaylists } from "../pages/playlists/routes.ts";
import { routesOfSchedules } from "../pages/schedules/routes.ts";
import { routesOfShow } from "../pages/show/routes.ts";
import { routesOfTakeover } from "../pages/takeover/routes.ts";
import { routesOfTeam } from "../pages/team/routes.ts";
import { routesOfTimeline } from "../pages/timeline/routes.ts";
import { FailedPage, MissingPage } from "./failed-page.tsx";
import { Root } from "./root.tsx";
import { Shell } from "./shell.tsx";

const rootRoute = createRootRoute({ component: Root, errorComponent: FailedPage, notFoundComponent: MissingPage });

/** The parent of all pages for which somebody must be signed in. */
const shellRoute = createRoute({
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

/** Any other address: inside the frame, from where a person goes on. */
const missingRoute = createRoute({ getParentRoute: () => shellRoute, path: "$", component: MissingPage });

const routeTree = rootRoute.addChildren([
  ...routesOfSignIn(rootRoute),
  ...routesOfSharedReports(rootRoute),
  shellRoute.addChildren([
    ...routesOfScreens(shellRoute),
    ...routesOfScreen(shellRoute),
    ...routesOfPairing(shellRoute),
    ...routesOfEnrolment(shellRoute),
    ...routesOfBulk(shellRoute),
    ...routesOfLibrary(shellRoute),
    ...routesOfImport(shellRoute),
    ...routesOfShow(shellRoute),
    ...routesOfTakeover(shellRoute),
    ...routesOfPlaylists(shellRoute),
    ...routesOfLayouts(shellRoute),
    ...routesOfSchedules(shellRoute),
    ...routesOfCalendars(shellRoute),
    ...routesOfTimeline(shellRoute),
    ...routesOfDrafts(shellRoute),
    routesOfReports(shellRoute),
    routesOfTeam(shellRoute),
    routesOfAccount(shellRoute),
    missingRoute,
  ]),
]);

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
