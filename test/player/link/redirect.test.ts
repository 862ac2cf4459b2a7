// The player's downloader with a real service that redirects to the stand-in for S3.
import { randomBytes } from "node:crypto";
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { downloadFile } from "../../../src/player/content/download-file.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import type { DesiredAsset } from "../../../src/protocol/device/desired-state.ts";
import { picture, TestService, type Device } from "../../service/harness.ts";
import { s3Config } from "../../service/content/blobs/stores.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { startS3Server, type S3Server } from "../../support/s3/server.ts";
import { assetOf } from "../../support/states.ts";

interface Fixture extends AsyncDisposable {
  s3: S3Server;
  bytes: Buffer;
  path: string;
  download: (asset?: DesiredAsset) => Promise<void>;
  /** The requests for bytes that the bucket got since the last call, by link or from the service. */
  asked: () => { isLink: boolean; range: string | undefined; authorization: string | undefined }[];
}

/** A device of a service whose downloads are redirected, and a file of its team. */
async function start(): Promise<Fixture> {
  await using owned = new AsyncDisposableStack();
  const folder = owned.use(await temporaryFolder());
  const s3 = owned.use(await startS3Server(join(folder.path, "bucket")));
  const data = join(folder.path, "data");
  await mkdir(data);
  const service = owned.use(await TestService.start(data, { s3: s3Config(s3.url, { links: { cdn: null } }) }));
  const device: Device = await service.pairDevice();
  // Bytes behind a picture's end make a larger file.
  const bytes = Buffer.concat([await picture("jpeg", 200), randomBytes(400_000)]);
  expect((await service.upload(bytes, "image/jpeg")).status).toBe(201);
  const api = owned.use(new ServiceApi(() => service.service.url));
  const path = join(folder.path, "file");
  let seen = s3.requests.length;
  const moved = owned.move();
  return {
    s3,
    bytes,
    path,
    download: (asset = assetOf(bytes, { mime_type: "image/jpeg" })) =>
      downloadFile(
        path,
        asset,
        (...file) => api.file(device.access.access_token, ...file),
        () => undefined,
        new AbortController().signal,
      ),
    asked: () => {
      const fresh = s3.requests.slice(seen).filter(({ method }) => method === "GET");
      seen = s3.requests.length;
      return fresh.map(({ url, headers: { authorization, range } }) => ({ isLink: url.includes("X-Amz-Signature"), range, authorization }));
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

test("[BLS9] the player follows a redirect without its token, resumes by Range, and verifies size and SHA-256", async () => {
  await using fixture = await start();
  const { asked, bytes, download, path, s3 } = fixture;
  s3.faults.add({ kind: "cut", method: "GET" });
  await expect(download()).rejects.toThrow("other side closed");
  const { size } = await stat(`${path}.part`);
  expect(size).toBeGreaterThan(0);
  expect(asked()).toEqual([{ isLink: true, range: undefined, authorization: undefined }]);
  await download();
  expect(await readFile(path)).toEqual(bytes);
  expect(asked()).toEqual([{ isLink: true, range: `bytes=${size}-`, authorization: undefined }]);
  s3.faults.add({ kind: "wrong-bytes", method: "GET" });
  await expect(download()).rejects.toMatchObject({ code: "asset-corrupt" });
  await expect(stat(`${path}.part`)).rejects.toMatchObject({ code: "ENOENT" });
  await download();
  expect(await readFile(path)).toEqual(bytes);
});

test("[BLS10] when the bucket does not send a redirected file to the player, the service does", async () => {
  await using fixture = await start();
  const { asked, bytes, download, path, s3 } = fixture;
  for (const kind of ["slow-down", "missing", "error"] as const) {
    s3.faults.add({ kind, method: "GET" });
    await download();
    expect(await readFile(path)).toEqual(bytes);
    const [byLink, byService] = asked();
    expect([byLink?.isLink, byService?.isLink]).toEqual([true, false]);
  }
});
