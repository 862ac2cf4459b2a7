// What is checked on every page of the console, and the team whose pages are opened: every text of it is hostile.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright";
import { startBrowser, startConsoleService } from "../../support/console/console.ts";
import type { TestService } from "../../service/harness.ts";
import type { PopulatedTeam } from "../../service/populate-team.ts";
import { populateHostileTeam, type HostilePerson } from "./hostile-team.ts";

/** A browser, and a service with a team that has something on every page. */
export interface HostilePages extends AsyncDisposable {
  browser: Browser;
  service: TestService;
  team: PopulatedTeam & { person: HostilePerson };
}

export async function startHostilePages(): Promise<HostilePages> {
  await using opened = new AsyncDisposableStack();
  const browser = await startBrowser();
  opened.defer(() => browser.close());
  const service = opened.use(await startConsoleService());
  const team = await populateHostileTeam(service);
  const owned = opened.move();
  return { browser, service, team, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  id: string;
  help: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** What axe finds wrong with a page. */
export async function violationsOf(page: Page, address: string, rules?: readonly string[]): Promise<string[]> {
  // A change of colours is a transition; between them, the contrast is nobody's intention.
  await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
  await page.evaluate(axe);
  const options = rules === undefined ? {} : { runOnly: { type: "rule", values: rules } };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`)) as Violation[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${address} ${id} ${target.join(" ")}: ${failureSummary}`),
  );
}

/** How many pixels the page can be scrolled sideways. */
export const sideways = (page: Page) => page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
