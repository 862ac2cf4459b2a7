// Feeds from real servers: formats, hostile texts, limits and what is stored.
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { Feeds } from "../../../src/player/content/feeds/feeds.ts";
import { parseFeed } from "../../../src/feeds/parse-feed.ts";
import { OutboundHttp } from "../../../src/base/http/outbound-http.ts";
import { contentPolicy } from "../../../src/player/web-items/outbound-policy.ts";
import { isRemoteAddress } from "../../../src/base/http/ip-address.ts";
import { FeedEntry } from "../../../src/protocol/content/item-kinds.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";

const rss = (...titles: string[]): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>Post</title>${titles.map((title) => `<item><title>${title}</title></item>`).join("")}</channel></rss>`;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A publisher on this machine, and feeds that may reach it. */
async function setUp(answer: Answer) {
  const folder = await temporaryFolder();
  const seen: IncomingMessage[] = [];
  const site = { answer };
  const server = createServer((request, response) => {
    seen.push(request);
    site.answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/news.xml`;
  const clock = new FakeClock();
  const outside = new OutboundHttp({ policy: contentPolicy(() => true) });
  const errors: string[] = [];
  const log = { ...silentLog, error: (fields: object | string) => errors.push(JSON.stringify(fields)) } as typeof silentLog;
  const open = () =>
    new Feeds({
      folder: join(folder.path, "feeds"),
      outboundHttp: outside,
      clock,
      log,
      disk: new DiskHealth(log),
      onChange: () => undefined,
    });
  const feeds = open();
  return {
    site,
    seen,
    url,
    clock,
    feeds,
    open,
    errors,
    folder: join(folder.path, "feeds"),
    want: { url, refresh_interval_ms: 600_000 },
    titles: (of = feeds) => of.contentOf(url).entries.map(({ title }) => title),
    async [Symbol.asyncDispose]() {
      await feeds[Symbol.asyncDispose]();
      await outside[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test.each([
  ["RSS", rss("One", "Two")],
  [
    "Atom",
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>Post</title><entry><title>One</title></entry><entry><title>Two</title></entry></feed>`,
  ],
  [
    "RDF",
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>Post</title></channel><item><title>One</title></item><item><title>Two</title></item></rdf:RDF>`,
  ],
  [
    "JSON Feed",
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "Post",
      items: [
        { id: "1", title: "One" },
        { id: "2", title: "Two" },
      ],
    }),
  ],
])("[ITM15] a feed in %s is parsed: its title and its entries in their order", async (_format, text) => {
  const { title, entries } = await parseFeed(text, new AbortController().signal);
  expect(title).toBe("Post");
  expect(entries.map((entry) => entry.title)).toEqual(["One", "Two"]);
});

test("[ITM16] a feed's markup becomes text: without tags, scripts and styles, with dates as instants, cut at a word", async () => {
  const hostile =
    "<![CDATA[<p>Hello <b>world</b></p><script>steal('<b>')</script><style>p{}</style><img src=x onerror=alert(1)>end <a href='javascript:x'>link</a>]]>";
  const long = `&lt;p&gt;${"word ".repeat(400)}&lt;/p&gt;`;
  const text = rss("x").replace(
    "<item><title>x</title></item>",
    `<item><title>${hostile}</title><description>${long}</description><pubDate>Tue, 10 Jun 2025 04:00:00 GMT</pubDate></item>`,
  );
  const { entries } = await parseFeed(text, new AbortController().signal);
  expect(entries[0]!.title).toBe("Hello world end link");
  expect(entries[0]!.published_at).toBe(Date.UTC(2025, 5, 10, 4));
  expect(entries[0]!.summary).toMatch(/^word .* word…$/);
  expect(entries[0]!.summary.length).toBeLessThanOrEqual(600);
});

test.each([
  ["300,000 nested elements", `<rss version="2.0"><channel><item>${"<a>".repeat(300_000)}`],
  ["a page of HTML", "<!doctype html><html><body>Please log in</body></html>"],
  ["a feed without entries", rss()],
])("[ITM17] a hostile feed, or a file that is none, is rejected: %s", async (_what, text) => {
  await expect(parseFeed(text, new AbortController().signal)).rejects.toMatchObject({ code: "protocol" });
});

test("[ITM17] the worker thread of a feed that takes too long to parse is ended", async () => {
  // It takes minutes.
  const text = `<rss version='2.0'><channel><title>${"<".repeat(2_000_000)}`;
  await expect(parseFeed(text, new AbortController().signal, 500)).rejects.toThrow("longer than 0.5 s");
});

test.each(["+200000-01-01T00:00:00Z", "someday"])("[ITM16] an invalid date of a feed is ignored: %s", async (date) => {
  const item = { id: "1", title: "one", date_published: date };
  const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", title: "t", items: [item] });
  const { entries } = await parseFeed(feed, new AbortController().signal);
  expect(entries).toEqual([{ title: "one", summary: "", published_at: null }]);
  expect(FeedEntry.parse(entries[0])).toEqual(entries[0]);
});

test("[ITM17] entities of a feed that repeat other entities are not expanded", async () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>${rss("&b;&b;")}`;
  const { entries } = await parseFeed(bomb, new AbortController().signal);
  expect(entries[0]!.title).toBe("&b;&b;");
});

test("[ITM18] a feed is fetched at its interval with conditional requests", async () => {
  await using kit = await setUp((_request, response) => response.writeHead(200, { etag: '"1"' }).end(rss("One")));
  await kit.feeds.setFeeds([kit.want]);
  await expect.poll(() => kit.titles()).toEqual(["One"]);
  kit.site.answer = (_request, response) => response.writeHead(304).end();
  await expect.poll(() => kit.clock.pendingWaits).toBe(1);
  kit.clock.advance(700_000);
  await expect.poll(() => kit.seen.length).toBe(2);
  expect(kit.seen[1]!.headers["if-none-match"]).toBe('"1"');
  expect(kit.titles()).toEqual(["One"]);
  kit.site.answer = (_request, response) => response.end(rss("Two"));
  await expect.poll(() => kit.clock.pendingWaits).toBe(1);
  kit.clock.advance(700_000);
  await expect.poll(() => kit.titles()).toEqual(["Two"]);
});

test.each<[string, Answer, RegExp]>([
  ["responds with an error", (_request, response) => response.writeHead(500).end("<rss>"), /HTTP 500/],
  ["sends ten megabytes", (_request, response) => response.end(rss("x".repeat(10_000_000))), /larger than 2 MB/],
  [
    "sends ten megabytes packed",
    (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(rss("x".repeat(10_000_000)))),
    /larger than 2 MB/,
  ],
  ["redirects forever", (_request, response) => response.writeHead(302, { location: "/again" }).end(), /redirects more than 5 times/],
  [
    "redirects to a file",
    (_request, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    /file: addresses are not opened/,
  ],
  [
    "breaks off",
    (_request, response) => response.writeHead(200, { "content-length": "1000" }).write("<rss", () => response.destroy()),
    /broke off/,
  ],
])("[ITM19] a publisher that %s is reported once and asked again, and the last good copy stays", async (_what, answer, reason) => {
  await using kit = await setUp((_request, response) => response.end(rss("Good")));
  await kit.feeds.setFeeds([kit.want]);
  await expect.poll(() => kit.titles()).toEqual(["Good"]);
  kit.site.answer = answer;
  await expect.poll(() => kit.clock.pendingWaits).toBe(1);
  kit.clock.advance(700_000);
  await expect.poll(() => kit.errors.length).toBe(1);
  expect(kit.errors[0]).toMatch(reason);
  expect(kit.titles()).toEqual(["Good"]);
  // The same failure again is not logged again.
  const requestsBefore = kit.seen.length;
  await expect.poll(() => kit.clock.pendingWaits).toBe(1);
  kit.clock.advance(700_000);
  await expect.poll(() => kit.seen.length).toBeGreaterThan(requestsBefore);
  await expect.poll(() => kit.clock.pendingWaits).toBe(1);
  expect(kit.errors).toHaveLength(1);
  kit.site.answer = (_request, response) => response.end(rss("Back"));
  kit.clock.advance(1_000_000);
  await expect.poll(() => kit.titles()).toEqual(["Back"]);
});

test("[ITM20] the last good copy of a feed survives a restart, and is removed with the last item that shows it", async () => {
  await using kit = await setUp((_request, response) => response.end(rss("Kept")));
  await kit.feeds.setFeeds([kit.want]);
  await expect.poll(() => readdir(kit.folder)).toHaveLength(1);
  await kit.feeds[Symbol.asyncDispose]();
  kit.site.answer = (_request, response) => response.destroy();
  const again = kit.open();
  await again.setFeeds([kit.want]);
  expect(kit.titles(again)).toEqual(["Kept"]);
  await again.setFeeds([]);
  expect(await readdir(kit.folder)).toEqual([]);
  await again[Symbol.asyncDispose]();
});

test("[ITM20] a feed is fetched again if its copy is damaged", async () => {
  await using kit = await setUp((_request, response) => response.end(rss("Fresh")));
  await kit.feeds.setFeeds([kit.want]);
  await expect.poll(() => readdir(kit.folder)).toHaveLength(1);
  await kit.feeds[Symbol.asyncDispose]();
  await writeFile(join(kit.folder, (await readdir(kit.folder))[0]!), "rot");
  const again = kit.open();
  await again.setFeeds([kit.want]);
  await expect.poll(() => kit.titles(again)).toEqual(["Fresh"]);
  await again[Symbol.asyncDispose]();
});

test("[ITM21] content reaches no address of the machine itself, whether by number, name, mapping or redirect", async () => {
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "169.254.169.254", "fe80::1"]) {
    expect(isRemoteAddress(address), address).toBe(false);
  }
  for (const address of ["192.168.77.5", "10.1.2.3", "93.184.216.34", "2606:2800:220:1::1"])
    expect(isRemoteAddress(address), address).toBe(true);
  await using kit = await setUp((_request, response) => response.end(rss("Secret")));
  await using outside = new OutboundHttp({ policy: contentPolicy() });
  const { port } = new URL(kit.url);
  const { signal } = new AbortController();
  for (const host of ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"]) {
    await expect(outside.request(`http://${host}:${port}/`, { signal, maxRedirects: 5 }), host).rejects.toMatchObject({ code: "refused" });
  }
  expect(kit.seen).toEqual([]);
  // The first hop is allowed, the second is not.
  kit.site.answer = (_request, response) => response.writeHead(302, { location: `http://127.0.0.2:${port}/inside` }).end();
  await using half = new OutboundHttp({ policy: contentPolicy((host) => host === "127.0.0.1") });
  await expect(half.request(kit.url, { signal, maxRedirects: 5 })).rejects.toMatchObject({ code: "refused" });
  expect(kit.seen.map(({ url }) => url)).toEqual(["/news.xml"]);
});

test("[PXY7] feeds and streams come from a service of this machine only where it is excepted by its host and port", async () => {
  await using kit = await setUp((_request, response) => response.end(rss("Own")));
  const port = Number(new URL(kit.url).port);
  await using outside = new OutboundHttp({ policy: contentPolicy((host, at) => host === "localhost" && at === port) });
  const { signal } = new AbortController();
  const answer = await outside.request(`http://localhost:${port}/news.xml`, { signal, maxRedirects: 5 });
  expect(await readText(answer.body)).toContain("Own");
  await expect(outside.request(`http://127.0.0.1:${port}/`, { signal, maxRedirects: 5 })).rejects.toMatchObject({
    code: "refused",
    message: expect.stringContaining("--allow-local"),
  });
  // An allowed address must not redirect to another one.
  kit.site.answer = (_request, response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/inside` }).end();
  await expect(outside.request(`http://localhost:${port}/`, { signal, maxRedirects: 5 })).rejects.toMatchObject({ code: "refused" });
  expect(kit.seen.map(({ url }) => url)).toEqual(["/news.xml", "/"]);
});

test("[PXY8] IPv6 addresses that stand for an address of this machine are recognized", () => {
  const own = [
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b:1::7f00:1",
    "64:ff9b:1:7f00:0:100::",
    "64:ff9b:1:7f00:0:100:808:808",
    "2002:7f00:1::1",
    "64:ff9b::a9fe:a9fe",
  ];
  for (const address of own) expect(isRemoteAddress(address), address).toBe(false);
  for (const address of ["64:ff9b::93.184.216.34", "2002:5db8:d822::1"]) expect(isRemoteAddress(address), address).toBe(true);
});
