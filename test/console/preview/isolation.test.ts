// Files of the library and the player's page are no part of the console, whoever opens them.
import { chmod, readdir, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../service/harness.ts";
import { SharedConsole } from "../../support/console/shared.ts";

let shared: SharedConsole;
let service: TestService;
beforeAll(async () => {
  shared = await SharedConsole.start();
  service = shared.service;
});
afterAll(() => shared[Symbol.asyncDispose]());

// The service refuses such a drawing: here, one has got past its checks. It would say so in the title of the window that it runs in or beside, and read the session.
const hostile =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4" onload="top.document.title=\'ran\'"><script>top.document.title="ran"; fetch("/api/v1/session")</script><rect width="4" height="4" fill="red"/></svg>';

async function replaceBlob(sha256: string, text: string): Promise<void> {
  const folder = join(service.folder, "blobs");
  const names = await readdir(folder, { recursive: true });
  const name = names.find((each) => each.endsWith(sha256) || each.replaceAll(sep, "").endsWith(sha256))!;
  await chmod(join(folder, name), 0o600);
  await writeFile(join(folder, name), text);
}

/** An expression: what becomes of an element with this address that is added to the page. */
const added = (tag: string, src: string): string => `new Promise((resolve) => {
  const element = document.createElement(${JSON.stringify(tag)});
  element.addEventListener("load", () => {
    // Whether the page around it may look inside.
    let isOpen = false;
    try { isOpen = (element.contentDocument ?? null) !== null && element.contentDocument.querySelector("rect") !== null; } catch {}
    resolve(isOpen ? "open" : "loaded");
  });
  element.addEventListener("error", () => resolve("refused"));
  // The console's policy takes no address for a script from a text.
  try { element.src = ${JSON.stringify(src)}; } catch { resolve("refused"); }
  document.body.append(element);
})`;

test("[PRV12] a file that is opened at the service's own address, or used as a script there, runs nothing and reads nothing of the console", async () => {
  const harmless = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><rect width="4" height="4" fill="red"/></svg>';
  const { body: asset } = await service.upload(Buffer.from(harmless.padEnd(600)), "image/svg+xml");
  await replaceBlob(asset.sha256, hostile.padEnd(600));
  const { body: ticket } = await service.call("POST", "preview-tickets", { asset_ids: [asset.id] });
  const media = new URL(`media/${asset.sha256}`, ticket.page_url).href;
  const own = `${service.service.url}/api/v1/assets/${asset.id}/content`;
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/library");
  const title = await page.title();
  for (const address of [media, own]) {
    // As a picture it is drawn, and pictures run no scripts.
    expect(await page.evaluate(added("img", address))).toBe("loaded");
    expect(await page.evaluate(added("script", address))).toBe("refused");
    // A frame whose content is downloaded loads nothing.
    const downloaded = new Promise((resolve) => page.once("download", () => resolve("downloaded")));
    expect(await Promise.race([page.evaluate(added("iframe", address)), downloaded])).not.toBe("open");
    const opened = await page.context().newPage();
    const sessions: string[] = [];
    opened.on("request", (request) => (request.url().includes("session") ? sessions.push(request.url()) : null));
    // It is downloaded, or is shown without scripts.
    await opened.goto(address).catch(() => null);
    expect([await opened.title(), sessions]).toEqual(["", []]);
    await opened.close();
  }
  expect(await page.title()).toBe(title);
  // The player's page runs, but in an origin of its own, which has no cookies.
  await page.goto(ticket.page_url);
  expect(await page.evaluate("self.origin")).toBe("null");
  const reading = "fetch('/api/v1/session').then(({ status }) => status, () => 'refused')";
  expect(await page.evaluate(reading)).toBe("refused");
});
