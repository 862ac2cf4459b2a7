// The address of the library. Search, filters and the file whose details are open live in it.
import { createRoute, lazyRouteComponent, type AnyRoute } from "@tanstack/react-router";
import { assetKinds, type AssetKind } from "../../data/assets.ts";

interface LibrarySearch {
  q?: string | undefined;
  tag?: string | undefined;
  kind?: AssetKind | undefined;
  /** The bin is shown. */
  bin?: true | undefined;
  /** The file whose details are open. */
  asset?: string | undefined;
}

export function routesOfLibrary<R extends AnyRoute>(shellRoute: R) {
  return [
    createRoute({
      getParentRoute: () => shellRoute,
      path: "library",
      component: lazyRouteComponent(() => import("./library-page.tsx"), "LibraryPage"),
      validateSearch: ({ q, tag, kind, bin, asset }: Record<string, unknown>): LibrarySearch => ({
        q: textOf(q),
        tag: textOf(tag),
        kind: assetKinds.find((each) => each === kind),
        bin: bin === true ? true : undefined,
        asset: typeof asset === "string" && asset.startsWith("ast_") ? asset : undefined,
      }),
    }),
  ] as const;
}

/** A text as the service accepts it. A number in the address is a text that looks like one. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim().slice(0, 200) : "";
  return text === "" ? undefined : text;
}
