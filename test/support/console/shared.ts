// A service and a browser that the tests of a file share. Each test has a team and a window of its own, and neither is paid for anew.
import type { Browser, BrowserContextOptions } from "playwright";
import { desktop, startBrowser, startConsoleService, Window } from "./console.ts";
import type { TestService } from "../../service/harness.ts";

/**
 * Its windows are used again by the next test: a page that has run the console's scripts before, from the same address, takes a third
 * less CPU time than a new one.
 */
export class SharedConsole implements AsyncDisposable {
  readonly service: TestService;
  readonly browser: Browser;
  readonly #windows = new Map<BrowserContextOptions, Window[]>();

  private constructor(service: TestService, browser: Browser) {
    this.service = service;
    this.browser = browser;
  }

  /** @param more as for `startConsoleService` */
  static async start(more: Parameters<typeof startConsoleService>[0] = {}): Promise<SharedConsole> {
    const [service, browser] = await Promise.all([startConsoleService(more), startBrowser()]);
    return new SharedConsole(service, browser);
  }

  /** The service as the owner sees it in a new team, in which there is nothing yet. */
  async newTeam(): Promise<TestService> {
    const { status, body } = await this.service.call("POST", "teams", { name: "Team" });
    if (status !== 201) throw new Error(`team: ${status} ${JSON.stringify(body)}`);
    return Object.create(this.service, { token: { value: body.token.secret } }) as TestService;
  }

  /**
   * A window in which nobody is signed in. It must not be disposed of.
   * @param options the same object for the same window. Nothing of it may be changed for good (`addInitScript`, `clock`): such a window is
   * opened by `Window.open`.
   * @param place which one, where a test needs several at once.
   */
  async window(options: BrowserContextOptions = desktop, place = 0): Promise<Window> {
    const windows = this.#windows.get(options) ?? [];
    this.#windows.set(options, windows);
    const used = windows[place];
    if (used === undefined) return (windows[place] = await Window.open(this.browser, options));
    await used.forget();
    return used;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.service[Symbol.asyncDispose]();
  }
}
