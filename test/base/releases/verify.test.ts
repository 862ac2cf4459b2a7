// The verification of release metadata and bundles, against repositories signed by real keys.
import { appendFile, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFromFolder } from "../../../src/base/releases/folder.ts";
import { verifyReleases, type VerifiedReleases } from "../../../src/base/releases/verify.ts";
import { verifyTarget } from "../../../src/base/releases/verify-target.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { SignedReleases, type SignedReleasesOptions } from "../../support/signed-releases.ts";

const now = Date.UTC(2031, 4, 1);
const aDayMs = 86_400_000;
const manifest = { version: "1.4.0", architecture: "amd64" as const, launcher_needed: "1.0.0" };

async function setUp(options: SignedReleasesOptions = {}) {
  const folder = await temporaryFolder();
  const releases = await SignedReleases.create(join(folder.path, "repository"), { now, ...options });
  const trustFolder = join(folder.path, "trust");
  const verify = (at = now, root = releases.anchor): Promise<VerifiedReleases> =>
    verifyReleases({ root, trustFolder, read: readFromFolder(releases.folder), now: at });
  return { releases, trustFolder, verify, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("[TUF1] metadata is accepted only with as many valid signatures of the root's keys as the threshold", async () => {
  await using setup = await setUp({ threshold: 2 });
  const path = await setup.releases.add(manifest, Buffer.from("bundle"));
  const target = (await setup.verify()).find("signage-player_1.4.0_amd64.tar.zst");
  expect(target).toMatchObject({ path, sizeBytes: 6, custom: manifest });
  await setup.releases.publish(1);
  await expect(setup.verify()).rejects.toMatchObject({ code: "signature" });
  await setup.releases.publish(2);
  expect((await setup.verify()).targets).toHaveLength(1);
});

test("[TUF1] metadata that was changed after it was signed is refused", async () => {
  await using setup = await setUp();
  for (const name of ["timestamp.json", "1.snapshot.json", "1.targets.json"]) {
    const path = join(setup.releases.folder, "metadata", name);
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace('"spec_version":"1.0.31"', '"spec_version":"1.0.30"'));
    await expect(setup.verify(), name).rejects.toMatchObject({ code: "signature" });
    await writeFile(path, text);
  }
});

test("[TUF2] a new root is accepted when the old root's keys signed it, and a device that missed several follows all of them", async () => {
  await using setup = await setUp();
  await setup.verify();
  await setup.releases.rotate();
  await setup.releases.rotate();
  expect((await setup.verify()).versions.root).toBe(3);
  await setup.releases.rotate(1);
  await expect(setup.verify()).rejects.toMatchObject({ code: "signature" });
});

test("[TUF2] another repository's root and metadata are refused", async () => {
  await using setup = await setUp();
  await using other = await setUp();
  await expect(setup.verify(now, other.releases.anchor)).rejects.toMatchObject({ code: "signature" });
  expect((await setup.verify()).versions.root).toBe(1);
  // The owner installs another trust anchor: what the old one signed is no longer trusted.
  await expect(setup.verify(now, other.releases.anchor)).rejects.toMatchObject({ code: "signature" });
});

test("[TUF3] metadata that is older than what was trusted before is refused", async () => {
  await using setup = await setUp();
  const old = await setup.releases.save();
  await setup.releases.add(manifest, Buffer.from("bundle"));
  expect((await setup.verify()).versions.targets).toBe(2);
  await setup.releases.restore(old);
  await expect(setup.verify()).rejects.toMatchObject({ code: "metadata-rollback" });
});

test.each(["root", "targets", "snapshot", "timestamp"] as const)(
  "[TUF4] metadata with an expired %s is refused by the given time, not by the machine's",
  async (role) => {
    await using setup = await setUp({ expiryDays: { [role]: 1 } });
    expect((await setup.verify(now + aDayMs - 1_000)).expiresAt).toBe(now + aDayMs);
    await expect(setup.verify(now + aDayMs)).rejects.toMatchObject({ code: "metadata-expired" });
    // Time that goes back makes it valid again: the caller decides which time it believes.
    expect((await setup.verify(now)).versions.timestamp).toBe(1);
  },
);

test("[TUF5] a bundle of another size or hash than signed, or a missing one, is refused", async () => {
  await using setup = await setUp();
  const path = join(setup.releases.folder, await setup.releases.add(manifest, Buffer.from("bundle")));
  const target = (await setup.verify()).targets[0]!;
  await verifyTarget(target, path);
  await writeFile(path, "bundlE");
  await expect(verifyTarget(target, path)).rejects.toMatchObject({ code: "file-corrupt" });
  await appendFile(path, "x");
  await expect(verifyTarget(target, path)).rejects.toMatchObject({ code: "file-corrupt" });
  await rm(path);
  await expect(verifyTarget(target, path)).rejects.toMatchObject({ code: "metadata-missing" });
});

test("[TUF6] incomplete metadata is reported as such, and is accepted when the rest is there", async () => {
  await using setup = await setUp();
  for (const name of ["timestamp.json", "1.snapshot.json", "1.targets.json"]) {
    const path = join(setup.releases.folder, "metadata", name);
    await rename(path, `${path}.away`);
    await expect(setup.verify(), name).rejects.toMatchObject({ code: "metadata-missing", message: expect.stringContaining(name) });
    await rename(`${path}.away`, path);
  }
  expect((await setup.verify()).versions.targets).toBe(1);
});

test("[TUF6] trusted metadata that is damaged on the disk is replaced from the repository", async () => {
  await using setup = await setUp();
  await setup.verify();
  for (const name of await readdir(setup.trustFolder)) await writeFile(join(setup.trustFolder, name), "{");
  expect((await setup.verify()).versions.root).toBe(1);
  expect((await readdir(setup.trustFolder)).toSorted()).toEqual(
    ["anchor.json", "root.json", "snapshot.json", "targets.json", "timestamp.json"].toSorted(),
  );
});
