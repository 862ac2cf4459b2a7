// Bringing along playlists from a table, files from a folder and from addresses.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { picture } from "../../service/harness.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test("[IMP14] the console checks a table as soon as it is there, shows what is wrong with which line, and imports the rest", async () => {
  await using service = await startConsoleService();
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, "/playlists");
  await page.getByRole("link", { name: "Import a table" }).first().click();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a table" }).click();
  const csv = "playlist;type;text;duration\nLunch;text;Soupe à l’oignon;8\nLunch;text;;8\nLunch;text;Salad;soon\n";
  // As western Windows saves it.
  const buffer = Buffer.from(csv.replace("’", "\u0092"), "latin1");
  await (await chooser).setFiles({ name: "menu.csv", mimeType: "text/csv", buffer });
  const faults = page.getByRole("region", { name: "2 lines cannot be imported" });
  await faults.getByRole("row", { name: /^3 text / }).waitFor();
  await faults.getByRole("row", { name: "4 duration must be seconds such as 12.5, or minutes and seconds such as 1:05" }).waitFor();
  expect((await service.call("GET", "playlists")).body.data).toEqual([]);
  await page.getByRole("button", { name: "Import 1 playlist without the lines that are wrong" }).click();
  await page.getByRole("region", { name: "Imported" }).getByRole("link", { name: "Lunch" }).click();
  await page.getByText("1 item · Saved").waitFor();
  await page.getByRole("row", { name: "Soupe à l’oignon", exact: true }).waitFor();

  await page.goto(`${service.service.url}/import?of=schedules`);
  await service.call("POST", "layouts", { name: "Menu", width: 100, height: 100 });
  await page
    .getByLabel("Or paste it here")
    .fill("name,layout,screens,first_day,days,from,until\nLunch,Menu,*,2026-11-23,MO-FR,11:00,14:00");
  await page.getByRole("button", { name: "Import 1 schedule" }).click();
  await page.getByRole("region", { name: "Imported" }).getByText("Lunch").waitFor();
  expect((await service.call("GET", "schedules")).body.data).toMatchObject([{ name: "Lunch", rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR" }]);
  expect(window.errors).toEqual([]);
});

test("[IMP15] files of a folder get its names as tags and become a playlist; addresses are fetched, and those refused stay", async () => {
  await using service = await startConsoleService();
  await using folder = await temporaryFolder();
  const inner = join(folder.path, "Summer", "Drinks");
  await mkdir(inner, { recursive: true });
  await writeFile(join(folder.path, "Summer", "a.jpg"), await picture("jpeg"));
  await writeFile(join(inner, "b.png"), await picture("png"));
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, "/import?of=media");
  await page.getByLabel("Make a playlist of each folder").check({ force: true });
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a folder" }).click();
  await (await chooser).setFiles(join(folder.path, "Summer"));
  await page.getByText("2 playlists made: Summer, Drinks").waitFor();
  const { data } = (await service.call("GET", "assets")).body;
  const tags = new Map(data.map((asset: { name: string; tags: string[] }) => [asset.name, asset.tags]));
  expect([tags.get("a.jpg"), tags.get("b.png")]).toEqual([["Summer"], ["Summer", "Drinks"]]);

  await page.getByLabel("Addresses, one in each line").fill("https://media.example.com/poster.jpg\nnowhere");
  await page.getByRole("button", { name: "Import 2 files" }).click();
  await page.getByText("1 file is on the way").waitFor();
  await page.getByText("1 address was refused").waitFor();
  expect(await page.getByLabel("Addresses, one in each line").inputValue()).toBe("nowhere");
  await eventually(async () => (await service.call("GET", "assets")).body.data.length === 3);
  expect(window.errors.filter((error) => !error.includes("422"))).toEqual([]);
});
