// What goes wrong between the service and a bucket: faults of the stand-in for S3, late deletions, other places.
import { expect, test } from "vitest";
import { createSystemClock } from "../../../../src/base/clock.ts";
import { silentLog } from "../../../../src/base/log.ts";
import { BlobSweeper } from "../../../../src/service/content/blob-sweeper.ts";
import { BlobMarks } from "../../../../src/service/content/blobs/blob-marks.ts";
import { claimPlace, nameOfPlace } from "../../../../src/service/content/blobs/blobs-place.ts";
import { S3Blobs } from "../../../../src/service/content/blobs/s3/s3-blobs.ts";
import type { S3Fault } from "../../../support/s3/s3-faults.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { hashesIn, keepBytes, newBytes, openS3, readAll, s3Config } from "./stores.ts";

const patient = { timeout: 120_000 };
// As often as the client repeats a request.
const always = { times: 4 };

test("[BLS13] uploads that fail store nothing, and succeed afterwards", patient, async () => {
  await using opened = await openS3();
  const { blobs, s3 } = opened;
  const small = newBytes(50_000);
  // In two parts.
  const large = newBytes(17_000_000);
  for (const [method, { bytes, blob }, kinds] of [
    ["PUT", small, ["error", "slow-down", "cut", "wrong-bytes"]],
    ["PUT", large, ["error", "wrong-bytes"]],
    ["POST", large, ["slow-down"]],
  ] as const) {
    for (const kind of kinds) {
      s3.faults.add({ kind, method, times: method === "PUT" && blob === large.blob ? 8 : 4 });
      const failed = await keepBytes(opened, bytes).catch((error: unknown) => error);
      expect([method, kind, failed]).toMatchObject([method, kind, { code: "blobs-unavailable" }]);
      s3.faults.clear();
      expect(await hashesIn(opened)).toEqual([]);
    }
    s3.faults.add({ kind: "slow", method, ms: 300 });
    await keepBytes(opened, bytes);
    expect((await readAll(opened, blob)).equals(bytes)).toBe(true);
    await (await blobs.permitRemoval([blob.sha256])).delete([blob.sha256]);
  }
});

test("[BLS13] downloads that fail never end as if they were whole, and succeed afterwards", patient, async () => {
  await using opened = await openS3();
  const { s3 } = opened;
  const { bytes, blob } = newBytes(400_000);
  await keepBytes(opened, bytes);
  const faults: [S3Fault["kind"], string][] = [
    ["error", "blobs-unavailable"],
    ["slow-down", "blobs-unavailable"],
    ["cut", "blobs-unavailable"],
    ["truncated", "asset-corrupt"],
    ["wrong-bytes", "asset-corrupt"],
    ["missing", "asset-missing"],
  ];
  for (const [kind, code] of faults) {
    s3.faults.add({ kind, method: "GET", ...always });
    await expect(readAll(opened, blob), kind).rejects.toMatchObject({ code });
    s3.faults.clear();
    // Nobody can tell one wrong bit of a part; players verify the whole.
    if (kind === "wrong-bytes") continue;
    s3.faults.add({ kind, method: "GET", ...always });
    await expect(readAll(opened, blob, 1_000, 300_000), kind).rejects.toMatchObject({ code });
    s3.faults.clear();
    expect((await readAll(opened, blob)).equals(bytes)).toBe(true);
  }
  s3.faults.add({ kind: "slow", method: "GET", ms: 300 });
  expect((await readAll(opened, blob)).equals(bytes)).toBe(true);
});

test("[BLS12] a deletion that a paused node sends too late is refused, whatever its clock says; blob and mark stay", patient, async () => {
  // The bucket's clock is two minutes ahead.
  let bucketAheadMs = 120_000;
  await using opened = await openS3({}, () => Date.now() + bucketAheadMs);
  const { blobs, store } = opened;
  const marks = new BlobMarks(store, createSystemClock(), 0);
  const { bytes, blob } = newBytes(1_000);
  await keepBytes(opened, bytes);
  let pauseMs = 11_000;
  const paused = Object.create(blobs, {
    isShared: { value: true },
    check: { value: (signal: AbortSignal) => blobs.check(signal) },
    allHashes: { value: () => blobs.allHashes() },
    permitRemoval: {
      value: async (hashes: string[]) => {
        const removal = await blobs.permitRemoval(hashes);
        const late = async (some: readonly string[]) => {
          bucketAheadMs += pauseMs;
          await removal.delete(some);
        };
        return { delete: late };
      },
    },
  }) as S3Blobs;
  const sweeper = new BlobSweeper({ blobs: paused, marks, store, clock: createSystemClock(), log: silentLog });
  await expect(sweeper.sweep()).rejects.toMatchObject({ code: "blobs-unavailable", message: expect.stringContaining("too late") });
  expect(await hashesIn(opened)).toEqual([blob.sha256]);
  expect(await marks.due(10)).toEqual([blob.sha256]);
  pauseMs = 5_000;
  await sweeper.sweep();
  expect(await hashesIn(opened)).toEqual([]);
  expect(await marks.due(10)).toEqual([]);
});

test("[BLS12] a file whose blob may be about to be deleted is stored after the permission has ended", patient, async () => {
  await using opened = await openS3();
  const { config, store } = opened;
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const marks = new BlobMarks(store, clock, 0);
  await using blobs = await S3Blobs.open(folder.path, config, { marks, clock });
  const { bytes, blob } = newBytes(1_000);
  await keepBytes(opened, bytes);
  await store.write((db) => marks.mark(db, [blob.sha256]));
  await blobs.check(AbortSignal.timeout(10_000));
  // Another node has the permission, and its transaction has ended.
  const late = await blobs.permitRemoval([blob.sha256]);
  await using received = await blobs.receive(
    (async function* () {
      yield bytes;
    })(),
    1_000,
  );
  const prepared = blobs.prepare(received);
  await expect.poll(() => marks.due(10)).toEqual([]);
  await late.delete([blob.sha256]);
  clock.advance(11_000);
  await expect
    .poll(async () => {
      clock.advance(1_000);
      return hashesIn(opened);
    })
    .toEqual([blob.sha256]);
  await prepared;
});

test("[BLS14] a node with another place of the blobs than the first of its database is refused with an error that names both, without credentials", async () => {
  await using opened = await openS3();
  const { db } = opened.store;
  const config = s3Config("http://user:secret@127.0.0.1:9000");
  await claimPlace(db, config);
  await claimPlace(db, { ...config, cacheBytes: 1, links: { cdn: null } });
  expect(nameOfPlace(config)).toBe("s3://signage/fleet at 127.0.0.1:9000");
  for (const [other, name] of [
    [null, "the data folders of the nodes (no --blobs)"],
    [{ ...config, bucket: "other" }, "s3://other/fleet at 127.0.0.1:9000"],
    [{ ...config, prefix: "" }, "s3://signage at 127.0.0.1:9000"],
    [{ ...config, endpoint: null }, "s3://signage/fleet"],
  ] as const) {
    const refused = claimPlace(db, other);
    await expect(refused).rejects.toMatchObject({ code: "refused" });
    const message = await refused.catch((error: Error) => error.message);
    expect(message).toContain(`keep their blobs in s3://signage/fleet at 127.0.0.1:9000, and this one is started with ${name}:`);
    expect(message).not.toContain("secret");
  }
});
