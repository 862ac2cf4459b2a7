// Uploads in the console: files dropped anywhere, what becomes of each, and their continuation after a break.
import { randomBytes } from "node:crypto";
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser, startConsoleService, Window } from "../support/console/console.ts";
import { dropFiles, trayOf } from "../support/console/dropping.ts";
import { startBreakableProxy } from "../support/network/breakable-proxy.ts";
import { plainImage } from "../support/media/media.ts";
import type { TestService } from "../service/harness.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const text = Buffer.from("This is not a picture.");

/** A picture of some megabytes: a PNG with ballast after its end. */
async function largePicture(bytes: number): Promise<Buffer> {
  return Buffer.concat([await plainImage([20, 90, 200]), randomBytes(bytes)]);
}

async function names(service: TestService): Promise<string[]> {
  const { body } = await service.call("GET", "assets");
  return body.data.map(({ name }: { name: string }) => name).toSorted();
}

test("[CLB1] many files dropped at once go into the library; one that is refused says why", async () => {
  await using service = await startConsoleService();
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, "/library");
  const pictures = await Promise.all(
    Array.from({ length: 8 }, async (_, each) => ({ name: `Menu ${each}.png`, bytes: await plainImage([each * 30, 80, 160]) })),
  );
  const files = [...pictures, { name: "poster.jpg", bytes: text, type: "image/jpeg" }];
  await dropFiles(page, page.getByRole("main"), files, async () => {
    await page.getByText("Drop to add 9 files to the library").waitFor();
  });
  const tray = trayOf(page);
  await tray.getByRole("heading", { name: "8 files uploaded, 1 refused" }).waitFor();
  const refused = tray.getByRole("listitem").filter({ hasText: "poster.jpg" });
  await refused.getByText(/^Refused: /).waitFor();
  expect(await refused.innerText()).toMatch(/JPEG, PNG/);
  // Their previews appear in the library as soon as they are made.
  await expect.poll(() => page.getByRole("grid", { name: "Files" }).locator("img").count()).toBe(8);
  expect(await names(service)).toEqual(pictures.map(({ name }) => name));
  await tray.getByRole("button", { name: "Clear the list" }).click();
  await tray.waitFor({ state: "detached" });
  expect(window.errors.filter((error) => !error.includes("422"))).toEqual([]);
});
