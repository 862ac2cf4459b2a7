// Iframes of other sites: isolated from the page, allowed only if declared, and never silently empty.
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { IframeSite, IframeEvent } from "../../../src/player/host.ts";
import { createSelfSignedCertificate } from "../../support/network/certificate.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { waitUntil } from "../../support/polling.ts";
import { colouredPage, redirectTo, startWebServer, type WebServer } from "../../support/network/web-server.ts";
import { browserProcesses, type HostFixture, type HostUnderTest } from "../hosts-under-test.ts";
import { callMs, frames } from "../limits.ts";
import { killAll, startTimeOf } from "../processes.ts";

const never = new AbortController().signal;

/** Registers the tests of iframes for each host, or a skipped one for a host that is not available. */
export function testSites(hosts: readonly HostUnderTest[]): void {
  for (const hostUnderTest of hosts) {
    if (hostUnderTest.missing === null) describe(hostUnderTest.name, () => sites(hostUnderTest));
    else test.skip(`${hostUnderTest.name}: ${hostUnderTest.missing}`);
  }
}

function sites(hostUnderTest: HostUnderTest): void {
  let fixture: HostFixture;
  let site: WebServer;
  let other: WebServer;
  const events: IframeEvent[] = [];
  let serial = 0;
  /** Requests of pages that wait to loop, and of pages whose process lives. */
  const waiting: ServerResponse[] = [];
  const living = new Set<ServerResponse>();

  beforeAll(async () => {
    other = await startWebServer("127.0.0.3", {
      "/": colouredPage("orange"),
      "/refuses": (_request, response) => void response.writeHead(200, { "x-frame-options": "DENY" }).end(colouredPage("orange")),
    });
    const deny = {
      "content-type": "text/html",
      "x-frame-options": "DENY",
      "content-security-policy": "frame-ancestors 'none'; img-src 'none'",
    };
    site = await startWebServer("127.0.0.2", {
      "/": colouredPage("lime"),
      "/refuses": (_request, response) =>
        void response
          .writeHead(200, deny)
          .end(colouredPage("lime", `<img src="/image" onerror="document.title='refused'"><script>fetch('/ran')</script>`)),
      "/leaves": redirectTo(`${other.origin}/refuses`),
      // The same task requests and loops.
      "/loops": colouredPage("lime", "<script>fetch('/lives'); fetch('/go').then(() => { fetch('/looping'); for (;;); })</script>"),
      "/go": (_request, response) => void waiting.push(response),
      "/lives": (_request, response) => {
        living.add(response);
        response.on("close", () => living.delete(response));
      },
      "/eats": colouredPage("lime", "<script>kept = Array.from({ length: 30 }, () => new Uint8Array(4_000_000).fill(1))</script>"),
      "/silent": () => undefined,
      "/for-ever": redirectTo("/for-ever"),
      "/ping": colouredPage("lime", "<script>location.replace('/pong')</script>"),
      "/pong": colouredPage("lime", "<script>location.replace('/ping')</script>"),
      "/empty": "<!doctype html>",
      "/file": (_request, response) => void response.writeHead(200, { "content-disposition": "attachment; filename=x.zip" }).end("x"),
      "/own": colouredPage("lime", `<script>fetch('/data'); fetch('${other.origin}/')</script>`),
      "/data": "data",
      "/password": (_request, response) => void response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end("no"),
      "/asks": colouredPage("lime", "<script>fetch('/password').then(({ status }) => fetch('/got-' + status))</script>"),
      "/stage": redirectTo("http://127.0.0.1:9/"),
    });
    fixture = await hostUnderTest.start();
    fixture.host.onIframeEvent((one) => events.push(one), never);
    await fixture.host.open(fixture.server.page, never);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    events.length = 0;
    site.requests.length = 0;
    other.requests.length = 0;
  });
  afterEach(() => removeAll());

  async function removeAll(): Promise<void> {
    await fixture.server.run("document.querySelectorAll('iframe').forEach((frame) => frame.remove())");
  }

  /** Declares only this site, frames it and resolves with the iframe's name. */
  async function show(path: string, declared: Partial<IframeSite> = {}, origin = site.origin): Promise<string> {
    const url = origin + path;
    fixture.host.setIframeSites([{ id: "site", url, headers: {}, css: null, isConfinedToOrigin: false, ...declared }]);
    const name = `site.${++serial}`;
    await frame(name, url);
    return name;
  }
  async function frame(name: string, url: string): Promise<void> {
    const attributes = "style: 'position:fixed;inset:0;width:50%;height:50%;z-index:9', sandbox: 'allow-scripts allow-same-origin'";
    await fixture.server.run(
      `{ const frame = Object.assign(document.createElement('iframe'), { name: '${name}', ${attributes}, src: '${url}' }); document.body.append(frame); }`,
    );
  }
  async function eventOf(name: string, is: IframeEvent["is"]): Promise<IframeEvent> {
    const wanted = (): IframeEvent | undefined => events.find((one) => one.frame === name && one.is === is);
    await waitUntil(`${name} is ${is}; events: ${JSON.stringify(events)}`, () => wanted() !== undefined).catch((error: unknown) => {
      throw new Error(`events: ${JSON.stringify(events)}; requested: ${site.requests.map(({ path }) => path).join(" ")}`, {
        cause: error,
      });
    });
    return wanted()!;
  }
  /** Shows a page that loops from now on. Resolves with the iframe's name. */
  async function showLoop(): Promise<string> {
    const name = await show("/loops");
    await eventOf(name, "shown");
    await waitUntil("the page waits", () => waiting.length > 0);
    for (const response of waiting.splice(0)) response.end();
    await waitUntil("the page loops", () => site.requests.some(({ path }) => path === "/looping"));
    return name;
  }
  /** Probes each of these iframes twice, of which one loops. */
  async function missProbes(iframes: number): Promise<void> {
    for (let missed = 0; missed < 2; missed++) {
      await fixture.time.end(frames.probe.intervalMs, iframes);
      await fixture.time.end(frames.probe.limitMs);
    }
  }
  const frameTicks = (): Promise<unknown> =>
    fixture.server.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.title))))");
  async function renderers(): Promise<number[]> {
    return (await browserProcesses(fixture, "renderer")).map(({ pid }) => pid);
  }

  test("[WFR1] an iframe is reported as shown once it has painted, and has its own renderer process", async () => {
    const name = await show("/");
    await eventOf(name, "shown");
    expect(events).toEqual([{ frame: name, is: "shown" }]);
    expect((await renderers()).length).toBeGreaterThanOrEqual(2);
  });

  test("[WFR1] two sites share no process: while one loops the other loads and paints", async () => {
    await showLoop();
    fixture.host.setIframeSites([{ id: "other", url: `${other.origin}/`, headers: {}, css: null, isConfinedToOrigin: false }]);
    await frame("other.1", `${other.origin}/`);
    await eventOf("other.1", "shown");
  });

  test("[WFR2] an endless loop in an iframe does not stop the page, is reported as stalled, and its process is ended", async () => {
    const name = await showLoop();
    const script =
      "new Promise((done) => { let frames = 0; const count = () => ++frames === 30 ? done(frames) : requestAnimationFrame(count); requestAnimationFrame(count) })";
    expect(await fixture.server.run(script)).toBe(30);
    expect(living.size).toBe(1);
    await missProbes(1);
    expect(await eventOf(name, "failed")).toMatchObject({ code: "stalled", detail: expect.stringContaining(site.origin) });
    await waitUntil("its process has ended", () => living.size === 0);
    const { bytes } = await fixture.host.capture(never);
    expect(bytes.length).toBeGreaterThan(1_000);
  });

  test("[WFR3] an iframe whose renderer dies is reported as crashed; the page is unaffected, and the site can be framed again", async () => {
    const name = await show("/");
    await eventOf(name, "shown");
    // The page's own renderer was started first. The iframe may use a spare one that was started in advance.
    const started = await Promise.all((await renderers()).map(async (pid) => ({ pid, at: await startTimeOf(pid) })));
    const [, ...others] = started.toSorted((a, b) => a.at - b.at);
    killAll(others.map(({ pid }) => pid));
    expect(await eventOf(name, "failed")).toMatchObject({ code: "crashed", detail: expect.stringContaining(site.origin) });
    expect(await frameTicks()).toBe("stage");
    await removeAll();
    await eventOf(await show("/"), "shown");
  });

  test("[WFR4] an iframe that uses too much memory is ended, without affecting the page or other origins, and reported with its site", async () => {
    const name = await show("/eats");
    await eventOf(name, "shown");
    await fixture.time.end(frames.probe.intervalMs);
    expect(await eventOf(name, "failed")).toMatchObject({ code: "crashed", detail: expect.stringMatching(/127\.0\.0\.2.*MB/) });
    expect(await frameTicks()).toBe("stage");
  });

  test("[REM7] two ports of one host have separate renderer processes: while one's page loops and is ended, the other's paints and stays", async () => {
    await using second = await startWebServer("127.0.0.2", { "/": colouredPage("orange") });
    const looping = await showLoop();
    fixture.host.setIframeSites([{ id: "second", url: `${second.origin}/`, headers: {}, css: null, isConfinedToOrigin: false }]);
    await frame("second.1", `${second.origin}/`);
    await eventOf("second.1", "shown");
    await missProbes(2);
    await eventOf(looping, "failed");
    // When this page is reported, all earlier events of the second one have arrived.
    await eventOf(await show("/"), "shown");
    expect(events.filter(({ frame: name }) => name === "second.1")).toEqual([{ frame: "second.1", is: "shown" }]);
  });

  test("[REM8] the iframes of one origin share a process: each one reports its crash with the same id, and why the process was ended", async () => {
    const quiet = await show("/");
    await eventOf(quiet, "shown");
    const eats = await show("/eats");
    await eventOf(eats, "shown");
    await fixture.time.end(frames.probe.intervalMs, 2);
    const failures = [await eventOf(quiet, "failed"), await eventOf(eats, "failed")];
    for (const reported of failures) expect(reported).toMatchObject({ code: "crashed", detail: expect.stringMatching(/127\.0\.0\.2.*MB/) });
    const [first, second] = failures.map((reported) => (reported.is === "failed" ? reported.crashId : undefined));
    expect(first).toBeDefined();
    expect(second).toBe(first);
    // A page loaded afterwards has another process, whose end has another id.
    const again = await show("/eats");
    await eventOf(again, "shown");
    await fixture.time.end(frames.probe.intervalMs);
    const { crashId } = (await eventOf(again, "failed")) as Extract<IframeEvent, { is: "failed" }>;
    expect(crashId).toBeDefined();
    expect(crashId).not.toBe(first);
  });

  test("[REM9] a page that loads into a process that already hangs is reported, the process is ended, and the next load gets another one", async () => {
    await showLoop();
    const stuck = `site.${++serial}`;
    await frame(stuck, `${site.origin}/`);
    // The calls that watch an iframe, without the one that the browser answers itself.
    await fixture.time.end(callMs, 5);
    // A process that never ran a document of this iframe does not end by its command.
    await fixture.time.end(frames.endMs);
    expect(await eventOf(stuck, "failed")).toMatchObject({ code: "stalled" });
    // The first iframe's own probes end the process.
    await missProbes(1);
    await waitUntil("the process has ended", () => living.size === 0);
    await removeAll();
    await eventOf(await show("/"), "shown");
  });

  test("[WFR5] headers that forbid framing are removed for the declared site only, the rest of its policy stays", async () => {
    await eventOf(await show("/refuses"), "shown");
    await waitUntil("the page's script has run", () => site.requests.some(({ path }) => path === "/ran"));
    expect(site.requests.map(({ path }) => path)).not.toContain("/image");
    expect(await eventOf(await show("/leaves"), "failed")).toMatchObject({
      code: "load",
      detail: expect.stringContaining("refuses to show it in a frame"),
    });
    expect(other.requests.map(({ path }) => path)).toContain("/refuses");
  });

  test("[WFR6] an iframe of an undeclared site loads nothing", async () => {
    // The next iframe covers this one, which would then never paint.
    await eventOf(await show("/"), "shown");
    site.requests.length = 0;
    await frame("unknown.1", `${site.origin}/data`);
    await eventOf(await show("/"), "shown");
    expect(site.requests.map(({ path }) => path)).not.toContain("/data");
  });

  test("[WFR7] the player's own host is never framed, on any port or by a redirect", async () => {
    const own = new URL(fixture.server.page.url);
    const addresses = fixture.server.addresses.length;
    expect(await eventOf(await show("/", {}, own.origin), "failed")).toMatchObject({
      code: "load",
      detail: expect.stringContaining("own page"),
    });
    expect(await eventOf(await show("/", {}, `http://${own.hostname}:9`), "failed")).toMatchObject({ code: "load" });
    expect(await eventOf(await show("/stage"), "failed")).toMatchObject({ detail: expect.stringContaining("own page") });
    expect(fixture.server.addresses.slice(addresses).filter((address) => address === "/")).toEqual([]);
  });

  test("[WFR8] a site's own headers are sent with each request to its origin, and with no other", async () => {
    await eventOf(await show("/own", { headers: { Authorization: "Basic c2VjcmV0", "X-Display": "lobby" } }), "shown");
    await waitUntil("both requests arrived", () => other.requests.length > 0 && site.requests.some(({ path }) => path === "/data"));
    for (const { headers } of site.requests) expect(headers).toMatchObject({ authorization: "Basic c2VjcmV0", "x-display": "lobby" });
    for (const { headers } of other.requests) {
      expect(headers.authorization).toBeUndefined();
      expect(headers["x-display"]).toBeUndefined();
    }
    await eventOf(await show("/leaves", { headers: { "X-Display": "lobby" } }), "failed");
    expect(other.requests.at(-1)!.path).toBe("/refuses");
    expect(other.requests.at(-1)!.headers["x-display"]).toBeUndefined();
  });

  test("[WFR9] each page that cannot be shown is reported as failed, with a plain reason", async () => {
    const pages = [
      ["/not-there", "load", "HTTP 404", null],
      ["/password", "load", "HTTP 401", null],
      ["/file", "load", "download", null],
      ["/for-ever", "load", "the browser could not", null],
      ["/ping", "load", "replaces itself", null],
      ["/empty", "blank", "stays empty", frames.blankMs],
      ["/silent", "timeout", "not shown within", frames.loadMs],
    ] as const;
    for (const [path, code, reason, limit] of pages) {
      const name = await show(path);
      if (limit !== null) await fixture.time.end(limit);
      expect(await eventOf(name, "failed"), path).toMatchObject({ code, detail: expect.stringContaining(reason) });
      await removeAll();
    }
    expect(await frameTicks()).toBe("stage");
  });

  test("[WFR9] an unknown host name and a port without a server are reported as failed", async () => {
    expect(await eventOf(await show("/", {}, "http://nowhere.invalid"), "failed")).toMatchObject({
      code: "load",
      detail: expect.stringContaining("resolved"),
    });
    expect(await eventOf(await show("/", {}, "http://127.0.0.4:9"), "failed")).toMatchObject({ code: "load" });
  });

  test("[WFR9] a page with an untrusted certificate is reported as failed, with the remedy", async (context) => {
    await using folder = await temporaryFolder();
    const created = await createSelfSignedCertificate(folder.path);
    if (created === null) return context.skip("openssl is not installed");
    const tls = { key: await readFile(created.key), cert: await readFile(created.cert) };
    await using server = await startWebServer("127.0.0.2", { "/": colouredPage("lime") }, tls);
    expect(await eventOf(await show("/", {}, server.origin), "failed")).toMatchObject({
      code: "load",
      detail: expect.stringContaining("certificate"),
    });
    expect(await frameTicks()).toBe("stage");
  });

  test("[WFR10] no password dialog appears for requests of a page", async () => {
    const name = await show("/asks");
    await waitUntil("the request was rejected", () => site.requests.some(({ path }) => path === "/got-401"));
    await eventOf(name, "shown");
  });

  test("[WFR11] a site's style is added to its own documents, even if their policy forbids it", async () => {
    const name = await show("/refuses", { css: "body { background: rgb(1, 2, 200) !important } h1 { display: none }" });
    await eventOf(name, "shown");
    const { bytes } = await fixture.host.capture(never);
    const { default: sharp } = await import("sharp");
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    const at = (100 * info.width + 300) * info.channels;
    expect(data[at + 2]! - data[at + 1]!).toBeGreaterThan(150);
  });

  test("[WFR12] a confined iframe cannot leave its own origin", async () => {
    expect(await eventOf(await show("/leaves", { isConfinedToOrigin: true }), "failed")).toMatchObject({
      detail: expect.stringContaining("leaves its own origin"),
    });
    expect(other.requests).toEqual([]);
  });

  test("[WFR13] after a reload of the page its iframes are watched as before", async () => {
    await fixture.host.reload(never);
    await eventOf(await show("/refuses"), "shown");
    expect(await eventOf(await show("/not-there"), "failed")).toMatchObject({ code: "load" });
  });

  test("[WEB15] a page that hangs is reported even while one of its iframes loads endlessly", async () => {
    await show("/silent");
    await waitUntil("the frame loads", () => site.requests.some(({ path }) => path === "/silent"));
    await fixture.server.hang();
    await fixture.time.missProbe();
    await fixture.time.missProbe();
    expect(await fixture.nextFault()).toMatchObject({ is: "page-hung" });
    const reloaded = fixture.host.reload(never);
    await fixture.time.end(fixture.time.aliveMs);
    await reloaded;
    expect(await frameTicks()).toBe("stage");
  });
}
