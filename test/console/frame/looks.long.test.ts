import { expect, test } from "vitest";
import { heartbeat, picture } from "../../service/harness.ts";
import { phone, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";

const long = `Reception ${"of the house ".repeat(14)}`.trim();

test("[CFR30] a text that is cut off is whole in its tooltip", { timeout: 120_000 }, async () => {
  await using service = await startConsoleService();
  await using browser = await startBrowser();
  const device = await service.pairDevice(long);
  await service.pairDevice("Hall");
  await device.call("POST", "heartbeat", heartbeat());
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service);
  const heading = (name: string) => page.getByRole("heading", { level: 3, name, exact: true });
  // The link lies over the name, and fills the whole card.
  await page.getByRole("link", { name: long }).hover();
  expect(await heading(long).getAttribute("title")).toBe(long);
  await page.getByRole("link", { name: "Hall" }).hover();
  expect(await heading("Hall").getAttribute("title")).toBeNull();
  expect(window.errors).toEqual([]);
});

/** The size of the smallest letters in the fields of a page. */
const smallest = `Math.min(...[...document.querySelectorAll(".input")].map((each) => Number.parseFloat(getComputedStyle(each).fontSize)))`;

test("[CFR31] under a finger, the letters in fields are 16 px, so that iOS does not zoom", { timeout: 120_000 }, async () => {
  await using service = await startConsoleService();
  await using browser = await startBrowser();
  await service.pairDevice("Hall");
  // An empty library has nothing to search.
  await service.upload(await picture("png", 8));
  await using window = await Window.open(browser, phone);
  const { page } = window;
  await window.signIn(service);
  for (const [address, field] of [
    ["/", "Search screens"],
    ["/library", "Search by name"],
    ["/takeover", "Message"],
    ["/pair", "Name"],
    ["/team/audit", "Id of what was changed"],
    ["/account", "Name"],
  ] as const) {
    await page.goto(service.service.url + address);
    await page.getByLabel(field, { exact: true }).first().waitFor();
    expect(await page.evaluate(smallest), address).toBeGreaterThanOrEqual(16);
  }
  expect(window.errors).toEqual([]);
});
