// Resumable uploads whose bytes are in the stand-in for S3: at two nodes on one database, and with a node that dies or sleeps.
import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { BucketUploads } from "../../../../src/service/content/uploads/bucket-uploads.ts";
import { pieceBytes } from "../../../../src/service/content/uploads/piece-file.ts";
import { silentLog } from "../../../../src/base/log.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { startS3Server, type S3Server } from "../../../support/s3/server.ts";
import { picture, type TestService } from "../../harness.ts";
import { startTwoServices } from "../../nodes/two-services.ts";
import { sharedPostgres } from "../../test-database.ts";
import { openS3, s3Config, type OpenedS3 } from "../blobs/stores.ts";

const patient = { timeout: 180_000 };
const tus = { "tus-resumable": "1.0.0" };

async function startNodes() {
  await using owned = new AsyncDisposableStack();
  const folder = owned.use(await temporaryFolder());
  const s3 = owned.use(await startS3Server(folder.path));
  const { a, b } = owned.use(await startTwoServices(await sharedPostgres(), { s3: s3Config(s3.url) }));
  const moved = owned.move();
  return { a, b, s3, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** Creates an upload. @returns its path */
async function create(api: TestService, length: number): Promise<string> {
  const created = await api.call("POST", "uploads", undefined, { ...tus, "upload-length": String(length) });
  expect(created.status).toBe(201);
  return new URL(created.headers.get("location")!, api.service.url).pathname;
}

function append(api: TestService, path: string, offset: number, bytes: Buffer) {
  const headers = { ...tus, "content-type": "application/offset+octet-stream", "upload-offset": String(offset) };
  return api.call("PATCH", path, bytes, headers);
}

/** Sends bytes and goes on to wait, as a sender does whose connection has broken without a word. @returns whether the service has ended it */
function appendAndHang(api: TestService, path: string, bytes: Buffer, length: number): { ended: Promise<unknown> } {
  const headers = { ...tus, "content-type": "application/offset+octet-stream", "upload-offset": "0", "content-length": length };
  const sending = request(new URL(path, api.service.url), {
    method: "PATCH",
    headers: { ...headers, authorization: `Bearer ${api.token}` },
  });
  sending.write(bytes);
  const ended = new Promise((resolve) => sending.on("response", resolve).on("error", resolve));
  return { ended };
}

async function offsetAt(api: TestService, path: string): Promise<number> {
  return Number((await api.call("HEAD", path, undefined, tus)).headers.get("upload-offset"));
}

/** The keys of all pieces in the bucket. */
async function piecesOf({ blobs }: OpenedS3): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of blobs.bucket.list("fleet/uploads/")) keys.push(...page.map(({ key }) => key));
  return keys;
}

const piecesSent = (s3: S3Server) => s3.requests.filter(({ method, url }) => method === "PUT" && url.includes("/uploads/")).length;

test("[UPL9] an upload on several nodes with a bucket goes on at any node, and becomes one asset with its bytes", patient, async () => {
  await using nodes = await startNodes();
  const { a, b, s3 } = nodes;
  const bytes = Buffer.concat([await picture("jpeg", 400), randomBytes(pieceBytes + 1_000_000)]);
  const path = await create(a, bytes.length);
  expect((await append(b, path, 0, bytes.subarray(0, 5_000))).status).toBe(204);
  expect(await offsetAt(a, path)).toBe(5_000);
  expect((await append(a, path, 5_000, bytes.subarray(5_000, 6_000))).status).toBe(204);
  // Of two that send the same bytes at once one succeeds.
  const both = await Promise.all([a, b].map((api) => append(api, path, 6_000, bytes.subarray(6_000, 7_000))));
  expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([204, 409]);
  const last = await append(b, path, 7_000, bytes.subarray(7_000));
  expect(last.status, JSON.stringify(last.body)).toBe(204);
  const id = last.headers.get("asset-id")!;
  const asset = (await a.call("GET", `assets/${id}`)).body;
  expect(asset.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect((await a.call("GET", `assets/${id}/content`)).body.equals(bytes)).toBe(true);
  expect((await a.call("GET", path)).body).toMatchObject({ status: "finished", asset_id: id, offset_bytes: bytes.length });
  expect(piecesSent(s3)).toBe(5);
  const deleted = s3.requests.filter(({ method, url }) => method === "DELETE" && url.includes("/uploads/")).length;
  expect(deleted).toBe(5);
});

test(
  "[UPL10] a sender that comes again at another node gets the lock from the request that hangs, whose bytes are kept",
  patient,
  async () => {
    await using nodes = await startNodes();
    const { a, b } = nodes;
    const bytes = await picture("png", 500);
    const path = await create(a, bytes.length);
    const hanging = appendAndHang(a, path, bytes.subarray(0, 4_000), bytes.length);
    await expect.poll(async () => (await a.call("GET", path)).status, patient).toBe(200);
    // The first request holds the lock, so that this ends it.
    await expect.poll(() => offsetAt(b, path), patient).toBe(4_000);
    await hanging.ended;
    const last = await append(b, path, 4_000, bytes.subarray(4_000));
    const id = last.headers.get("asset-id")!;
    expect((await b.call("GET", `assets/${id}/content`)).body).toEqual(bytes);
  },
);

test("[UPL11] the lock of a node that died ends by itself; a node that slept meanwhile cannot append", patient, async () => {
  await using opened = await openS3();
  const { blobs, store } = opened;
  const [sleeping, awake] = [new FakeClock(), new FakeClock()];
  const [a, b] = [sleeping, awake].map((clock) => new BucketUploads({ blobs, store, clock, log: silentLog })) as [
    BucketUploads,
    BucketUploads,
  ];
  const signal = new AbortController().signal;
  const lock = a.locker.newLock("upl_1");
  await lock.lock(signal, () => undefined);
  const woken = Promise.withResolvers<void>();
  // The node stores a first piece, and receives another one when it is paused.
  const source = Readable.from(
    (async function* () {
      yield randomBytes(pieceBytes);
      await woken.promise;
      yield Buffer.from("late");
    })(),
  );
  const late = a.append("upl_1", source, 0);
  await expect.poll(() => b.offsetOf("upl_1"), patient).toBe(pieceBytes);
  const other = b.locker.newLock("upl_1");
  const locked = other.lock(signal, () => undefined);
  await expect
    .poll(async () => {
      awake.advance(1_000);
      return (await store.db.selectFrom("upload_locks").select("is_wanted").execute()).map((row) => row.is_wanted);
    }, patient)
    .toEqual([0]);
  for (let passed = 0; passed < 12_000; passed += 250) {
    awake.advance(250);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await locked;
  expect(await b.append("upl_1", Readable.from([Buffer.from("next")]), pieceBytes)).toBe(pieceBytes + 4);
  woken.resolve();
  await expect(late).rejects.toMatchObject({ kind: "in-flight" });
  expect(await b.offsetOf("upl_1")).toBe(pieceBytes + 4);
  // What it has sent in vain is not in the way.
  expect(await piecesOf(opened)).toHaveLength(2);
  await lock.unlock();
  await other.unlock();
  expect(await store.db.selectFrom("upload_locks").selectAll().execute()).toEqual([]);
});

test(
  "[UPL12] pieces of uploads that are finished, deleted or expired are deleted from the bucket, also after an outage",
  patient,
  async () => {
    await using opened = await openS3();
    const { blobs, s3, store } = opened;
    const uploads = new BucketUploads({ blobs, store, clock: new FakeClock(), log: silentLog });
    const row = { team_id: "team_1", name: "x", metadata: "{}", content_type: null, size_bytes: 4, asset_id: null, error: null };
    const team = { id: "team_1", name: "T", safe_asset_id: null, approval: "none" as const };
    await store.db
      .insertInto("teams")
      .values({ ...team, created_at: 0, updated_at: 0, deleted_at: null })
      .execute();
    for (const id of ["upl_1", "upl_2"]) {
      await uploads.append(id, Readable.from([Buffer.from("four")]), 0);
    }
    await store.db
      .insertInto("uploads")
      .values({ id: "upl_2", ...row, created_at: 0, expires_at: 1 })
      .execute();
    // A piece whose row a node that died did not insert.
    await blobs.bucket.put("fleet/uploads/upl_3/0-abc", Buffer.from("orphan"), false);
    s3.faults.add({ kind: "error", method: "GET", key: "^$", times: 4 });
    await uploads.remove("upl_1");
    expect(await piecesOf(opened)).toHaveLength(3);
    expect(await uploads.leftOver()).toEqual(["upl_2"]);
    expect((await piecesOf(opened)).map((key) => key.split("/")[2])).toEqual(["upl_2"]);
    expect(await uploads.offsetOf("upl_1")).toBe(0);
  },
);

test("[UPL13] while the bucket fails an upload is answered 503, keeps its offset, and goes on when it is back", patient, async () => {
  await using nodes = await startNodes();
  const { a, s3 } = nodes;
  const bytes = await picture("png", 300);
  const path = await create(a, bytes.length);
  expect((await append(a, path, 0, bytes.subarray(0, 1_000))).status).toBe(204);
  for (const kind of ["error", "slow-down", "cut"] as const) {
    s3.faults.add({ kind, method: "PUT", times: 4 });
    const refused = await append(a, path, 1_000, bytes.subarray(1_000));
    expect([kind, refused.status, refused.body.type]).toEqual([kind, 503, "/problems/unavailable"]);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    s3.faults.clear();
    expect(await offsetAt(a, path)).toBe(1_000);
  }
  // Pieces that come back wrong do not become an asset.
  s3.faults.add({ kind: "wrong-bytes", method: "GET", key: "/uploads/" });
  const damaged = await append(a, path, 1_000, bytes.subarray(1_000));
  expect([damaged.status, damaged.body.type]).toEqual([500, "/problems/file-damaged"]);
  expect((await a.call("GET", "assets")).body.data).toEqual([]);
  const { asset_id: id } = (await a.call("GET", path)).body;
  expect((await a.call("GET", `assets/${id}/content`)).body).toEqual(bytes);
});
