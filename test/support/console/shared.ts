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
  static start(more: Parameters<typeof startConsoleService>[0] = {}): Promise<SharedConsole> {
    return SharedConsole.around(startConsoleService(more));
  }

  /** With a service that is being started; it is disposed of with the browser. */
  static async around(starting: Promise<TestService>): Promise<SharedConsole> {
    const [service, browser] = await Promise.all([starting, startBrowser()]);
    return new SharedConsole(service, browser);
  }

  /** The service as the owner sees it in a new team, in which there is nothing yet. */
  newTeam(): Promise<TestService> {
    return this.service.newTeam();
  }

  /**
   * A window in which nobody is signed in. It must not be disposed of.
   * @param options the same object for the same window. What stays for good (`addInitScript`, `clock`) is for all tests of the file.
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
