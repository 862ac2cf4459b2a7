// Links to reports: what anybody who has one reads, until when, and what they cannot reach.
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { call, TestService } from "../harness.ts";
import { inviteMember, createOtherTeam, owner } from "../people/people.ts";
import { idsWithin } from "../populate-team.ts";

const dayMs = 86_400_000;
const report = { kind: "uptime", group_by: "player", timezone: "Europe/Berlin", last_days: 7 };

test("[CRP4] a link shows its one report to anybody, with names and without ids, as JSON and CSV, and search engines may not keep it", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice("Lobby");
  await api.call("PATCH", `players/${device.playerId}`, { tags: ["hall"] });
  await api.pairDevice("Secret screen");
  const { status, body: link } = await api.call("POST", "report-links", { name: "For the landlord", report: { ...report, tag: "hall" } });
  expect([status, link.status, link.opened_count]).toEqual([201, "active", 0]);
  expect(link.url).toBe(`${api.service.url}/r/${link.secret}`);
  const read = await call(api.service.url, "GET", `shared-report?key=${link.secret}`);
  expect(read.status).toBe(200);
  expect(read.body).toMatchObject({ name: "For the landlord", kind: "uptime", limited_to: [{ by: "tag", name: "hall" }], row_count: 1 });
  expect(read.body.rows).toMatchObject([{ name: "Lobby", minutes_up: 0 }]);
  expect([JSON.stringify(read.body).includes("Secret screen"), idsWithin(read.body)]).toEqual([false, []]);
  expect([read.headers.get("x-robots-tag"), read.headers.get("cache-control")]).toEqual(["noindex, nofollow", "no-store"]);
  const csv = await call(api.service.url, "GET", `shared-report?key=${link.secret}&format=csv`);
  expect(String(csv.body)).toMatch(/^player,.*uptime_percent.*\r\nLobby,/);
  // Neither the list nor the link itself tells the secret again.
  const listed = (await api.call("GET", "report-links")).body.data;
  expect([listed[0].opened_count, listed[0].hint, JSON.stringify(listed).includes(link.secret)]).toEqual([1, link.secret.slice(-4), false]);
  // Its secret is no token.
  expect((await call(api.service.url, "GET", "players", undefined, { authorization: `Bearer ${link.secret}` })).status).toBe(401);
});

test("[CRP5] a link ends at its time, when it is revoked and with its team, and does not tell which", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const open = async (secret: string) => {
    const { status, body } = await call(api.service.url, "GET", `shared-report?key=${secret}`);
    return [status, body.detail];
  };
  const create = async (more: object = {}) => (await api.call("POST", "report-links", { name: "L", report, ...more })).body;
  const [short, long] = [await create({ expires_at: new Date(clock.now() + dayMs).toISOString() }), await create()];
  expect((await open(short.secret))[0]).toBe(200);
  const unknown = await open("x".repeat(32));
  expect(unknown[0]).toBe(404);
  clock.advance(dayMs);
  expect(await open(short.secret)).toEqual(unknown);
  expect((await open(long.secret))[0]).toBe(200);
  expect((await api.call("POST", `report-links/${long.id}/revoke`)).body.status).toBe("revoked");
  expect(await open(long.secret)).toEqual(unknown);
  const actions = (await api.call("GET", "audit?resource_id=" + long.id)).body.data.map(({ action }: { action: string }) => action);
  expect(actions).toEqual(["revokeReportLink", "createReportLink"]);

  const other = await createOtherTeam(api);
  const theirs = (await other.call("POST", "report-links", { name: "T", report })).body;
  expect((await open(theirs.secret))[0]).toBe(200);
  expect((await other.call("DELETE", `teams/${other.teamId}`)).status).toBeLessThan(300);
  expect(await open(theirs.secret)).toEqual(unknown);
});

test("[CRP6] viewers share nothing, a report is of the own team, and a link ends with the token that creates it", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const viewer = await inviteMember(api, await owner(api), "viewer");
  expect((await viewer.call("POST", "report-links", { name: "L", report })).status).toBe(403);
  expect((await viewer.call("GET", "report-links")).status).toBe(200);
  const wrong = async (given: object): Promise<string[]> => {
    const { status, body } = await api.call("POST", "report-links", { name: "L", report: given });
    expect(status).toBe(422);
    return body.errors.map(({ pointer }: { pointer: string }) => pointer);
  };
  expect(await wrong({ ...report, player_id: "plr_01jd3v8q6m9x2k4n7r5t1w0yzh" })).toEqual(["/report/player_id"]);
  expect(await wrong({ ...report, group_by: "asset" })).toEqual(["/report/group_by"]);
  expect(await wrong({ ...report, last_days: undefined })).toEqual(["/report/last_days"]);
  expect(await wrong({ ...report, kind: "planned", group_by: "layout", last_days: 40 })).toEqual(["/report/last_days"]);
  const expires_at = new Date(Date.now() + dayMs).toISOString();
  const scopes = ["report_links:write", "play_events:read", "players:read"];
  const token = (await api.call("POST", "tokens", { name: "short", scopes, expires_at })).body;
  const by = { authorization: `Bearer ${token.secret}` };
  const link = await api.call("POST", "report-links", { name: "L", report }, by);
  expect([link.status, link.body.expires_at]).toEqual([201, expires_at]);
  const later = { name: "L", report, expires_at: new Date(Date.now() + 2 * dayMs).toISOString() };
  expect((await api.call("POST", "report-links", later, by)).status).toBe(422);
});

test("[CRP7] a shared report is computed once a minute, and an address may read and guess only so often", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const { id, secret } = (await api.call("POST", "report-links", { name: "L", report })).body;
  const open = (given: string) => call(api.service.url, "GET", `shared-report?key=${given}`);
  const first = (await open(secret)).body;
  clock.advance(30_000);
  expect((await open(secret)).body).toEqual(first);
  clock.advance(31_000);
  expect((await open(secret)).body.read_at).not.toBe(first.read_at);
  expect((await api.call("GET", `report-links/${id}`)).body.opened_count).toBe(2);
  clock.advance(60_000);
  for (let guess = 0; guess < 20; guess += 1) expect((await open(`guess${guess}`)).status).toBe(404);
  const refused = await open(secret);
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  clock.advance(60_000);
  for (let read = 0; read < 60; read += 1) expect((await open(secret)).status).toBe(200);
  expect((await open(secret)).status).toBe(429);
});
