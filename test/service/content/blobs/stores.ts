// The blob stores that the contract runs on: the disk, the stand-in for S3, and s3rver.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { longTool } from "../../../../scripts/test/long-tools.ts";
import { createSystemClock } from "../../../../src/base/clock.ts";
import type { BlobName, BlobStore, ReceivedFile } from "../../../../src/service/content/blobs/blob-store.ts";
import { BlobMarks } from "../../../../src/service/content/blobs/blob-marks.ts";
import { DiskBlobs } from "../../../../src/service/content/blobs/disk-blobs.ts";
import type { S3Config } from "../../../../src/service/content/blobs/s3/config.ts";
import { S3Blobs } from "../../../../src/service/content/blobs/s3/s3-blobs.ts";
import { openStore, type Store } from "../../../../src/service/store/store.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { startS3Server, testBucket, testCredentials, type S3Server } from "../../../support/s3/server.ts";
import { copyMigratedDatabases } from "../../migrated-databases.ts";

export interface OpenedBlobs extends AsyncDisposable {
  blobs: BlobStore;
  store: Store;
  marks: BlobMarks;
}

export interface OpenedS3 extends OpenedBlobs {
  blobs: S3Blobs;
  s3: S3Server;
  config: S3Config;
}

/** The configuration of a bucket at a stand-in. */
export function s3Config(url: string, more: Partial<S3Config> = {}): S3Config {
  return {
    bucket: testBucket,
    prefix: "fleet/",
    endpoint: url,
    region: "us-east-1",
    isPathStyle: true,
    credentials: testCredentials,
    links: null,
    cacheBytes: 100_000_000,
    ...more,
  };
}

export async function openDisk(): Promise<OpenedBlobs> {
  await using owned = new AsyncDisposableStack();
  const { folder, store, marks } = await openParts(owned);
  const blobs = owned.use(await DiskBlobs.open(join(folder, "blobs")));
  const moved = owned.move();
  return { blobs, store, marks, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

export async function openS3(more: Partial<S3Config> = {}, now: () => number = Date.now): Promise<OpenedS3> {
  await using owned = new AsyncDisposableStack();
  const { folder, store, marks } = await openParts(owned);
  const s3 = owned.use(await startS3Server(join(folder, "bucket"), { now }));
  const config = s3Config(s3.url, more);
  const blobs = owned.use(await S3Blobs.open(join(folder, "blobs"), config, { marks, clock: createSystemClock() }));
  const moved = owned.move();
  return { blobs, store, marks, s3, config, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** s3rver, a stand-in that others wrote (https://github.com/jamhall/s3rver). */
export async function openS3rver(): Promise<OpenedBlobs> {
  await using owned = new AsyncDisposableStack();
  const { folder, store, marks } = await openParts(owned);
  const { default: S3rver } = (await import(longTool("s3rver/lib/s3rver.js"))) as { default: new (options: object) => S3rverServer };
  const options = { port: 0, address: "127.0.0.1", silent: true, directory: join(folder, "bucket") };
  const server = new S3rver({ ...options, configureBuckets: [{ name: testBucket }] });
  const { port } = await server.run();
  owned.defer(() => server.close());
  // s3rver knows one pair of credentials.
  const credentials = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };
  const config = s3Config(`http://127.0.0.1:${port}`, { credentials });
  await keepFoldersOf(join(folder, "bucket", testBucket, config.prefix, "blobs"));
  const blobs = owned.use(await S3Blobs.open(join(folder, "blobs"), config, { marks, clock: createSystemClock() }));
  const moved = owned.move();
  return { blobs, store, marks, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** s3rver removes a folder with its last object, and fails with a 500 if two of them are deleted at the same time. */
async function keepFoldersOf(blobs: string): Promise<void> {
  for (let first = 0; first < 256; first += 1) {
    const folder = join(blobs, first.toString(16).padStart(2, "0"));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "no-object"), "");
  }
}

interface S3rverServer {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
}

async function openParts(owned: AsyncDisposableStack): Promise<{ folder: string; store: Store; marks: BlobMarks }> {
  const { path: folder } = owned.use(await temporaryFolder());
  await copyMigratedDatabases(folder);
  const store = owned.use(await openStore(folder));
  return { folder, store, marks: new BlobMarks(store, createSystemClock()) };
}

/** Bytes that no other call returns. */
export function newBytes(size: number): { bytes: Buffer; blob: BlobName } {
  const bytes = randomBytes(size);
  return { bytes, blob: { sha256: createHash("sha256").update(bytes).digest("hex"), sizeBytes: size } };
}

/** Receives, prepares and keeps bytes, as an upload does. */
export async function keepBytes({ blobs, store }: OpenedBlobs, bytes: Buffer): Promise<ReceivedFile> {
  await using received = await blobs.receive(partsOf(bytes), bytes.length);
  await blobs.prepare(received);
  await store.write((db) => blobs.keep(db, received));
  return received;
}

export async function readAll({ blobs }: OpenedBlobs, blob: BlobName, start = 0, end = blob.sizeBytes - 1): Promise<Buffer> {
  return Buffer.concat(await (await blobs.read(blob, start, end)).toArray());
}

export async function hashesIn({ blobs }: OpenedBlobs): Promise<string[]> {
  const found: string[] = [];
  for await (const page of blobs.allHashes()) found.push(...page);
  return found.sort();
}

async function* partsOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1_000_000) yield bytes.subarray(at, at + 1_000_000);
}
