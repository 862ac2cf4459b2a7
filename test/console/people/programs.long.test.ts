// Programs: tokens, webhooks with their deliveries, and the audit log.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { phone, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { Receiver } from "../../service/events/receiver.ts";
import { call } from "../../service/harness.ts";

const pollOptions = { timeout: 30_000 };

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test(
  "[CPP4] a token is created with a suggestion, its secret is shown once and works, and after revoking it no longer does, by keyboard alone",
  { timeout: 120_000 },
  async () => {
    await using service = await startConsoleService();
    await using window = await Window.open(browser);
    await window.signIn(service, "/team/tokens");
    const { page } = window;
    const { keyboard } = page;
    const create = page.getByRole("button", { name: "Create a token" });
    await create.focus();
    await keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    // The name has the focus; the suggestions follow it.
    await keyboard.type("Menu from the till");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    expect(await dialog.getByRole("checkbox", { name: "Change: Playlists" }).isChecked()).toBe(true);
    expect(await dialog.getByRole("checkbox", { name: "Read: Audit log" }).isChecked()).toBe(false);
    await dialog.getByLabel("Name").focus();
    await keyboard.press("Enter");
    const done = page.getByRole("alertdialog");
    const secret = await done.getByLabel("Secret").inputValue();
    const use = () => call(service.service.url, "POST", "playlists", { name: "Menu" }, { authorization: `Bearer ${secret}` });
    expect((await use()).status).toBe(201);
    expect((await call(service.service.url, "GET", "audit", undefined, { authorization: `Bearer ${secret}` })).status).toBe(403);
    await done.getByRole("button", { name: "Done" }).focus();
    await keyboard.press("Enter");

    const row = page.getByRole("row", { name: /Menu from the till/ });
    await row.waitFor();
    expect(await page.content()).not.toContain(secret);
    await row.getByRole("button", { name: "More for Menu from the till" }).focus();
    await keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    await keyboard.press("End");
    await keyboard.press("Enter");
    const confirm = page.getByRole("alertdialog");
    await confirm.getByRole("button", { name: "Revoke" }).focus();
    await keyboard.press("Enter");
    await page.getByText("Menu from the till was revoked").waitFor();
    await row.waitFor({ state: "detached" });
    expect((await use()).status).toBe(401);
    expect(window.errors).toEqual([]);
  },
);

test(
  "[CPP5] a webhook is added, tested and repaired: the test and a delivery sent again tell what the receiver answered",
  { timeout: 120_000 },
  async () => {
    await using service = await startConsoleService({ allowAddresses: ["127.0.0.0/8"] });
    await using receiver = await Receiver.start();
    await using window = await Window.open(browser);
    await window.signIn(service, "/team/webhooks");
    const { page } = window;
    await page.getByRole("button", { name: "Add a webhook" }).click();
    await page.getByLabel("Name").fill("Duty phone");
    await page.getByLabel("Address").fill(receiver.url);
    await page.getByRole("dialog").getByText("All events", { exact: true }).click();
    await page.getByRole("dialog").getByText("Playlists", { exact: true }).click();
    await page.getByText("playlist.created").click();
    await page.getByRole("dialog").getByRole("button", { name: "Add a webhook" }).click();
    expect(await page.getByLabel("Signing secret").inputValue()).toMatch(/^whsec_/);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("link", { name: "Duty phone" }).click();

    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("The test arrived: status 204").waitFor();
    await page.getByRole("row", { name: /webhook\.test Delivered Status 204/ }).waitFor();

    receiver.behavior = (_request, response) => response.writeHead(410).end("<b>gone</b>");
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("The test did not arrive").waitFor();
    // 410 says that nothing more is wanted: the service has switched the webhook off.
    const failed = page.getByRole("row", { name: /webhook\.test Failed Status 410/ });
    await failed.getByRole("button", { name: /Details/ }).click();
    const details = page.getByRole("dialog");
    await details.getByText('"webhook_id"').waitFor();
    await details.getByText("<b>gone</b>").waitFor();
    await details.getByRole("button", { name: "Close" }).click();
    receiver.behavior = (_request, response) => response.writeHead(200).end("thanks");
    await page.getByText("Send events").click();
    await page.getByText("Duty phone gets events again").waitFor();
    await failed.getByRole("button", { name: "Send again: webhook.test" }).click();
    await page.getByText("Sent again: status 200").waitFor();
    expect(receiver.ids.at(-1)).toBe(receiver.ids.at(-2));

    await service.call("POST", "playlists", { name: "Menu" });
    await expect.poll(() => receiver.received.length, pollOptions).toBe(4);
    // All that failed, on a phone.
    await using small = await Window.open(browser, phone);
    await small.signIn(service, new URL(page.url()).pathname);
    await small.page.getByRole("button", { name: "Send all failed again" }).tap();
    await small.page.getByRole("dialog").getByRole("button", { name: "Send again" }).tap();
    await small.page.getByText("There was nothing to send").waitFor();
    expect(await small.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(window.errors).toEqual([]);
  },
);

test(
  "[CPP6] the audit log is filtered in the address, and its page says whether the hash chain verifies",
  { timeout: 120_000 },
  async () => {
    await using service = await startConsoleService();
    await using window = await Window.open(browser);
    for (const name of ["One", "Two"]) await service.call("POST", "playlists", { name });
    await service.call("POST", "layouts", { name: "Wall", width: 1_920, height: 1_080, zones: [] });
    await window.signIn(service, "/team/audit");
    const { page } = window;
    const chain = page.getByRole("region", { name: "Hash chain" });
    await chain.getByText("The chain holds").waitFor();
    const { body } = await service.call("GET", "audit/verify");
    expect(await chain.getByLabel("Hash of the last entry").inputValue()).toBe(body.last_hash);
    await page.getByRole("button", { name: /Action/ }).click();
    await page.getByRole("option", { name: "Create a playlist" }).click();
    const rows = page.getByRole("table", { name: "Audit log" }).getByRole("row");
    await expect.poll(() => rows.count(), pollOptions).toBe(3);
    expect(page.url()).toContain("action=createPlaylist");
    await page.reload();
    await expect.poll(() => rows.count(), pollOptions).toBe(3);
    await rows.nth(1).getByRole("button").click();
    await page.getByRole("dialog").getByText("127.0.0.1").waitFor();
    await page.keyboard.press("Escape");

    const database = new DatabaseSync(join(service.folder, "state.db"), { timeout: 5_000 });
    database.exec("UPDATE audit SET address = '192.0.2.1' WHERE seq = 2");
    database.close();
    await chain.getByRole("button", { name: "Check again" }).click();
    await chain.getByText("The chain is broken at entry 2").waitFor();
    expect(window.errors).toEqual([]);
  },
);
