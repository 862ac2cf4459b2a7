// A real service with the console, and a browser that a person is signed in with.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright";
import { withoutInterface } from "../browser/light-chromium.ts";
import { builtRenderer } from "../page-build.ts";
import { TestService } from "../../service/harness.ts";
import type { ServiceConfig } from "../../../src/service/config.ts";
import type { Clock } from "../../../src/base/clock.ts";

/** Debian's headless shell: Chromium without a window, which takes 40 % less CPU time for a page. The player's tests take Chromium itself. */
const chromiumPath = "/usr/lib/chromium/chromium-headless-shell";

export const desktop: BrowserContextOptions = { viewport: { width: 1440, height: 900 }, colorScheme: "light" };
export const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** An address of the console without its scripts. */
const plainPage = "/healthz";

/**
 * A service with the console.
 * @param more `hasPreviews` false: previews stay empty, for tests that judge none. Each loads the player's page, which costs as much as
 * the console's own.
 */
export async function startConsoleService(
  more: Partial<ServiceConfig> & { clock?: Clock; hasPreviews?: boolean } = {},
): Promise<TestService> {
  const { hasPreviews = true, ...config } = more;
  const folder = await mkdtemp(join(tmpdir(), "signage-console-"));
  const service = await TestService.start(folder, {
    consoleFolder: join(await builtRenderer(), "console"),
    pageFolder: hasPreviews ? join(await builtRenderer(), "player") : await emptyPage(folder),
    ...config,
  });
  const dispose = service[Symbol.asyncDispose].bind(service);
  return Object.assign(service, {
    async [Symbol.asyncDispose]() {
      await dispose();
      await rm(folder, { recursive: true, force: true });
    },
  });
}

/** A player's page without scripts, in a folder below `parent`. */
async function emptyPage(parent: string): Promise<string> {
  const folder = join(parent, "empty-page");
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(folder, "preview.html"), "<!doctype html><title>Preview</title>");
  return folder;
}

// Fewer processes, and none of the work by which scripts that run for long become faster: a test's visit is short.
const lightArguments = [
  "--in-process-gpu",
  // With Playwright's own list (playwright-core, chromiumSwitches.ts), since only the last switch of this name counts.
  "--enable-features=CDPScreenshotNewSurface,NetworkServiceInProcess2",
  "--js-flags=--no-opt --no-maglev --single-threaded",
];

/** Starts a browser. One for all tests of a file; each test takes contexts of its own. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", withoutInterface, ...lightArguments] });
}

/** Chromium as people have it: unlike the headless shell it draws a frame of another origin only where that is visible. */
export function startWholeBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: "/usr/lib/chromium/chromium", args: ["--no-sandbox"] });
}

/** A window in which nobody is signed in. Its `errors` must stay empty: what the page logged as an error, and what its policy refused. */
export class Window implements AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly errors: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.errors.push(message.text());
    });
  }

  /** @param isEverIdle whether the browser has idle moments: the console then loads the code of all its pages, half of a visit's CPU time */
  static async open(browser: Browser, options: BrowserContextOptions = desktop, { isEverIdle = false } = {}): Promise<Window> {
    const context = await browser.newContext({ reducedMotion: "reduce", ...options });
    // It only ends what hangs: the machine may be as slow as it likes.
    context.setDefaultTimeout(300_000);
    if (!isEverIdle) await context.addInitScript("globalThis.requestIdleCallback = () => 0");
    return new Window(context, await context.newPage());
  }

  /** Signs in as the member with this token, and opens `path`. The pages for signing in have tests of their own. */
  signIn(service: TestService, path = "/", token = service.token): Promise<void> {
    return this.#enter(service, path, token, {});
  }

  /** Signs in as another member of the owner's team. */
  signInAs(service: TestService, { userId }: { userId: string }, path: string): Promise<void> {
    return this.#enter(service, path, service.token, { user_id: userId });
  }

  async #enter(service: TestService, path: string, token: string, link: object): Promise<void> {
    const { url } = service.service;
    const { body } = await service.call("POST", "sign-in-links", link, { authorization: `Bearer ${token}` });
    // The browser keeps the cookie of the response.
    await this.context.request.post(`${url}/api/v1/session`, { headers: { origin: url }, data: { method: "link", secret: body.secret } });
    await this.page.goto(url + path);
    await this.page.getByRole("navigation").first().waitFor();
  }

  /** Opens pages in this draft from now on, as after “Work in it”. */
  async enterDraft(service: TestService, { id, name }: { id: string; name: string }): Promise<void> {
    await this.page.goto(`${service.service.url}${plainPage}`);
    await this.page.evaluate(`sessionStorage.setItem("draft", ${JSON.stringify(JSON.stringify({ id, name }))})`);
  }

  /** Makes it as it was when it was opened, for another test: nobody is signed in, nothing is stored, and no request is handled differently. */
  async forget(): Promise<void> {
    const { page, context } = this;
    await page.unrouteAll({ behavior: "ignoreErrors" });
    for (const other of context.pages()) if (other !== page) await other.close();
    if (page.url() !== "about:blank") {
      // The browser goes on in the same process.
      await page.goto(new URL(plainPage, page.url()).href);
      await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    }
    await context.clearCookies();
    // What is under the pointer would look chosen.
    await page.mouse.move(0, 0);
    this.errors.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}
