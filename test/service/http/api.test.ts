// Problems, idempotency keys, preconditions and the static pages of the API.
import { expect, test } from "vitest";
import { Problem } from "../../../src/protocol/operator/resources.ts";
import { problemKinds } from "../../../src/service/http/problem.ts";
import { call, picture } from "../harness.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

test("[HTT1] every error response is a problem with a request id and a type that can be opened", async () => {
  const api = await shared.newTeam();
  const json = { "content-type": "application/json" };
  const cases = [
    [404, await api.call("GET", "nothing")],
    [404, await api.call("GET", "/elsewhere")],
    [404, await api.call("GET", "players/nonsense")],
    [404, await api.call("GET", "players/plr_01jd3v8q6m9x2k4n7r5t1w0yzh")],
    [405, await api.call("PUT", "players")],
    [400, await api.call("POST", "playlists", "{", json)],
    [400, await api.call("POST", "playlists", '{"__proto__": 1}', json)],
    [400, await api.call("POST", "playlists", "", json)],
    [415, await api.call("POST", "playlists", "<a/>", { "content-type": "application/xml" })],
    [422, await api.call("POST", "playlists", "null", json)],
    [422, await api.call("POST", "playlists")],
    [400, await api.call("GET", "/%zz")],
  ] as const;
  for (const [status, answer] of cases) {
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    const problem = Problem.parse(answer.body);
    expect(problem.status).toBe(status);
    expect(problem.request_id).toMatch(/^req_/);
    expect((await api.call("GET", problem.type)).status).toBe(200);
  }
  expect(cases[4][1].headers.get("allow")).toBe("GET");
});

test("[HTT2] a POST repeated with its Idempotency-Key runs once and gets the same response", async () => {
  const api = await shared.newTeam();
  const key = { "idempotency-key": "k1" };
  const first = await api.call("POST", "playlists", { name: "P" }, key);
  const again = await api.call("POST", "playlists", { name: "P" }, key);
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect([first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")]).toEqual([null, "true"]);
  expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
  const other = await api.call("POST", "playlists", { name: "Q" }, key);
  expect([other.status, other.body.type]).toEqual([422, "/problems/key-reused"]);
  expect((await api.call("GET", "playlists")).body.data).toHaveLength(1);

  const bytes = await picture();
  const upload = (body: Buffer) => api.call("POST", "assets?name=a", body, { "content-type": "image/png", "idempotency-key": "k2" });
  const asset = await upload(bytes);
  expect((await upload(bytes)).body.id).toBe(asset.body.id);
  expect((await upload(await picture("png", 32))).status).toBe(422);
});

test("[HTT2] a repeat gets 409 while the first request is running; a rejected request may be retried", async () => {
  const api = await shared.newTeam();
  const bytes = await picture("png", 512);
  const upload = () => api.call("POST", "assets", bytes, { "content-type": "image/png", "idempotency-key": "k" });
  const statuses = (await Promise.all([upload(), upload(), upload()])).map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses[0]).toBe(201);
  expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
  expect((await api.call("GET", "assets")).body.data).toHaveLength(1);

  const zone = { name: "z", left: 0, top: 0, width: 10, height: 10 };
  const post = (width: number) => api.call("POST", "layouts", { name: "L", width, height: 10, zones: [zone] }, { "idempotency-key": "l" });
  expect((await post(5)).status).toBe(422);
  expect((await post(10)).status).toBe(201);
});

test("[HTT3] a change of an outdated version is rejected; of two concurrent changes one succeeds", async () => {
  const api = await shared.newTeam();
  const created = await api.call("POST", "playlists", { name: "P" });
  const path = `playlists/${created.body.id}`;
  const etag = (await api.call("GET", path)).headers.get("etag")!;
  expect(etag).toBe(created.headers.get("etag"));
  const patch = (name: string, tag: string) => api.call("PATCH", path, { name }, { "if-match": tag });
  const both = await Promise.all([patch("A", etag), patch("B", etag)]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
  const current = (await api.call("GET", path)).headers.get("etag")!;
  expect((await api.call("DELETE", path, undefined, { "if-match": etag })).status).toBe(412);
  expect((await patch("C", `"x", ${current}`)).status).toBe(200);
  expect((await patch("D", "*")).status).toBe(200);
  expect((await api.call("DELETE", path)).status).toBe(204);
});

test("[HTT3] a heartbeat does not change a player's ETag, which covers only what operators set", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const path = `players/${device.playerId}`;
  const etag = (await api.call("GET", path)).headers.get("etag")!;
  await device.connect();
  expect((await api.call("PATCH", path, { tags: ["a"] }, { "if-match": etag })).status).toBe(200);
  expect((await api.call("PATCH", path, { tags: ["b"] }, { "if-match": etag })).status).toBe(412);
});

test("[HTT4] the documentation loads nothing from other sites", async () => {
  const api = await shared.newTeam();
  const page = await call(api.service.url, "GET", "/docs");
  expect(page.status).toBe(200);
  const html = page.body.toString();
  expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  expect(page.headers.get("content-security-policy")).not.toMatch(/https?:/);
  for (const [, address] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
    expect((await fetch(new URL(address, `${api.service.url}/docs`))).status, address).toBe(200);
  }
  const nothing = await call(api.service.url, "GET", "/docs/nothing");
  expect(nothing.status).toBe(404);
  expect(nothing.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect((await call(api.service.url, "GET", "/healthz")).body).toEqual({ status: "ok" });
});

test("[HTT5] every problem type that operations name is in the catalogue and has an explanation", async () => {
  const api = await shared.newTeam();
  for (const kind of Object.keys(problemKinds)) {
    expect((await call(api.service.url, "GET", `/problems/${kind}`)).status).toBe(200);
  }
  expect((await call(api.service.url, "GET", "/problems/toString")).status).toBe(404);
});
