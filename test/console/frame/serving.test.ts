import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtRenderer } from "../../support/page-build.ts";
import { raw } from "../../support/raw-http.ts";
import { startConsoleService, Window } from "../../support/console/console.ts";
import { SharedConsole } from "../../support/console/shared.ts";
import { startPathProxy } from "./proxy.ts";

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
let shared: SharedConsole;
beforeAll(async () => {
  shared = await SharedConsole.start();
});
afterAll(() => shared[Symbol.asyncDispose]());

test("[CFR1] a browser gets the console at any address that is not the service's own; a program gets a problem", async () => {
  const { service } = shared;
  const { url } = service.service;
  const get = async (path: string, headers: Record<string, string> = html, method = "GET") => {
    const response = await fetch(url + path, { headers, method });
    return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
  };
  for (const path of ["/", "/sign-in", "/screens/plr_1?tab=health", "/library/", "/no/such.page"]) {
    expect(await get(path)).toMatchObject({ status: 200, type: "text/html; charset=utf-8" });
    expect(await get(path, html, "HEAD")).toMatchObject({ status: 200, text: "" });
  }
  expect(await get("/", { accept: "*/*" })).toMatchObject({ status: 200, type: "text/html; charset=utf-8" });
  const problem = { status: 404, type: "application/problem+json; charset=utf-8" };
  expect(await get("/library", { accept: "application/json" })).toMatchObject(problem);
  for (const path of ["/api/v1/nothing", "/api", "/assets/index-old.js", "/problems/nothing", "/mcp/x"])
    expect(await get(path)).toMatchObject(problem);
  expect(await get("/api/v1/sign-in-links")).toMatchObject({ status: 405 });

  const window = await shared.window();
  await window.signIn(service, "/no/such.page");
  await window.page.getByRole("heading", { name: "There is nothing here" }).waitFor();
  expect(await window.page.title()).toContain("There is nothing here");
  await window.page.getByRole("link", { name: "To the screens" }).last().click();
  await window.page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
  expect(window.errors).toEqual([]);
});

test("[CFR2] the console's files are sent as compressed as the browser allows, and are kept for good", async () => {
  const { service } = shared;
  const folder = join(await builtRenderer(), "console/assets");
  const scripts = (await readdir(folder)).filter((name) => name.endsWith(".js"));
  const read = await Promise.all(scripts.map(async (name) => ({ script: name, plain: await readFile(join(folder, name)) })));
  // Small files are not compressed.
  const { script, plain } = read.toSorted((a, b) => b.plain.length - a.plain.length)[0]!;
  const { hostname, port } = new URL(service.service.url);
  const get = (coding: string) => raw(hostname, Number(port), `/assets/${script}`, coding === "" ? {} : { "accept-encoding": coding });
  for (const [coding, expected] of [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, br;q=0", "gzip"],
    ["*", "br"],
    ["identity", undefined],
    ["", undefined],
  ] as const) {
    const { status, headers, body } = await get(coding);
    expect({ status, coding: headers["content-encoding"] }).toEqual({ status: 200, coding: expected });
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(headers.vary).toBe("Accept-Encoding");
    const decoded = expected === "br" ? brotliDecompressSync(body) : expected === "gzip" ? gunzipSync(body) : body;
    expect(decoded.equals(plain)).toBe(true);
    if (expected !== undefined) expect(body.length).toBeLessThan(plain.length / 2);
  }
});

test("[CFR3] the console works below a path of a host, whether its proxy takes the path off or passes it on", async () => {
  await using proxy = await startPathProxy("/signage", true);
  await using service = await startConsoleService({ publicUrl: proxy.url });
  proxy.target = service.service.url;
  await using window = await Window.open(shared.browser);
  const { page, context } = window;
  for (const strips of [true, false]) {
    proxy.strips = strips;
    // No page is open that would ask for something without its session.
    await page.goto("about:blank");
    await context.clearCookies();
    const { body } = await service.call("POST", "sign-in-links", {});
    expect(body.url).toMatch(`${proxy.url}/sign-in#link=`);
    await page.goto(body.url);
    await page.getByRole("button", { name: "Skip" }).click();
    await page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
    expect(page.url()).toBe(`${proxy.url}/`);
    expect(await context.cookies()).toEqual(
      Array(2).fill(expect.objectContaining({ path: "/signage", httpOnly: true, sameSite: "Strict" })),
    );
    // What the socket tells appears.
    await service.pairDevice(`Behind the proxy ${strips}`);
    await page.getByText(`Behind the proxy ${strips}`).first().waitFor();
    await page.goto(`${proxy.url}/no/such/page`);
    await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
    await page.getByRole("link", { name: "To the screens" }).last().click();
    await page.getByRole("heading", { name: "Screens", exact: true }).waitFor();
    expect(page.url()).toBe(`${proxy.url}/`);
  }
  // At the service's own address, the console opens itself below the path.
  await page.goto(`${service.service.url}/pair`);
  await page.getByRole("heading", { name: "Add a screen" }).waitFor();
  expect(page.url()).toBe(`${service.service.url}/signage/pair`);
  expect(proxy.strays.filter((url) => url !== "/favicon.ico")).toEqual([]);
  expect(window.errors).toEqual([]);
});

test("[CFR4] the page may not be framed, load anything from elsewhere, run inline code or turn text into HTML", async () => {
  const { service } = shared;
  const { headers } = await fetch(`${service.service.url}/`, { headers: html });
  const policy = headers.get("content-security-policy")!;
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(Object.fromEntries(headers)).toMatchObject({
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "permissions-policy": expect.stringContaining("geolocation=()"),
  });

  const window = await shared.window();
  const { page } = window;
  await page.goto(`${service.service.url}/sign-in`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  // The browser logs the answer that nobody is signed in.
  expect(window.errors.splice(0).filter((error) => !error.includes("401"))).toEqual([]);
  const attempt = (code: string) => page.evaluate(`(() => { try { ${code}; return "done"; } catch (error) { return error.name; } })()`);
  expect(await attempt("document.body.innerHTML = '<img src=x>'")).toBe("TypeError");
  expect(await attempt("document.createElement('div').innerHTML = ''")).toBe("done");
  await page.evaluate("document.body.append(Object.assign(document.createElement('iframe'), { src: '/' }))");
  await expect.poll(() => window.errors.join()).toMatch(/frame/i);
});

test("[CFR5] the console's first script has at most 180 kB, compressed by gzip", async () => {
  const folder = join(await builtRenderer(), "console");
  const page = await readFile(join(folder, "index.html"), "utf8");
  const scripts = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path!);
  const sizes = await Promise.all(scripts.map(async (path) => gzipSync(await readFile(join(folder, path)), { level: 9 }).length));
  expect(scripts.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(180_000);
});
