// Opens every page of the console: those of the route tree, so that a new page is tested without being named here.
import { expect } from "vitest";
import type { Page } from "playwright";
import type { IdPool } from "../../service/populate-team.ts";

/** What the parameter of an address stands for: an id, or the secret of a link that the hostile team has made. */
const idKinds: Readonly<Record<string, string>> = {
  screens: "plr",
  playlists: "pls",
  layouts: "lay",
  library: "ast",
  assets: "ast",
  webhooks: "whk",
  schedules: "sch",
  calendars: "cal",
  batches: "cmb",
  drafts: "drf",
  versions: "version number",
  r: "shared report",
};

/** The addresses of all pages, after the console has started in `page`. */
export async function addressesOf(page: Page, pool: IdPool): Promise<readonly string[]> {
  const paths = (await page.evaluate("Object.keys(globalThis.__TSR_ROUTER__.routesByPath)")) as string[];
  const addresses = paths.map((path) =>
    // The route of all other addresses.
    path.replace(/\/\$$/, "/nothing").replaceAll(/\/([a-z-]+)\/\$\w+/g, (_whole, noun: string) => {
      const id = pool.get(idKinds[noun] ?? "");
      expect(id, `say in idKinds of this file what the parameter of ${path} is`).toBeDefined();
      return `/${noun}/${id}`;
    }),
  );
  expect(addresses).toContain("/");
  return [...new Set(addresses)];
}

/** Opens an address and waits until its page is complete. */
export async function openPage(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "networkidle", timeout: 60_000 });
  await page.locator("h1").first().waitFor();
}
