// The typed client, generated from the committed description, against a real service.
import { createServer } from "node:http";
import { once } from "node:events";
import { expect, expectTypeOf, test } from "vitest";
import { createClient, ProblemError, type Schemas, type SignageClient } from "../../../sdk/typescript/client.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, picture } from "../harness.ts";

const nobody = "01jd3v8q6m9x2k4n7r5t1w0yzh";

function clientOf(api: TestService): SignageClient {
  return createClient({ baseUrl: api.service.url, token: api.token });
}

test("[GEN1] the typed client can pair, upload, create a playlist and a layout, assign it and send a command", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const client = clientOf(api);
  const device = await api.newDevice();
  const { data: player } = await client.post("/api/v1/players/pair", { body: { code: device.grant.user_code, name: "Lobby" } });
  await device.firstToken();
  const bytes = await picture();
  const { data: asset } = await client.post("/api/v1/assets", { params: { query: { name: "noise.png" } }, body: bytes });
  expect(asset).toMatchObject({ name: "noise.png", mime_type: "image/png", size_bytes: bytes.length });
  const content = await client.download("/api/v1/assets/{id}/content", { params: { path: { id: asset.id } } });
  expect(Buffer.from(content.data)).toEqual(bytes);

  const { data: playlist } = await client.post("/api/v1/playlists", {
    body: { name: "Loop", items: [{ type: "image", asset_id: asset.id, duration_ms: 5_000 }] },
  });
  const zone = { name: "main", left: 0, top: 0, width: 1920, height: 1080, playlist_id: playlist.id };
  const { data: layout } = await client.post("/api/v1/layouts", { body: { name: "Whole", zones: [zone] } });
  const one = { path: { id: player.id } };
  const read = await client.get("/api/v1/players/{id}", { params: one });
  const changed = await client.patch("/api/v1/players/{id}", {
    params: { ...one, header: { "If-Match": read.response.headers.get("etag")! } },
    body: { layout_id: layout.id },
  });
  expect(changed.data.layout_id).toBe(layout.id);
  const state = (await device.call("GET", "state")).body;
  expect(state.assets.map(({ sha256 }: { sha256: string }) => sha256)).toEqual([asset.sha256]);

  const { data: command } = await client.post("/api/v1/players/{id}/commands", { params: one, body: { type: "identify" } });
  expect(command).toMatchObject({ player_id: player.id, type: "identify", status: "queued" });
  await client.patch("/api/v1/players/{id}", { params: one, body: { layout_id: null } });
  expect((await client.delete("/api/v1/layouts/{id}", { params: { path: { id: layout.id } } })).response.status).toBe(204);
});

test("[GEN2] a problem is thrown with its type and fields", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const client = clientOf(api);
  const missing = await client.get("/api/v1/players/{id}", { params: { path: { id: `plr_${nobody}` } } }).catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(ProblemError);
  expect(missing).toMatchObject({ status: 404, kind: "not-found", problem: { request_id: expect.stringMatching(/^req_/) } });
  const invalid = await client.post("/api/v1/playlists", { body: { name: "" } }).catch((error: unknown) => error);
  expect(invalid).toMatchObject({ status: 422, kind: "invalid", problem: { errors: [{ pointer: "/name" }] } });
  const stranger = createClient({ baseUrl: api.service.url, token: "sgn_pat_nothing" });
  await expect(stranger.get("/api/v1/players")).rejects.toMatchObject({ status: 401, kind: "unauthorized" });
});

test("[GEN3] a list is read page by page, each entry once, newest first", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const client = clientOf(api);
  for (let index = 0; index < 7; index += 1) await client.post("/api/v1/playlists", { body: { name: `P${index}` } });
  const names: string[] = [];
  for await (const playlist of client.pages("/api/v1/playlists", { params: { query: { limit: 3 } } })) names.push(playlist.name);
  expect(names).toEqual(["P6", "P5", "P4", "P3", "P2", "P1", "P0"]);
  for await (const playlist of client.pages("/api/v1/playlists")) {
    expect(playlist.name).toBe("P6");
    break;
  }
});

test("[GEN4] a POST has an idempotency key, also when it is retried because its response was lost", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  let lost = 0;
  const client = createClient({
    baseUrl: api.service.url,
    token: api.token,
    retries: 2,
    fetch: async (request) => {
      const response = await fetch(request);
      if (lost++ > 0) return response;
      await response.body?.cancel();
      throw new TypeError("the connection broke");
    },
  });
  const { data, response } = await client.post("/api/v1/playlists", { body: { name: "Once" } });
  expect([data.name, response.headers.get("idempotency-replayed"), lost]).toEqual(["Once", "true", 2]);
  const { data: list } = await client.get("/api/v1/playlists");
  expect(list.data).toHaveLength(1);
});

test("[GEN5] retries honour Retry-After, end with the last response and are off by default", async () => {
  const requests: number[] = [];
  const server = createServer((_request, response) => {
    requests.push(performance.now());
    response.writeHead(429, { "Retry-After": "1", "Content-Type": "application/problem+json" });
    response.end(JSON.stringify({ type: "/problems/too-many", title: "Too many", status: 429, detail: "Wait", request_id: "req_1" }));
  }).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const about = { baseUrl: `http://127.0.0.1:${port}`, token: "t" };
    await expect(createClient(about).get("/api/v1/players")).rejects.toMatchObject({ kind: "too-many" });
    expect(requests).toHaveLength(1);
    await expect(createClient({ ...about, retries: 1 }).get("/api/v1/players")).rejects.toMatchObject({ status: 429 });
    expect(requests).toHaveLength(3);
    expect(requests[2]! - requests[1]!).toBeGreaterThan(990);
    const leaving = new AbortController();
    server.once("request", () => leaving.abort());
    const aborted = createClient({ ...about, retries: 5 }).get("/api/v1/players", { signal: leaving.signal });
    await expect(aborted).rejects.toThrow(/abort/i);
    expect(requests).toHaveLength(4);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("[GEN6] a call that the description does not have does not compile", () => {
  expectTypeOf<Schemas["Player"]["status"]>().toEqualTypeOf<"online" | "offline">();
  // Never called: the assertions are the compiler errors, checked by `npm run check`.
  const compiled = async (client: SignageClient) => {
    // @ts-expect-error -- no such field in the body
    await client.post("/api/v1/playlists", { body: { name: "P", colour: "red" } });
    // @ts-expect-error -- no such item type
    await client.post("/api/v1/playlists", { body: { name: "P", items: [{ type: "hologram" }] } });
    // @ts-expect-error -- the body is missing
    await client.post("/api/v1/playlists");
    // @ts-expect-error -- no such path
    await client.get("/api/v1/nothing");
    // @ts-expect-error -- the path has no such method
    await client.delete("/api/v1/playlists");
    // @ts-expect-error -- an id is missing
    await client.get("/api/v1/players/{id}");
    // @ts-expect-error -- a single resource is not a list
    client.pages("/api/v1/players/{id}", { params: { path: { id: "plr_" } } });
    const { data } = await client.get("/api/v1/players");
    expectTypeOf(data.data[0]!.name).toEqualTypeOf<string>();
    // @ts-expect-error -- a player has no such field
    expectTypeOf(data.data[0]!.colour).toBeString();
  };
  expect(compiled).toBeTypeOf("function");
});
