// What must end, continue or be told when something else ends: a session, a connection, a page, an undo.
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerProofs, fetchWithProof } from "../../../renderer/console/data/proof.ts";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { picture, type TestService } from "../../service/harness.ts";

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

const rename = (playerId: string, name: string) => service.call("PATCH", `players/${playerId}`, { name });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first();

test("[CFR20] a question for the password that is open when the page is left holds up no later act", async () => {
  const before = globalThis.fetch;
  const refusal = { type: "https://example.test/problems/proof-required" };
  globalThis.fetch = async () => Response.json(refusal, { status: 403 });
  try {
    const act = () => fetchWithProof(new Request("http://127.0.0.1/act", { method: "POST" }));
    const opened = Promise.withResolvers<void>();
    const leave = answerProofs(() => {
      opened.resolve();
      return new Promise(() => {});
    });
    const refused = act();
    await opened.promise;
    leave();
    expect((await refused).status).toBe(403);
    let asked = 0;
    answerProofs(async () => {
      asked += 1;
      return false;
    });
    expect((await act()).status).toBe(403);
    expect(asked).toBe(1);
  } finally {
    globalThis.fetch = before;
  }
});

test("[CFR21] a connection over which nothing arrives any more is replaced, and nothing is missed", async () => {
  const { playerId } = await service.pairDevice("Lobby");
  await using window = await Window.open(browser);
  const { page, errors } = window;
  let isDead = false;
  let connections = 0;
  await page.routeWebSocket(/\/api\/v1\/events/, (socket) => {
    const own = (connections += 1);
    const server = socket.connectToServer();
    server.onMessage((message) => {
      if (own > 1 || !isDead) socket.send(message);
    });
  });
  await page.clock.install();
  await window.signIn(service);
  await link(page, "Lobby").waitFor();
  await expect.poll(() => connections).toBe(1);
  await rename(playerId, "Entrance");
  await link(page, "Entrance").waitFor();
  isDead = true;
  await rename(playerId, "Hall");
  await page.clock.fastForward(60_000);
  await link(page, "Hall").waitFor();
  expect(connections).toBe(2);
  expect(errors).toEqual([]);
});

test("[CFR22] the wall that a person returns to shows changes also if the last one could not be read before they left", async () => {
  const { playerId } = await service.pairDevice("Bar");
  await using window = await Window.open(browser);
  const { page } = window;
  // What changes before the page subscribes is read with everything else, and not by its id.
  const subscribed = page
    .waitForEvent("websocket")
    .then((socket) => socket.waitForEvent("framereceived", ({ payload }) => String(payload).includes('"subscribed"')));
  await window.signIn(service);
  await link(page, "Bar").waitFor();
  await subscribed;
  let failed = 0;
  await page.route(/\/players\/roster\?ids=/, (route) => {
    failed += 1;
    return route.abort();
  });
  await rename(playerId, "Pub");
  // It is repeated once at once, and then after some seconds.
  await expect.poll(() => failed).toBe(2);
  await page.getByRole("link", { name: "Library" }).click();
  await page.getByRole("heading", { name: "Library", exact: true }).waitFor();
  await page.unroute(/\/players\/roster\?ids=/);
  await page.getByRole("link", { name: "Screens" }).first().click();
  await link(page, "Pub").waitFor();
  await rename(playerId, "Inn");
  await link(page, "Inn").waitFor();
});

test("[CFR23] who signs in after another person finds nothing selected", async () => {
  await service.pairDevice("Shelf");
  await using window = await Window.open(browser);
  const { page, errors } = window;
  await window.signIn(service);
  await page.getByRole("checkbox", { name: /Shelf/ }).click({ force: true });
  const bar = page.getByRole("region", { name: "Selected screens" });
  await bar.waitFor();
  await page.getByRole("button", { name: /Owner/ }).last().click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const { body } = await service.call("POST", "sign-in-links", {});
  await page.evaluate(`location.hash = "link=${body.secret}"`);
  await page.getByRole("button", { name: "Skip" }).click();
  await link(page, "Shelf").waitFor();
  expect(await bar.count()).toBe(0);
  expect(errors).toEqual([]);
});

test("[CFR24] an undo that fails says so, and why", async () => {
  await service.upload(await picture(), "image/png", "Poster.png");
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, "/library");
  await page
    .getByRole("row", { name: /Poster/ })
    .or(page.getByRole("gridcell", { name: /Poster/ }))
    .getByRole("checkbox")
    .first()
    .click({ force: true });
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.route(/\/assets\/[^/]+\/restore$/, (route) => route.abort());
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("This could not be undone: The service does not respond.", { exact: false }).waitFor();
});
