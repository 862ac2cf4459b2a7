// The library in the console: find, inspect, change, replace and delete files.
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { phone } from "../support/console/console.ts";
import { SharedConsole } from "../support/console/shared.ts";
import { dropFiles, trayOf } from "../support/console/dropping.ts";
import { plainImage } from "../support/media/media.ts";
import { pdfOf } from "../support/media/pdf.ts";
import { createOtherTeam } from "../service/people/people.ts";
import type { TestService } from "../service/harness.ts";

let shared: SharedConsole;
beforeAll(async () => {
  shared = await SharedConsole.start();
});
afterAll(() => shared[Symbol.asyncDispose]());

let shade = 0;
/** Adds a picture that no other test has. */
async function addPicture(service: TestService, name: string, tags: readonly string[] = []) {
  shade += 1;
  const { body } = await service.upload(await plainImage([shade, 255 - shade, 128], 320, 180), "image/png", name);
  if (tags.length > 0) await service.call("PATCH", `assets/${body.id}`, { tags });
  return body;
}

const fileRow = (page: Page, name: string) => page.getByRole("row", { name, exact: true });
const shownNames = async (page: Page): Promise<string[]> =>
  (await page.getByRole("grid", { name: "Files" }).getByRole("row").allInnerTexts()).map((text) => text.split("\n")[0]!.trim());

test("[CLB7] search, kind and tag are in the address: a reloaded or shared link shows the same files", async () => {
  const service = await shared.newTeam();
  await addPicture(service, "Summer menu", ["menu"]);
  await addPicture(service, "Winter menu", ["menu", "winter"]);
  await addPicture(service, "100 % off_sale");
  await service.upload(pdfOf([[1, 2, 3]]), "application/pdf", "Menu as PDF");
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/library");
  await expect.poll(() => shownNames(page)).toHaveLength(4);
  await page.getByRole("searchbox", { name: "Search" }).fill("MENU");
  await expect.poll(() => shownNames(page)).toEqual(["Menu as PDF", "Winter menu", "Summer menu"]);
  await page.getByRole("button", { name: /All kinds/ }).click();
  await page.getByRole("option", { name: "Picture" }).click();
  await page.getByRole("button", { name: /All tags/ }).click();
  await page.getByRole("option", { name: "winter" }).click();
  await expect.poll(() => shownNames(page)).toEqual(["Winter menu"]);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ q: "MENU", kind: "image", tag: "winter" });
  await page.reload();
  await expect.poll(() => shownNames(page)).toEqual(["Winter menu"]);
  // Signs with a meaning in patterns are ordinary letters.
  await page.goto(`${service.service.url}/library?q=${encodeURIComponent("0 % off_")}`);
  await expect.poll(() => shownNames(page)).toEqual(["100 % off_sale"]);
  await page.getByRole("searchbox", { name: "Search" }).fill("nothing like this");
  await page.getByRole("heading", { name: "No file matches" }).waitFor();
  await page.getByRole("button", { name: "Remove the filters" }).click();
  await expect.poll(() => shownNames(page)).toHaveLength(4);
  expect(window.errors).toEqual([]);
});

test("[CLB8] a file's details say where it is used; another takes its place everywhere, and undo puts it back", async () => {
  const service = await shared.newTeam();
  const old = await addPicture(service, "Old menu");
  const device = await service.pairDevice("Counter");
  const { playlist, layout } = await service.createLayout([{ type: "image", asset_id: old.id, duration_ms: 5_000 }]);
  await service.call("PATCH", `players/${device.playerId}`, { layout_id: layout.id });
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/library");
  await fileRow(page, "Old menu").click();
  const details = page.getByRole("dialog");
  await details.getByText("Playlist “P”, 1 item").waitFor();
  await details.getByText("Layout “L”").waitFor();
  await details.getByText("1 screen: Counter").waitFor();
  await details.getByRole("button", { name: "Delete" }).click();
  await details.getByRole("alert").getByText("Playlists show this asset: “P”").waitFor();
  await details.getByRole("button", { name: "Replace everywhere" }).click();
  // The other file is dropped into the dialog, not only into the library.
  const bytes = await plainImage([200, 10, 10]);
  await dropFiles(page, page.getByRole("dialog"), [{ name: "New menu.png", bytes }], async () => {
    await page.getByText("Drop to use it here").waitFor();
  });
  await page.getByText("“Old menu” becomes “New menu.png” here:").waitFor();
  await page.getByText("1 screen changes.").waitFor();
  await page.getByRole("button", { name: "Replace everywhere" }).click();
  await page.getByText("“Old menu” is replaced by “New menu.png” in 1 place").waitFor();
  const shown = async () => (await service.call("GET", `playlists/${playlist.id}`)).body.items[0].asset_id;
  expect(await shown()).not.toBe(old.id);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("“Old menu” is back in its places").waitFor();
  expect(await shown()).toBe(old.id);
  expect(window.errors.filter((error) => !error.includes("409"))).toEqual([]);
});

test("[CLB9] what is deleted goes to the bin, from where it is restored or deleted for good after a question", async () => {
  const service = await shared.newTeam();
  for (const name of ["One", "Two", "Three"]) await addPicture(service, name);
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/library");
  for (const name of ["One", "Two"]) await fileRow(page, name).getByRole("checkbox").click({ force: true });
  await page.getByRole("status").getByText("2 files selected").waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("2 files are in the bin").waitFor();
  await expect.poll(() => shownNames(page)).toEqual(["Three"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => shownNames(page)).toHaveLength(3);
  await fileRow(page, "Two").click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("“Two” is in the bin").waitFor();
  await page.getByRole("button", { name: "Bin" }).click();
  await expect.poll(() => shownNames(page)).toEqual(["Two"]);
  expect(new URL(page.url()).searchParams.get("bin")).toBe("true");
  await fileRow(page, "Two").click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("heading", { name: "Delete “Two” for good?" }).waitFor();
  await question.getByRole("button", { name: "Delete for good" }).click();
  await page.getByRole("heading", { name: "The bin is empty" }).waitFor();
  expect((await service.call("GET", "assets?deleted=true")).body.data).toEqual([]);
  expect(window.errors).toEqual([]);
});

test("[CLB10] by keyboard alone a person uploads a file, opens it, renames it, tags it, selects it and deletes it", async () => {
  const service = await shared.newTeam();
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/library");
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload files" }).first().focus();
  await page.keyboard.press("Enter");
  await (await choosing).setFiles([{ name: "Typed.png", mimeType: "image/png", buffer: await plainImage([7, 7, 7]) }]);
  await trayOf(page).getByRole("heading", { name: "1 file uploaded" }).waitFor();
  await fileRow(page, "Typed.png").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Name" }).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Menu of the day");
  await page.keyboard.press("Tab");
  // The second tag is typed before the first is saved.
  const isTyped = Promise.withResolvers<void>();
  await page.route(/\/assets\/ast_/, async (route) => {
    if (route.request().method() === "PATCH") await isTyped.promise;
    await route.continue();
  });
  await page.getByRole("textbox", { name: "Tags" }).focus();
  await page.keyboard.type("menu, café");
  await page.keyboard.press("Enter");
  await page.getByRole("grid", { name: "Tags" }).getByRole("row", { name: "café" }).waitFor();
  isTyped.resolve();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => shownNames(page)).toEqual(["Menu of the day"]);
  const stored = async () => {
    const [{ name, tags }] = (await service.call("GET", "assets")).body.data;
    return [name, tags];
  };
  await expect.poll(stored).toEqual(["Menu of the day", ["menu", "café"]]);
  await fileRow(page, "Menu of the day").focus();
  await page.keyboard.press("Space");
  await page.getByRole("status").getByText("1 file selected").waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("“Menu of the day” is in the bin").waitFor();
  await page.getByRole("heading", { name: "Your library is empty" }).waitFor();
  expect(window.errors).toEqual([]);
});

test("[CLB11] names from people are only text, and even the longest leaves a phone's page without sideways scrolling", async () => {
  const service = await shared.newTeam();
  const hostile = ["<img src=x onerror=alert(1)>", "a".repeat(200), "قائمة الطعام", "☕🥐👩‍🍳", "{count, plural}", "../../etc/passwd"];
  for (const name of hostile) await addPicture(service, name, [name]);
  const window = await shared.window(phone);
  const { page } = window;
  await window.signIn(service, "/library");
  await expect.poll(async () => (await shownNames(page)).toSorted()).toEqual(hostile.toSorted());
  const isWide = () => page.evaluate("document.documentElement.scrollWidth > innerWidth");
  expect(await isWide()).toBe(false);
  for (const name of hostile.slice(0, 3)) {
    await fileRow(page, name).tap();
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe(name);
    expect(await isWide()).toBe(false);
    expect(
      await page.evaluate("document.querySelector('.dialog-content').scrollWidth <= document.querySelector('.dialog-content').clientWidth"),
    ).toBe(true);
    await page.getByRole("button", { name: "Close" }).tap();
  }
  expect(window.errors).toEqual([]);
});

test("[CLB12] a team sees only its own files, also by a link to another team's file", async () => {
  const service = await shared.newTeam();
  const foreign = await addPicture(service, "Ours");
  const stranger = await createOtherTeam(service);
  await stranger.call("POST", "assets?name=Theirs", await plainImage([3, 3, 3]), { "content-type": "image/png" });
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/library", stranger.secret);
  await expect.poll(() => shownNames(page)).toEqual(["Theirs"]);
  await page.goto(`${service.service.url}/library?asset=${foreign.id}`);
  await page.getByRole("dialog").getByRole("alert").waitFor();
  expect(await page.getByText("Ours").count()).toBe(0);
  expect(window.errors.filter((error) => !error.includes("404"))).toEqual([]);
});

test("[CLB13] a file is fetched from an address; an address in the service's own network is refused with the reason", async () => {
  const service = await shared.newTeam();
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/library");
  await page.getByRole("button", { name: "Import from an address" }).click();
  await page.getByRole("textbox", { name: "Address" }).fill("ftp://example.com/menu.jpg");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("must be an http:// or https:// address").waitFor();
  await page.getByRole("textbox", { name: "Address" }).fill(`${service.service.url}/icon.svg`);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("“icon.svg” is being fetched").waitFor();
  await page.getByText("Not fetched").waitFor();
  await fileRow(page, "icon.svg").click();
  await page.getByRole("dialog").getByText("--allow-address").waitFor();
  expect(window.errors.filter((error) => !error.includes("422"))).toEqual([]);
});
