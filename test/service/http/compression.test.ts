// Compressed responses of the API.
import { get, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";

interface Sent {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** A response as it is on the wire: `fetch` would decompress it. */
async function read(api: TestService, path: string, acceptEncoding: string | null): Promise<Sent> {
  const headers = { authorization: `Bearer ${api.token}`, ...(acceptEncoding === null ? {} : { "accept-encoding": acceptEncoding }) };
  const { promise, resolve, reject } = Promise.withResolvers<Sent>();
  const request = get(`${api.service.url}/api/v1/${path}`, { headers }, (response) => {
    const { statusCode: status, headers: sent } = response;
    buffer(response).then((bytes) => resolve({ status, headers: sent, bytes }), reject);
  });
  request.on("error", reject);
  return promise;
}

const codingOf = ({ headers }: Sent): string | undefined => headers["content-encoding"];

test("[HTT6] large responses about screens and content are compressed by br or gzip as the client accepts, small ones and those about access not", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  for (let count = 0; count < 20; count += 1) await api.pairDevice(`Screen ${count}`);
  const plain = await read(api, "players/roster", null);
  expect([plain.status, codingOf(plain), plain.headers.vary]).toEqual([200, undefined, "Accept-Encoding"]);
  expect(Number(plain.headers["content-length"])).toBe(plain.bytes.length);
  const br = await read(api, "players/roster", "gzip, deflate, br");
  const gzip = await read(api, "players/roster", "gzip, br;q=0");
  expect([codingOf(br), br.headers.vary, codingOf(gzip), gzip.headers.vary]).toEqual(["br", "Accept-Encoding", "gzip", "Accept-Encoding"]);
  expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
  expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
  expect(Number(br.headers["content-length"])).toBe(br.bytes.length);
  expect(br.bytes.length * 5).toBeLessThan(plain.bytes.length);
  expect(codingOf(await read(api, "players/roster", "identity"))).toBeUndefined();

  const small = await read(api, "players/roster?limit=1", "br, gzip");
  expect([codingOf(small), small.headers.vary]).toEqual([undefined, "Accept-Encoding"]);
  for (let count = 0; count < 10; count += 1) await api.call("POST", "tokens", { name: `Token ${count}`, scopes: ["players:read"] });
  const tokens = await read(api, "tokens", "br, gzip");
  expect([tokens.bytes.length > 1_024, codingOf(tokens)]).toEqual([true, undefined]);
  const refused = await read(api, `players?q=${"x".repeat(3_000)}`, "br, gzip");
  expect([refused.status, codingOf(refused)]).toEqual([422, undefined]);
});

test("[HTT7] a compressed response has the ETag of the plain one, with which a client writes", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const zones = Array.from({ length: 20 }, (_, place) => ({ name: `Zone ${place}`, left: 0, top: place, width: 100, height: 1 }));
  const { body: layout } = await api.call("POST", "layouts", { name: "L", width: 100, height: 100, zones });
  const path = `layouts/${layout.id}`;
  const [plain, compressed] = [await read(api, path, null), await read(api, path, "br")];
  expect([codingOf(compressed), compressed.headers.etag]).toEqual(["br", plain.headers.etag]);
  const changed = await api.call("PATCH", path, { name: "M" }, { "if-match": compressed.headers.etag! });
  expect(changed.status).toBe(200);
  expect((await api.call("PATCH", path, { name: "N" }, { "if-match": compressed.headers.etag! })).status).toBe(412);
});
