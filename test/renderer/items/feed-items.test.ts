// Feeds on a real Chromium: cards by the clock, text only, ticker, and a feed that was not fetched yet.
import { expect, test } from "vitest";
import { item, slot, stage, zone } from "../scenes.ts";
import { poll, useTestBrowser } from "../setup.ts";

const browser = useTestBrowser();

const long = 600_000;
const feed = { type: "feed", timezone: "UTC", title: "Post &amp; Co", trouble: null } as const;
const entries = ["One", "Two", "Three"].map((title) => ({ title, summary: `About ${title}`, published_at: Date.UTC(2031, 5, 3, 23, 30) }));

test("[ITM22] each entry is shown for its duration by the corrected clock, the same on every display", async () => {
  await using opened = await browser.openDriven();
  const { server, page, time } = opened;
  // Forty seconds into a round of three times twenty: the third.
  await server.advanceTo(Math.ceil(server.now() / 60_000) * 60_000 + 40_000);
  const play = slot(item({ ...feed, entries, entry_duration_ms: 20_000 }), server.now() - 5_000, long);
  server.draw(stage([zone([play])]));
  await server.waitForMessage("presented");
  expect(await page.locator(".feed").innerText()).toBe("Post & Co\nThree\nAbout Three\n3 June 2031");
  await server.advanceTo(Math.ceil(server.now() / 60_000) * 60_000 - 600);
  expect(await page.locator(".headline").innerText()).toBe("Three");
  await poll(time, () => page.locator(".headline").innerText()).toBe("One");
});

test("[ITM22] markup is shown as text, character references are decoded, and long entries stay inside the zone", async () => {
  const opened = await browser.shared();
  const { server, page } = opened;
  const hostile = [{ title: "a &lt;img src=x onerror=alert(1)&gt; &eacute;", summary: "word ".repeat(120), published_at: null }];
  server.draw(stage([zone([slot(item({ ...feed, entries: hostile }), server.now(), long)], { width: 400, height: 300 })]));
  await server.waitForMessage("presented");
  expect(await page.locator(".headline").innerText()).toBe("a <img src=x onerror=alert(1)> é");
  expect(await page.locator(".feed img").count()).toBe(0);
  const card = (await page.locator(".card").boundingBox())!;
  expect(card.y + card.height).toBeLessThanOrEqual(300);
});

test("[ITM22] as a ticker the titles run one after the other", async () => {
  const opened = await browser.shared();
  const { server, page } = opened;
  server.draw(stage([zone([slot(item({ ...feed, entries, style: "ticker" }), server.now(), long)], { height: 90 })]));
  await server.waitForMessage("presented");
  expect(await page.locator(".round").first().innerText()).toBe("One•Two•Three•");
});

test("[ITM23] a feed that was not fetched yet is reported with the reason and not shown", async () => {
  const opened = await browser.shared();
  const { server } = opened;
  server.draw(stage([zone([slot(item({ ...feed, entries: [], trouble: "news.example responds with HTTP 500" }), server.now(), long)])]));
  expect(await server.waitForMessage("failed")).toMatchObject({ code: "load", detail: "news.example responds with HTTP 500" });
});
