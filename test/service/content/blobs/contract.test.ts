import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { BlobCache } from "../../../../src/service/content/blobs/blob-cache.ts";
import { partBytes } from "../../../../src/service/content/blobs/s3/multipart.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { testContract } from "./contract.ts";
import { keepBytes, newBytes, openDisk, openS3 } from "./stores.ts";

testContract("disk", openDisk);
testContract("the stand-in for S3", openS3);

test("[BLS15] a file larger than a part is sent to the bucket in parts, so that a failure repeats only one part", async () => {
  await using opened = await openS3();
  const storedBy = async (sizeBytes: number): Promise<string[]> => {
    opened.s3.requests.length = 0;
    await keepBytes(opened, newBytes(sizeBytes).bytes);
    const stored = opened.s3.requests.filter(({ method }) => method === "PUT" || method === "POST");
    return stored.map(({ method, url }) => `${method} ${/partNumber=\d+/.exec(url)?.[0] ?? "whole"}`).toSorted();
  };
  expect(await storedBy(partBytes)).toEqual(["PUT whole"]);
  expect(await storedBy(partBytes + 1)).toEqual(["POST whole", "POST whole", "PUT partNumber=1", "PUT partNumber=2"]);
});

test("[BLS16] a file that could not be fetched into the cache is fetched again by its next use", async () => {
  await using folder = await temporaryFolder();
  const cache = await BlobCache.open(join(folder.path, "cache"), 1_000_000);
  const { bytes, blob } = newBytes(1_000);
  await expect(cache.use(blob, () => Promise.reject(new Error("the bucket is away")))).rejects.toThrow("away");
  await using file = await cache.use(blob, async () => Readable.from([bytes]));
  expect(await readFile(file.path)).toEqual(bytes);
});
