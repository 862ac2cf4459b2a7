// The actions of a person on files of the library, one or many at once.
import { client } from "./client.ts";
import type { Asset } from "./assets.ts";
import { queryClient } from "./query-client.ts";

/** The outcome of an action on several files. */
export interface ActionResult {
  successes: readonly Asset[];
  failures: readonly { asset: Asset; error: unknown }[];
}

const mostAtOnce = 4;

/** Moves files to the bin. Those that something uses stay. */
export function deleteAssets(assets: readonly Asset[]): Promise<ActionResult> {
  return forEach(assets, ({ id }) => client.delete("/api/v1/assets/{id}", { params: { path: { id } } }));
}

/** Brings files back from the bin. */
export function restoreAssets(assets: readonly Asset[]): Promise<ActionResult> {
  return forEach(assets, ({ id }) => client.post("/api/v1/assets/{id}/restore", { params: { path: { id } } }));
}

/** Deletes files for good. */
export function eraseAssets(assets: readonly Asset[]): Promise<ActionResult> {
  return forEach(assets, ({ id }) => client.delete("/api/v1/assets/{id}", { params: { path: { id }, query: { permanent: "true" } } }));
}

/** Gives files a tag more. */
export function tagAssets(assets: readonly Asset[], tag: string): Promise<ActionResult> {
  return forEach(assets, ({ id, tags }) =>
    client.patch("/api/v1/assets/{id}", { params: { path: { id } }, body: { tags: [...tags, tag] } }),
  );
}

async function forEach(assets: readonly Asset[], act: (asset: Asset) => Promise<unknown>): Promise<ActionResult> {
  const successes: Asset[] = [];
  const failures: { asset: Asset; error: unknown }[] = [];
  const waiting = assets.values();
  const work = async (): Promise<void> => {
    // All workers take from the same iterator.
    for (const asset of waiting) {
      try {
        await act(asset);
        successes.push(asset);
      } catch (error) {
        failures.push({ asset, error });
      }
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, work));
  await queryClient.invalidateQueries({ queryKey: ["assets"] });
  return { successes, failures };
}
