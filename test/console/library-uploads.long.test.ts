// Uploads in the console: files dropped anywhere, what becomes of each, and their continuation after a break.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { phone, startBrowser, startConsoleService, Window } from "../support/console/console.ts";
import { dropFiles, trayOf } from "../support/console/dropping.ts";
import { startBreakableProxy } from "../support/network/breakable-proxy.ts";
import { plainImage } from "../support/media/media.ts";
import type { TestService } from "../service/harness.ts";
import { inviteMember, owner } from "../service/people/people.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

// The machine may be busy with other tests.
const patient = { timeout: 20_000 };
const text = Buffer.from("This is not a picture.");

/** A picture of 24 MB: a PNG with zeros after its end. */
async function largePicture() {
  return { name: "Long film.png", bytes: await plainImage([20, 90, 200]), padding: 24_000_000 };
}

/** Opens the library at an address of the service as the member that the secret of a sign-in link is for. */
async function openLibrary({ context, page }: Window, url: string, secret: string): Promise<void> {
  // The browser keeps the cookie of the response.
  await context.request.post(`${url}/api/v1/session`, { headers: { origin: url }, data: { method: "link", secret } });
  await page.goto(`${url}/library`);
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
  await expect.poll(() => page.getByRole("grid", { name: "Files" }).locator("img").count(), patient).toBe(8);
  expect(await names(service)).toEqual(pictures.map(({ name }) => name));
  await tray.getByRole("button", { name: "Clear the list" }).click();
  await tray.waitFor({ state: "detached" });
  expect(window.errors.filter((error) => !error.includes("422"))).toEqual([]);
});

test("[CLB2] an upload continues where it stopped when the network broke and returned", async () => {
  await using service = await startConsoleService();
  await using network = await startBreakableProxy(Number(new URL(service.service.url).port));
  await using window = await Window.open(browser);
  const { page } = window;
  const { body } = await service.call("POST", "sign-in-links", {});
  await openLibrary(window, network.url, body.secret);
  await page.getByText("Your library is empty").waitFor();
  const file = await largePicture();
  const before = network.sentBytes;
  // In the second part, which the first part's arrival must not begin again.
  const broken = network.breakAfter(20_000_000);
  await dropFiles(page, page.getByRole("main"), [file]);
  await broken;
  const tray = trayOf(page);
  await tray.getByText("The connection is lost. It continues by itself.").waitFor();
  network.mend();
  await tray.getByRole("heading", { name: "1 file uploaded" }).waitFor();
  expect(await names(service)).toEqual(["Long film.png"]);
  // All bytes once, and at most what was on its way when the network broke.
  expect(network.sentBytes - before).toBeLessThan(file.padding + 8_000_000);
});

test("[CLB3] leaving the page asks while uploads run; an interrupted one continues when its file is chosen again", async () => {
  await using service = await startConsoleService();
  await using network = await startBreakableProxy(Number(new URL(service.service.url).port));
  await using window = await Window.open(browser);
  const { page } = window;
  const { body } = await service.call("POST", "sign-in-links", {});
  await openLibrary(window, network.url, body.secret);
  await page.getByText("Your library is empty").waitFor();
  const file = await largePicture();
  const broken = network.breakAfter(20_000_000);
  await dropFiles(page, page.getByRole("main"), [file]);
  await broken;
  await trayOf(page).getByText("The connection is lost").waitFor();
  const asked = page.waitForEvent("dialog");
  network.mend();
  const reloading = page.reload();
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.accept();
  await reloading;
  const row = trayOf(page).getByRole("listitem").filter({ hasText: "Long film.png" });
  await row.getByText("Choose the same file again").waitFor();
  const before = network.sentBytes;
  await dropFiles(page, page.getByRole("main"), [file]);
  await trayOf(page).getByRole("heading", { name: "1 file uploaded" }).waitFor();
  expect(await names(service)).toEqual(["Long film.png"]);
  expect(network.sentBytes - before).toBeLessThan(file.padding / 2);
});

test("[CLB4] files that are dropped or pasted on any page land in the library, also on a phone", async () => {
  await using service = await startConsoleService();
  await using window = await Window.open(browser, phone);
  const { page } = window;
  await window.signIn(service);
  await dropFiles(page, page.getByRole("main"), [{ name: "Dropped.png", bytes: await plainImage([1, 2, 3]) }]);
  await trayOf(page).getByRole("heading", { name: "1 file uploaded" }).waitFor();
  const pasted = (await plainImage([9, 9, 9])).toString("base64");
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([Uint8Array.fromBase64(${JSON.stringify(pasted)})], "Pasted.png"));
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  })()`);
  await trayOf(page).getByRole("heading", { name: "2 files uploaded" }).waitFor();
  expect(await names(service)).toEqual(["Dropped.png", "Pasted.png"]);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  expect(window.errors).toEqual([]);
});

test("[CLB5] a file that the library has already is not added again; the tray says under which name it is there", async () => {
  await using service = await startConsoleService();
  const bytes = await plainImage([40, 50, 60]);
  await service.upload(bytes, "image/png", "Menu of June");
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, "/library");
  await dropFiles(page, page.getByRole("main"), [{ name: "menu-final-2.png", bytes }]);
  await trayOf(page).getByText("Already in the library as “Menu of June”").waitFor();
  expect(await names(service)).toEqual(["Menu of June"]);
  expect(window.errors).toEqual([]);
});

test("[CLB6] a person who may only look cannot add files, and learns whom to ask", async () => {
  await using service = await startConsoleService();
  const viewer = await inviteMember(service, await owner(service), "viewer");
  await using window = await Window.open(browser);
  const { page } = window;
  const { body } = await service.call("POST", "sign-in-links", { user_id: viewer.userId });
  await openLibrary(window, service.service.url, body.secret);
  await page.getByText("Your library is empty").waitFor();
  expect(await page.getByRole("button", { name: "Upload files" }).count()).toBe(0);
  await dropFiles(page, page.getByRole("main"), [{ name: "Menu.png", bytes: await plainImage([1, 1, 1]) }], async () => {
    await page.getByText("Your role may not add files").waitFor();
  });
  expect(await names(service)).toEqual([]);
  expect(window.errors).toEqual([]);
});
