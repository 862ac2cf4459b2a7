// The addresses of pairing.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";

export interface PairSearch {
  /** The code on the screen, from its QR code. */
  code?: string | undefined;
  /** The player that was just added. */
  added?: string | undefined;
}

export function routesOfPairing<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "pair",
      component: lazyRouteComponent(() => import("./pair-page.tsx"), "PairPage"),
      validateSearch: ({ code, added }: Record<string, unknown>): PairSearch => ({
        ...(typeof code === "string" ? { code: code.slice(0, 32) } : {}),
        ...(typeof added === "string" && /^plr_[0-9a-z]{26}$/.test(added) ? { added } : {}),
      }),
    }),
  ] as const;
}
