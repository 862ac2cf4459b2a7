// Pages that stand still while they load: a tap whose button moves away while it is under way is lost.
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, phone } from "../../support/console/console.ts";
import { SharedConsole } from "../../support/console/shared.ts";

let shared: SharedConsole;
beforeAll(async () => {
  shared = await SharedConsole.start({ hasPreviews: false });
});
afterAll(() => shared[Symbol.asyncDispose]());

/** Lets the page wait for what `address` matches until the returned function is called. */
async function hold(page: Page, address: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    await promise;
    await route.fallback();
  });
  return resolve;
}

test.for([
  ["a phone", phone],
  ["a desktop", desktop],
] as const)(
  "[CFR33] a page does not move when a notice, or the line about its last change, arrives after its content: on %s",
  async ([, options]) => {
    const service = await shared.newTeam();
    const items = [{ type: "text", text: "One", duration_ms: 5_000 }];
    const { body: playlist } = await service.call("POST", "playlists", { name: "Loop", items });
    const window = await shared.window(options);
    const { page } = window;
    // The notice is in the page's first script now; when it had a file of its own, it came after the content.
    const release = await hold(page, /link-notices|\/versions\b/);
    await window.signIn(service, `/playlists/${playlist.id}`);
    const top = (): Promise<number> =>
      page.getByRole("row", { name: "One", exact: true }).evaluate((row) => Math.round(row.getBoundingClientRect().top));
    const before = await top();
    release();
    await page.getByText("Changed by you").waitFor();
    await page.getByText("made the link that signed you in").waitFor();
    expect(await top()).toBe(before);
    expect(window.errors).toEqual([]);
  },
);
