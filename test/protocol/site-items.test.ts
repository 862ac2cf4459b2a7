// Validation of web and html items.
import { expect, test } from "vitest";
import { NewPlaylistItem } from "../../src/protocol/content/items.ts";
import { newId } from "../support/states.ts";

const web = { type: "web", url: "https://example.com/board?view=1" };
const html = { type: "html", asset_id: newId("ast") };

test("[WEB12] valid web and html items are accepted, with their defaults", () => {
  expect(NewPlaylistItem.parse(web)).toMatchObject({ zoom: 1, headers: {} });
  expect(NewPlaylistItem.parse({ ...web, zoom: 1.5, refresh_interval_ms: 60_000, css: "h1 {}", headers: { "X-Key": "k" } })).toBeTruthy();
  expect(NewPlaylistItem.parse({ ...web, basic_auth: { username: "lobby", password: "a:b" } })).toBeTruthy();
  expect(NewPlaylistItem.parse({ ...html, network: ["https://api.example.com", "http://10.0.0.7:8080"] })).toMatchObject({ zoom: 1 });
});

test.for([
  [{ ...web, url: "file:///etc/passwd" }, "url"],
  [{ ...web, url: "javascript:alert(1)" }, "url"],
  [{ ...web, url: "chrome://gpu" }, "url"],
  [{ ...web, url: "https://lobby:secret@example.com/" }, "url"],
  [{ ...web, headers: { Host: "other.example" } }, "headers"],
  [{ ...web, headers: { "Sec-Fetch-Site": "none" } }, "headers"],
  [{ ...web, headers: { "X-Key": "a\r\nCookie: b" } }, "headers"],
  [{ ...web, headers: { "X Key": "a" } }, "headers"],
  [{ ...web, basic_auth: { username: "a:b", password: "" } }, "basic_auth"],
  [{ ...web, refresh_interval_ms: 100 }, "refresh_interval_ms"],
  [{ ...web, zoom: 0 }, "zoom"],
  [{ ...html, network: ["https://api.example.com/path"] }, "network"],
  [{ ...html, network: ["*"] }, "network"],
  [{ ...html, network: ["https://a.example; script-src *"] }, "network"],
] as const)("[WEB12] the web or html item %j is rejected with the name of the field, %s", ([item, field]) => {
  const { error } = NewPlaylistItem.safeParse(item);
  expect(error?.issues.map(({ path }) => path[0])).toContain(field);
});
