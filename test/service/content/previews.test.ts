// Previews of the service: what a ticket opens and to whom, and the headers under which a browser gets it.
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { zipOf } from "../../support/media/zip.ts";
import { createLog } from "../../support/recording-log.ts";
import { errorPointers, picture, TestService } from "../harness.ts";
import { createOtherTeam, createTokenFor, owner } from "../people/people.ts";

const html = Buffer.from("<!doctype html><title>Board</title>");

/** A service with a player that shows a picture and a bundle, and another picture that nothing shows. */
async function start(folder: string, more: { clock?: FakeClock; log?: ReturnType<typeof createLog>["log"] } = {}) {
  const pageFolder = join(folder, "page");
  await mkdir(join(pageFolder, "assets"), { recursive: true });
  await writeFile(
    join(pageFolder, "preview.html"),
    '<!doctype html><script type="module" crossorigin src="./assets/preview-1.js"></script>',
  );
  await writeFile(join(pageFolder, "assets/preview-1.js"), `export {};${" ".repeat(5_000)}`);
  const api = await TestService.start(folder, { ...more, pageFolder });
  const device = await api.pairDevice("Lobby");
  const shown = (await api.upload(await picture("png", 20))).body;
  const other = (await api.upload(await picture("png", 30))).body;
  const bundle = (await api.upload(zipOf([{ name: "index.html", bytes: html }]), "application/zip")).body;
  const items = [
    { type: "image", asset_id: shown.id, duration_ms: 5_000 },
    { type: "html", asset_id: bundle.id, duration_ms: 5_000 },
    { type: "web", url: "https://example.com/", headers: { "X-Key": "secret-key" }, duration_ms: 5_000 },
  ];
  const { layout, playlist } = await api.createLayout(items);
  await api.call("PATCH", `players/${device.playerId}`, { layout_id: layout.id });
  return { api, device, shown, other, bundle, layout, playlist };
}

const get = (url: string, init: RequestInit = {}): Promise<Response> => fetch(url, init);

test("[PRV4] a ticket opens the page and the files of what it is for, and no bundle, other file, other path or other origin's cookie", async () => {
  await using folder = await temporaryFolder();
  const { api, device, shown, other, bundle, layout, playlist } = await start(folder.path);
  await using _api = api;
  for (const body of [{ player_id: device.playerId }, { layout_id: layout.id }, { playlist_id: playlist.id }]) {
    const { body: ticket } = await api.call("POST", "preview-tickets", body);
    const media = (sha256: string): string => new URL(`media/${sha256}`, ticket.page_url).href;
    const page = await get(ticket.page_url);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toMatch(/^sandbox allow-scripts; default-src 'none'; .*frame-ancestors 'self'$/);
    const file = await get(media(shown.sha256), { headers: { range: "bytes=0-3", origin: "null" } });
    expect([file.status, (await file.bytes()).length]).toEqual([206, 4]);
    expect(file.headers.get("access-control-allow-origin")).toBe("*");
    expect(file.headers.get("x-content-type-options")).toBe("nosniff");
    expect(file.headers.get("content-security-policy")).toContain("sandbox");
    for (const sha256 of [bundle.sha256, other.sha256, "0".repeat(64), "..%2f..%2fstate.db"]) {
      expect([sha256, (await get(media(sha256))).status]).toEqual([sha256, 404]);
    }
  }
  const { body: more } = await api.call("POST", "preview-tickets", { layout_id: layout.id, asset_ids: [other.id] });
  expect((await get(new URL(`media/${other.sha256}`, more.page_url).href)).status).toBe(200);
  const script = /src="(\.\.\/page\/assets\/[^"]+\.js)"/.exec(await (await get(more.page_url)).text())![1]!;
  const built = await get(new URL(script, more.page_url).href, { headers: { "accept-encoding": "gzip, br" } });
  expect([built.status, built.headers.get("content-security-policy")]).toEqual([200, "sandbox"]);
  expect([built.headers.get("content-encoding"), (await built.text()).trim()]).toEqual(["br", "export {};"]);
  const plain = await get(new URL(script, more.page_url).href, { headers: { "accept-encoding": "identity" } });
  expect([plain.headers.get("content-encoding"), (await plain.text()).length]).toEqual([null, 5_010]);
});

test("[PRV18] a service that stops with open tickets leaves no timer of them", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { api, layout } = await start(folder.path, { clock });
  const expires_at = new Date(clock.now() + 7 * 86_400_000).toISOString();
  const holder = await createTokenFor(api, await owner(api), ["layouts:read", "playlists:read", "assets:read"], { expires_at });
  const answer = await holder.call("POST", "preview-tickets", { layout_id: layout.id });
  expect(answer.status).toBe(201);
  await api[Symbol.asyncDispose]();
  expect(clock.pendingWaits).toBe(0);
});

test("[PRV5] a ticket ends after 15 minutes unless it is renewed, with its token, and is in no log; another team has none", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { log, lines } = createLog();
  const { api, device, shown, layout } = await start(folder.path, { clock, log });
  await using _api = api;
  const { body: ticket } = await api.call("POST", "preview-tickets", { layout_id: layout.id });
  const media = new URL(`media/${shown.sha256}`, ticket.page_url).href;
  clock.advance(14 * 60_000);
  const renewed = await api.call("POST", `preview-tickets/${ticket.ticket}/renew`);
  expect(renewed.body).toEqual({ ...ticket, expires_at: new Date(clock.now() + 900_000).toISOString() });
  clock.advance(14 * 60_000);
  expect((await get(media)).status).toBe(200);
  clock.advance(61_000);
  expect((await get(media)).status).toBe(404);
  expect((await api.call("GET", `preview-tickets/${ticket.ticket}/content`)).status).toBe(404);

  const program = await createTokenFor(api, await owner(api), ["assets:read", "layouts:read"]);
  expect((await program.call("POST", "preview-tickets", { player_id: device.playerId })).status).toBe(403);
  const { body: theirs } = await program.call("POST", "preview-tickets", { layout_id: layout.id });
  expect((await get(theirs.page_url)).status).toBe(200);
  await api.call("DELETE", `tokens/${program.tokenId}`);
  expect((await get(theirs.page_url)).status).toBe(404);

  const stranger = await createOtherTeam(api);
  expect((await stranger.call("POST", "preview-tickets", { layout_id: layout.id })).status).toBe(404);
  const { pathname } = new URL(ticket.page_url);
  expect(JSON.stringify(lines)).not.toContain(pathname.split("/")[2]);
});

test("[PRV6] what a player is to show can be read with players:read: without links to files, and with masked secrets", async () => {
  await using folder = await temporaryFolder();
  const { api, device, shown } = await start(folder.path);
  await using _api = api;
  const { status, body } = await api.call("GET", `players/${device.playerId}/desired-state`);
  const { body: current } = await api.call("GET", `players/${device.playerId}`);
  expect([status, body.player_id, body.state.revision]).toEqual([200, device.playerId, current.desired_revision]);
  expect(body.state.assets.find(({ sha256 }: { sha256: string }) => sha256 === shown.sha256)).not.toHaveProperty("url");
  expect(JSON.stringify(body)).not.toContain("secret-key");
  expect(JSON.stringify(body)).not.toContain("/api/v1/device/");
});

test("[PRV17] a preview of a playlist or a layout leaves out items by their calendars only, one of a screen also by its tags", async () => {
  await using folder = await temporaryFolder();
  const { api, device, layout, playlist } = await start(folder.path);
  await using _api = api;
  const calendar = (await api.call("POST", "calendars", { name: "Holidays", dates: [{ date: "2026-12-25" }] })).body;
  const holidays = { type: "calendar", calendar_id: calendar.id, is_listed: true };
  const bar = { type: "tag", tag: "bar", is_present: true };
  const text = { type: "text", text: "Soup", duration_ms: 5_000 };
  const items = [text, { ...text, conditions: [bar] }, { ...text, conditions: [bar, holidays] }];
  await api.call("PATCH", `playlists/${playlist.id}`, { items });
  const shown = async (body: object): Promise<number[]> => {
    const { ticket } = (await api.call("POST", "preview-tickets", body)).body;
    const { state } = (await api.call("GET", `preview-tickets/${ticket}/content`)).body;
    const ready = { desired: DesiredState.parse({ ...state, assets: [] }), files: new Map<string, string>() };
    return ["2026-12-24", "2026-12-25"].map(
      (day) => programAt(ready, Date.parse(`${day}T12:00:00Z`)).program.zones[0]!.timeline.items.length,
    );
  };
  for (const body of [{ playlist_id: playlist.id }, { layout_id: layout.id }]) expect(await shown(body)).toEqual([2, 3]);
  expect(await shown({ player_id: device.playerId })).toEqual([1, 1]);
  await api.call("PATCH", `players/${device.playerId}`, { tags: ["bar"] });
  expect(await shown({ player_id: device.playerId })).toEqual([2, 3]);
});

test("[PRV13] a preview's feeds are the service's copies: fetched once in their interval, from allowed addresses only, for one team", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const requests: string[] = [];
  let title = "Market";
  const publisher = createServer(({ url = "" }, response) => {
    requests.push(url);
    if (url === "/broken.xml") return void response.end("no feed");
    response.end(`<rss version="2.0"><channel><title>Town</title><item><title>${title}</title></item></channel></rss>`);
  }).listen(0, "127.0.0.1");
  await once(publisher, "listening");
  const { port } = publisher.address() as AddressInfo;
  const site = `http://127.0.0.1:${port}`;
  await using api = await TestService.start(folder.path, { clock, allowAddresses: ["127.0.0.1"] });
  // A loopback address that is not allowed, as those of the service's own network.
  const inside = `http://127.0.0.2:${port}/secret.xml`;
  const { playlist } = await api.createLayout([`${site}/news.xml`, `${site}/broken.xml`, inside].map((url) => ({ type: "feed", url })));
  const { body: ticket } = await api.call("POST", "preview-tickets", { playlist_id: playlist.id });
  const read = async () => {
    const { body } = await api.call("GET", `preview-tickets/${ticket.ticket}/feeds`);
    return Object.fromEntries(body.feeds.map((feed: { url: string }) => [feed.url, feed]));
  };
  const first = await read();
  const entry = (words: string) => ({ title: words, summary: "", published_at: null });
  const fetched_at = new Date(clock.now()).toISOString();
  expect(first[`${site}/news.xml`]).toEqual({
    url: `${site}/news.xml`,
    title: "Town",
    entries: [entry("Market")],
    trouble: null,
    fetched_at,
  });
  expect(first[`${site}/broken.xml`]).toMatchObject({ entries: [], fetched_at: null, trouble: expect.stringContaining("feed") });
  expect(first[inside]).toMatchObject({ entries: [], trouble: expect.stringContaining("--allow-address 127.0.0.2") });
  title = "Fair";
  clock.advance(30_000);
  expect(await read()).toEqual(first);
  expect(requests.toSorted()).toEqual(["/broken.xml", "/news.xml"]);
  // The interval of a feed is ten minutes unless it says otherwise; what could not be read is tried again earlier.
  clock.advance(60_000);
  await read();
  expect(requests.filter((url) => url === "/news.xml").length).toBe(1);
  expect(requests.filter((url) => url === "/broken.xml").length).toBe(2);
  clock.advance(600_000);
  await api.call("POST", `preview-tickets/${ticket.ticket}/renew`);
  expect((await read())[`${site}/news.xml`].entries).toEqual([entry("Fair")]);
  // While the publisher is away, the last good copy is shown.
  publisher.close();
  publisher.closeAllConnections();
  clock.advance(600_000);
  await api.call("POST", `preview-tickets/${ticket.ticket}/renew`);
  expect((await read())[`${site}/news.xml`]).toMatchObject({ entries: [entry("Fair")], trouble: expect.stringContaining("failed") });
});

test("[PRV15] a ticket for a screen with changes of schedules shows it as with them; they stay unsaved and need the scope to read schedules", async () => {
  await using folder = await temporaryFolder();
  const { api, device, other } = await start(folder.path);
  await using _api = api;
  const { layout } = await api.createLayout([{ type: "image", asset_id: other.id, duration_ms: 5_000 }]);
  const timing = { starts_at: "2026-12-01T09:00", ends_at: "2026-12-01T12:00" };
  const target = { type: "player", player_id: device.playerId };
  const change = { name: "Tuesday", layout_id: layout.id, target, ...timing };
  const ticketFor = (changes: object[]) => api.call("POST", "preview-tickets", { player_id: device.playerId, schedule_changes: changes });
  const schedulesIn = async (path: string) =>
    (await api.call("GET", path)).body.state.schedules.map(({ name, ends_at }: Record<string, string>) => [name, ends_at]);
  const { body: ticket } = await ticketFor([{ change }]);
  expect(await schedulesIn(`preview-tickets/${ticket.ticket}/content`)).toEqual([["Tuesday", "2026-12-01T12:00"]]);
  expect((await get(new URL(`media/${other.sha256}`, ticket.page_url).href)).status).toBe(200);
  expect(await schedulesIn(`players/${device.playerId}/desired-state`)).toEqual([]);
  expect((await api.call("GET", "schedules")).body.data).toEqual([]);

  const { body: saved } = await api.call("POST", "schedules", change);
  const { body: longer } = await ticketFor([{ schedule_id: saved.id, change: { ends_at: "2026-12-01T14:00" } }]);
  expect(await schedulesIn(`preview-tickets/${longer.ticket}/content`)).toEqual([["Tuesday", "2026-12-01T14:00"]]);
  const { body: without } = await ticketFor([{ schedule_id: saved.id, change: null }]);
  expect(await schedulesIn(`preview-tickets/${without.ticket}/content`)).toEqual([]);
  expect(await schedulesIn(`players/${device.playerId}/desired-state`)).toEqual([["Tuesday", "2026-12-01T12:00"]]);

  const wrong = await ticketFor([{ schedule_id: saved.id, change: { ends_at: "2026-11-01T14:00" } }]);
  expect([wrong.status, errorPointers(wrong)]).toEqual([422, ["/schedule_changes/0/change/ends_at"]]);
  expect((await api.call("POST", "preview-tickets", { layout_id: layout.id, schedule_changes: [{ change }] })).status).toBe(422);
  const program = await createTokenFor(api, await owner(api), ["assets:read", "players:read"]);
  const asked = { player_id: device.playerId, schedule_changes: [{ change }] };
  expect((await program.call("POST", "preview-tickets", asked)).status).toBe(403);
});

test("[PRV16] the preview of a draft opens the files that only the draft shows: not without the draft, after its end or to another team", async () => {
  await using folder = await temporaryFolder();
  const { api, device, shown, other, playlist } = await start(folder.path);
  await using _api = api;
  const { body: draft } = await api.call("POST", "drafts", { name: "Spring" });
  const within = { "Signage-Draft": draft.id };
  const items = [{ type: "image", asset_id: other.id, duration_ms: 5_000 }];
  expect((await api.call("PATCH", `playlists/${playlist.id}`, { items }, within)).status).toBe(200);
  const subject = { player_id: device.playerId };
  const opens = async (pageUrl: string, sha256: string): Promise<number> => (await get(new URL(`media/${sha256}`, pageUrl).href)).status;
  const { body: drafted } = await api.call("POST", "preview-tickets", subject, within);
  expect([await opens(drafted.page_url, other.sha256), await opens(drafted.page_url, "0".repeat(64))]).toEqual([200, 404]);
  const { body: live } = await api.call("POST", "preview-tickets", subject);
  expect([await opens(live.page_url, shown.sha256), await opens(live.page_url, other.sha256)]).toEqual([200, 404]);

  const stranger = await createOtherTeam(api);
  for (const headers of [{}, within]) expect((await stranger.call("POST", "preview-tickets", subject, headers)).status).toBe(404);
  expect((await stranger.call("GET", `preview-tickets/${drafted.ticket}/content`)).status).toBe(404);

  expect((await api.call("DELETE", `drafts/${draft.id}`)).status).toBe(204);
  expect(await opens(drafted.page_url, other.sha256)).toBe(404);
  expect((await api.call("POST", "preview-tickets", subject, within)).status).toBe(404);
});
