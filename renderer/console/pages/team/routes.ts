// The addresses of the team's pages.
import { createRoute, lazyRouteComponent, redirect, type AnyRoute } from "@tanstack/react-router";
import type { Schemas } from "../../../../sdk/typescript/client.ts";

type Search = Record<string, unknown>;
type AlertKind = Schemas["Alert"]["kind"];
type DeliveryStatus = Schemas["Delivery"]["status"];

// Not the schemas of src/protocol: they would be loaded with the first page.
const alertKinds: readonly AlertKind[] = ["dark", "wrong", "late", "full", "hot", "throttled"];
const deliveryStatuses: readonly DeliveryStatus[] = ["pending", "delivered", "failed", "cancelled"];

/** The value of a parameter if it is one of `options`. */
const oneOf = <T extends string>(options: readonly T[], value: unknown): T | undefined => options.find((each) => each === value);
const textIn = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** The filters of the audit log in the address. */
export interface AuditSearch {
  user?: string | undefined;
  action?: string | undefined;
  resource?: string | undefined;
}

export function routesOfTeam<R extends AnyRoute>(shellRoute: R) {
  const teamRoute = createRoute({
    getParentRoute: () => shellRoute,
    path: "team",
    component: lazyRouteComponent(() => import("./team-page.tsx"), "TeamPage"),
  });
  return teamRoute.addChildren([
    createRoute({
      getParentRoute: () => teamRoute,
      path: "/",
      beforeLoad: () => {
        throw redirect({ to: "/team/members", replace: true });
      },
    }),
    createRoute({
      getParentRoute: () => teamRoute,
      path: "members",
      component: lazyRouteComponent(() => import("./members/members-page.tsx"), "MembersPage"),
    }),
    createRoute({
      getParentRoute: () => teamRoute,
      path: "tokens",
      component: lazyRouteComponent(() => import("./tokens/tokens-page.tsx"), "TokensPage"),
    }),
    createRoute({
      getParentRoute: () => teamRoute,
      path: "sessions",
      component: lazyRouteComponent(() => import("./sessions/sessions-page.tsx"), "SessionsPage"),
    }),
    createRoute({
      getParentRoute: () => teamRoute,
      path: "webhooks",
      component: lazyRouteComponent(() => import("./webhooks/webhooks-page.tsx"), "WebhooksPage"),
    }),
    createRoute({
      getParentRoute: () => teamRoute,
      path: "webhooks/$id",
      component: lazyRouteComponent(() => import("./webhooks/webhook-page.tsx"), "WebhookPage"),
      validateSearch: ({ status }: Search): { status?: DeliveryStatus | undefined } => ({ status: oneOf(deliveryStatuses, status) }),
    }),
    createRoute({
      getParentRoute: () => teamRoute,
      path: "alerts",
      component: lazyRouteComponent(() => import("./alerts/alerts-page.tsx"), "AlertsPage"),
      validateSearch: ({ kind, state }: Search): { kind?: AlertKind | undefined; state?: "closed" | undefined } => ({
        kind: oneOf(alertKinds, kind),
        state: oneOf(["closed"], state),
      }),
    }),
    createRoute({
      getParentRoute: () => teamRoute,
      path: "audit",
      component: lazyRouteComponent(() => import("./audit/audit-page.tsx"), "AuditPage"),
      validateSearch: ({ user, action, resource }: Search): AuditSearch => ({
        user: textIn(user),
        action: textIn(action),
        resource: textIn(resource),
      }),
    }),
  ]);
}
