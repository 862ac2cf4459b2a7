// Passkeys in the console, with Chromium's virtual authenticator in place of a fingerprint reader.
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { desktop, phone, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { tabTo } from "../../support/console/keyboard.ts";
import { VirtualAuthenticator } from "../../support/console/virtual-authenticator.ts";
import type { TestService } from "../../service/harness.ts";

const pollOptions = { timeout: 30_000 };

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** The address of the console where browsers offer passkeys: not an IP address. */
function atLocalhost(service: TestService): string {
  return service.service.url.replace("127.0.0.1", "localhost");
}

/** Opens a new sign-in link of the owner. */
async function openLink(service: TestService, page: Page): Promise<void> {
  await page.goto((await service.call("POST", "sign-in-links", {})).body.url.replace("127.0.0.1", "localhost"));
}

/** Makes a page's browser one that offers no passkeys below a field: its person presses the button. */
async function withoutOffers(page: Page): Promise<void> {
  await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false");
}

/** The first visit by link, at which the person adds a passkey in place of a password. */
async function setUp(service: TestService, page: Page): Promise<VirtualAuthenticator> {
  const authenticator = await VirtualAuthenticator.connect(page);
  await openLink(service, page);
  await page.getByRole("heading", { name: "Welcome" }).waitFor();
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: "Use a passkey instead of a password" }).click();
  await page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
  return authenticator;
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /Ada/ }).last().click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
}

async function screensAppear(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
}

test("[CPP11] a passkey in place of a password signs in without typing, on a phone too", { timeout: 120_000 }, async () => {
  await using service = await startConsoleService();
  await using window = await Window.open(browser, phone);
  const { page } = window;
  await withoutOffers(page);
  const authenticator = await setUp(service, page);
  expect(await authenticator.count()).toBe(1);
  await signOut(page);
  const signIn = page.getByRole("button", { name: "Sign in with a passkey" });
  await signIn.tap();
  await screensAppear(page);
  expect((await service.call("GET", "audit")).body.data.map(({ action }: { action: string }) => action)).toContain("usePasskey");

  await signOut(page);
  // Somebody else's finger.
  await authenticator.setVerified(false);
  await signIn.tap();
  await page.getByRole("alert").getByText("No passkey was used").waitFor();
  await authenticator.setVerified(true);
  await signIn.tap();
  await screensAppear(page);
  expect(window.errors).toEqual([]);
});

test(
  "[CPP12] a passkey is offered where the person types their email, and signs in at once when they choose it",
  { timeout: 120_000 },
  async () => {
    await using service = await startConsoleService();
    await using window = await Window.open(browser);
    const { page } = window;
    await setUp(service, page);
    // A headless browser shows no list below the field: its authenticator chooses at once.
    await signOut(page);
    // The page from before signing out may still be there.
    const methods = async () => (await service.call("GET", "sessions")).body.data.map(({ method }: { method: string }) => method);
    await expect.poll(methods, { timeout: 60_000 }).toEqual(["passkey"]);
    await screensAppear(page);
    expect(window.errors).toEqual([]);
  },
);

test(
  "[CPP13] passkeys are added, renamed and removed by keyboard alone, but the last way to sign in is kept",
  { timeout: 120_000 },
  async () => {
    await using service = await startConsoleService();
    await using window = await Window.open(browser);
    const { page } = window;
    await withoutOffers(page);
    await setUp(service, page);
    // The person's phone, which shares its passkeys with their other devices.
    await using other = await Window.open(browser, desktop);
    const shared = await VirtualAuthenticator.connect(other.page, { synced: true });
    await openLink(service, other.page);
    await screensAppear(other.page);
    await other.page.goto(`${atLocalhost(service)}/account`);
    const table = other.page.getByRole("table", { name: "Your passkeys" });
    const { keyboard } = other.page;
    const rows = table.getByRole("rowheader");
    const menuOf = (name: string) => table.getByRole("button", { name: `More for ${name}`, exact: true });
    await expect.poll(() => rows.count(), pollOptions).toBe(1);
    const [first] = (await rows.allInnerTexts()) as [string];
    const inMenu = async (name: string, presses: number): Promise<void> => {
      await tabTo(other.page, menuOf(name));
      for (let press = 0; press < presses; press += 1) await keyboard.press(press === 0 ? "Enter" : "ArrowDown");
      await keyboard.press("Enter");
    };

    // The only one stays.
    await inMenu(first, 2);
    const confirm = other.page.getByRole("alertdialog", { name: `Remove “${first}”?` });
    await tabTo(other.page, confirm.getByRole("button", { name: "Remove" }));
    await keyboard.press("Enter");
    await confirm.getByText("It is the only way you can sign in").waitFor();
    await keyboard.press("Escape");

    await tabTo(other.page, other.page.getByRole("button", { name: "Add a passkey" }));
    await keyboard.press("Enter");
    await table.getByText("In a keychain").waitFor();
    await expect.poll(() => rows.count(), pollOptions).toBe(2);
    expect(await shared.count()).toBe(1);
    // The same keeper makes no second one.
    await keyboard.press("Enter");
    await other.page.getByRole("alert").getByText("has a passkey of yours already").waitFor();

    await inMenu(first, 1);
    const name = other.page.getByRole("dialog", { name: "Rename the passkey" }).getByLabel("Name");
    await expect.poll(() => name.evaluate((each) => each.matches(":focus")), pollOptions).toBe(true);
    await keyboard.press("ControlOrMeta+a");
    await keyboard.type("Lost laptop 💻");
    await keyboard.press("Enter");
    await rows.filter({ hasText: "Lost laptop 💻" }).waitFor();
    await inMenu("Lost laptop 💻", 2);
    const remove = other.page.getByRole("alertdialog", { name: "Remove “Lost laptop 💻”?" });
    await tabTo(other.page, remove.getByRole("button", { name: "Remove" }));
    await keyboard.press("Enter");
    await other.page.getByText("“Lost laptop 💻” was removed").waitFor();
    await expect.poll(() => rows.count(), pollOptions).toBe(1);

    // The browser still keeps it, and the service says why it does not help.
    await signOut(page);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("alert").getByText("This passkey is not known here").waitFor();
    // The browser itself logs refusals.
    const isOwn = (error: string) => !/status of (401|409)/.test(error);
    expect([...window.errors, ...other.errors].filter(isOwn)).toEqual([]);
  },
);

test("[CPP14] a passkey is the proof before a dangerous act, also beside a password", { timeout: 120_000 }, async () => {
  const clock = new FakeClock(Date.now());
  await using service = await startConsoleService({ clock });
  await using window = await Window.open(browser);
  const { page } = window;
  await setUp(service, page);
  const proof = page.getByRole("dialog", { name: "Is it you?" });
  const createToken = async (name: string): Promise<void> => {
    clock.advance(16 * 60_000);
    await page.goto(`${atLocalhost(service)}/team/tokens`);
    await page.getByRole("button", { name: "Create a token" }).click();
    await page.getByLabel("Name").fill(name);
    await page.keyboard.press("Enter");
    await proof.getByRole("button", { name: "Use a passkey" }).click();
    await page
      .getByRole("alertdialog", { name: `${name} is ready` })
      .getByLabel("Secret")
      .waitFor();
  };
  await createToken("First");
  await page.goto(`${atLocalhost(service)}/account`);
  await page.getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("textbox", { name: "New password" }).fill("a sentence about lighthouses");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByText("Your password is set").waitFor();
  await createToken("Second");
  expect(window.errors.filter((error) => !error.includes("status of 403"))).toEqual([]);
});

test("[CPP15] where browsers offer no passkeys, the console says nothing of them", { timeout: 120_000 }, async () => {
  await using service = await startConsoleService();
  await using window = await Window.open(browser);
  const { page } = window;
  await VirtualAuthenticator.connect(page);
  await window.signIn(service, "/account");
  await page.getByRole("heading", { name: "Appearance" }).waitFor();
  expect(await page.getByText(/passkey/i).count()).toBe(0);
  await openLink(service, page);
  await page.getByRole("heading", { name: "Welcome" }).waitFor();
  await page.getByRole("button", { name: "Use a passkey instead of a password" }).waitFor();
});
