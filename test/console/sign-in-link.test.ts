import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser } from "../service/people/browser.ts";
import { desktop } from "../support/console/console.ts";
import { SharedConsole } from "../support/console/shared.ts";

let shared: SharedConsole;
beforeAll(async () => {
  shared = await SharedConsole.start();
});
afterAll(() => shared[Symbol.asyncDispose]());

// The first, because the owner has no password yet.
test("[SGN1] a sign-in link opens the console once, and the session ends with signing out", async () => {
  const { service } = shared;
  const { body } = await service.call("POST", "sign-in-links", {});
  const window = await shared.window();
  const { page } = window;
  await page.goto(body.url);
  await page.getByRole("button", { name: "Skip" }).click();
  await page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
  expect(page.url()).toBe(`${service.service.url}/`);
  expect(window.errors).toEqual([]);
  // Scripts of the page cannot read the session.
  expect(await page.evaluate("document.cookie")).toBe("");

  const second = await shared.window(desktop, 1);
  await second.page.goto(body.url);
  await second.page.getByRole("alert").getByText("was used").waitFor();

  await page.getByRole("button", { name: /Owner/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goto(`${service.service.url}/`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("[SGN2] a write with a session's cookie is refused if another website sent it", async () => {
  const { service } = shared;
  const { body } = await service.call("POST", "sign-in-links", {});
  const { url } = service.service;
  const signedIn = await fetch(`${url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ method: "link", secret: body.secret }),
  });
  const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
  const write = (origin: string | null) =>
    fetch(`${url}/api/v1/playlists`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json", ...(origin === null ? {} : { origin }) },
      body: JSON.stringify({ name: "Menu" }),
    });
  expect((await write(url)).status).toBe(201);
  for (const origin of ["https://elsewhere.example", "null", null]) expect((await write(origin)).status).toBe(403);
  // The secret is valid only in its cookie.
  const [, secret] = cookie.split("=");
  expect((await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${secret}` } })).status).toBe(401);
});

test("[SGN27] signing in leads only to pages of the console", async () => {
  const { service } = shared;
  await Browser.ofOwnerWithPassword(service);
  const window = await shared.window();
  const { page } = window;
  for (const to of [
    "//elsewhere.example/",
    "https://elsewhere.example/",
    "/\\elsewhere.example",
    "javascript:alert(1)",
    "/\t/elsewhere.example",
  ]) {
    const { body } = await service.call("POST", "sign-in-links", {});
    await page.goto(`${service.service.url}/sign-in?to=${encodeURIComponent(to)}#${new URL(body.url).hash.slice(1)}`);
    await page.getByRole("navigation").waitFor();
    expect([to, page.url()]).toEqual([to, `${service.service.url}/`]);
  }
});
