// Signing release repositories: keys, thresholds, rotation, expiry, and what players accept afterwards.
import { execFile } from "node:child_process";
import { copyFile, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readFromFolder } from "../../../src/base/releases/folder.ts";
import { verifyReleases } from "../../../src/base/releases/verify.ts";
import { rootFolder } from "../../../src/main/folders.ts";
import { commands } from "../../../src/main/release/commands.ts";
import { addBundles, deleteUnused, removeVersion } from "../../../src/main/release/bundles.ts";
import { makeKeyFiles, readPublicKey, readSigningKey, type SigningKey } from "../../../src/main/release/keys.ts";
import { ReleaseRepository } from "../../../src/main/release/repository.ts";
import { initRepository, rotateRoot, signAndPublish } from "../../../src/main/release/root-keys.ts";
import { defaultDays, renewTimestamp, type Signing } from "../../../src/main/release/signing.ts";
import { readStatus, verifyRepository } from "../../../src/main/release/status.ts";
import { writeBundle } from "../../support/bundle-file.ts";
import { temporaryFolder } from "../../support/folder.ts";

const now = Date.UTC(2026, 10, 21);
const dayMs = 86_400_000;
const signal = new AbortController().signal;
const manifest = { version: "1.4.0", architecture: "amd64", launcher_needed: "1.0.0" } as const;

type Names = "a" | "b" | "c" | "online";

/** Keys on disk, and a repository whose root and targets need two of three signatures. */
async function setUp(folder: string) {
  const keys = {} as Record<Names, SigningKey>;
  for (const name of ["a", "b", "c", "online"] as const) {
    await makeKeyFiles(join(folder, name), null);
    keys[name] = await readSigningKey(join(folder, name), null);
  }
  const by = (...names: Names[]): Signing => ({ keys: names.map((name) => keys[name]), now, days: defaultDays });
  const repo = join(folder, "repo");
  const shared = (...names: Names[]) => Promise.all(names.map((name) => readPublicKey(join(folder, `${name}.pub`))));
  const roles = { keys: { root: await shared("a", "b", "c"), timestamp: await shared("online") }, thresholds: { root: 2 } };
  await initRepository(repo, roles, by("a", "b", "online"));
  const open = () => ReleaseRepository.open(repo);
  const bundle = join(folder, "bundle.tar.zst");
  await writeBundle(bundle, manifest);
  const accepted = async (at = now) => {
    const root = await readFile(join(repo, "metadata/1.root.json"));
    const { targets, versions } = await verifyReleases({
      root,
      trustFolder: join(folder, "trust"),
      read: readFromFolder(repo),
      now: at,
      signal,
    });
    return { names: targets.map(({ name }) => name), versions, targets };
  };
  return { repo, keys, by, shared, open, bundle, accepted, roles };
}

test("[REL1] the commands make keys, a repository and a release that a player verifies with its first root", async () => {
  await using folder = await temporaryFolder();
  const run = promisify(execFile);
  const release = async (...argv: string[]) => {
    const { stdout } = await run(process.execPath, [join(rootFolder, "src/main/release/release.ts"), ...argv], { cwd: folder.path });
    return stdout;
  };
  await release("keys", "root.key");
  await writeBundle(join(folder.path, "b.tar.zst"), manifest);
  const roles = ["--root-keys", "root.key.pub", "--timestamp-keys", "root.key.pub"];
  expect(await release("init", "--repository", "repo", "--keys", "root.key", ...roles)).toContain("Published, timestamp version 1");
  expect(await release("add", "b.tar.zst", "--repository", "repo", "--keys", "root.key")).toContain("signage-player_1.4.0_amd64.tar.zst");
  expect(await release("verify", "--repository", "repo")).toContain("1 bundles");
  const status = JSON.parse(await release("status", "--repository", "repo", "--json")) as { releases: unknown[]; warnings: unknown[] };
  expect(status.releases).toMatchObject([{ version: "1.4.0", architecture: "amd64" }]);
  expect(status.warnings).toEqual([]);
  await expect(release("add", "--repository", "repo")).rejects.toMatchObject({ code: 2, stderr: /name the bundles to add/ });
  await expect(release("sing")).rejects.toMatchObject({ code: 2, stderr: /no command “sing”/ });
});

test("[REL2] a release is published only when enough keys have signed it, one machine after the other", async () => {
  await using folder = await temporaryFolder();
  const { by, open, bundle, accepted, repo } = await setUp(folder.path);
  const { outcome } = await addBundles(await open(), [bundle], by("a"), signal);
  expect(outcome).toMatchObject({ is: "waiting", missing: [{ role: "targets", have: 1, threshold: 2 }] });
  expect((await accepted()).names).toEqual([]);
  // The same key again is no second signature.
  expect(await signAndPublish(await open(), by("a", "online"))).toMatchObject({ is: "waiting", missing: [{ have: 1 }] });
  expect(await signAndPublish(await open(), by("c"))).toEqual({ is: "waiting", missing: [], forRoles: ["snapshot", "timestamp"] });
  expect((await accepted()).names).toEqual([]);
  expect(await signAndPublish(await open(), by("online"))).toMatchObject({ is: "published" });
  expect((await accepted()).names).toEqual(["signage-player_1.4.0_amd64.tar.zst"]);
  expect((await readdir(repo)).toSorted()).toEqual(["metadata", "targets"]);
});

test("[REL2] the flags of the thresholds say how many keys have to sign, and more keys than there are is refused", async () => {
  await using folder = await temporaryFolder();
  const key = join(folder.path, "k");
  await makeKeyFiles(key, null);
  const flags = ["--repository", join(folder.path, "repo"), "--keys", key, "--root-keys", `${key}.pub`, "--timestamp-keys", `${key}.pub`];
  for (const role of ["root", "targets"]) {
    const init = commands.get("init")!([...flags, `--${role}-threshold`, "2"]);
    await expect(init(signal)).rejects.toThrow(`${role}: 2 of 1 keys can never sign`);
  }
});

test("[REL3] version, architecture, size and hash come from the bundle, and a released version never changes", async () => {
  await using folder = await temporaryFolder();
  const { by, open, bundle, accepted } = await setUp(folder.path);
  const signing = by("a", "b", "online");
  await addBundles(await open(), [bundle], signing, signal);
  const [target] = (await accepted()).targets;
  expect(target).toMatchObject({ sizeBytes: (await stat(bundle)).size, custom: manifest });
  const again = await addBundles(await open(), [bundle], signing, signal);
  expect(again.added).toMatchObject([{ isNew: false }]);
  const other = join(folder.path, "other.tar.zst");
  await writeBundle(other, manifest, Buffer.from("another program"));
  await expect(addBundles(await open(), [other], signing, signal)).rejects.toThrow(/with other bytes/);
  await writeBundle(other, undefined);
  await expect(addBundles(await open(), [other], signing, signal)).rejects.toThrow(/release\.json is missing/);
  await writeFile(other, "no archive");
  await expect(addBundles(await open(), [other], signing, signal)).rejects.toThrow(/is no bundle/);
  expect((await accepted()).names).toHaveLength(1);
});

test("[REL4] a rotated root is accepted only with the old and the new threshold, and releases stay valid", async () => {
  await using folder = await temporaryFolder();
  const { by, open, bundle, accepted, shared } = await setUp(folder.path);
  await addBundles(await open(), [bundle], by("a", "b", "online"), signal);
  await makeKeyFiles(join(folder.path, "new"), null);
  const fresh = await readSigningKey(join(folder.path, "new"), null);
  const keys = [...(await shared("b")), await readPublicKey(join(folder.path, "new.pub"))];
  const next = { keys: { root: keys, targets: keys }, thresholds: { root: 2, targets: 2 } };
  // The new threshold alone: b counts for the old root once.
  const alone = { ...by("b", "online"), keys: [...by("b", "online").keys, fresh] };
  expect(await rotateRoot(await open(), next, alone)).toMatchObject({ is: "waiting", missing: [{ role: "root", have: 1, threshold: 2 }] });
  expect((await accepted()).versions.root).toBe(1);
  expect(await signAndPublish(await open(), by("c", "online"))).toMatchObject({ is: "published" });
  expect(await accepted()).toMatchObject({ versions: { root: 2 }, names: ["signage-player_1.4.0_amd64.tar.zst"] });
  await expect(rotateRoot(await open(), { keys: {}, thresholds: { root: 3 } }, alone)).rejects.toThrow(/3 of 2 keys can never sign/);
});

test("[REL5] an encrypted key needs its passphrase, and a key file is never replaced", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "k");
  await makeKeyFiles(path, "correct horse");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(readSigningKey(path, null)).rejects.toThrow(/--passphrase-file/);
  await expect(readSigningKey(path, "wrong")).rejects.toThrow(/passphrase is wrong/);
  const { key } = await readSigningKey(path, "correct horse");
  expect(key.keyID).toBe((await readPublicKey(`${path}.pub`)).keyID);
  await expect(makeKeyFiles(path, null)).rejects.toThrow(/never replaced/);
  await expect(readPublicKey(path)).rejects.toThrow(/ends in \.pub/);
});

test("[REL6] the timestamp is renewed while a release waits for signatures, and an old snapshot with it", async () => {
  await using folder = await temporaryFolder();
  const { by, open, bundle, accepted } = await setUp(folder.path);
  await addBundles(await open(), [bundle], by("a"), signal);
  const later = { ...by("online"), now: now + 50 * dayMs };
  expect(await renewTimestamp(await open(), later)).toEqual({ is: "published", timestampVersion: 2 });
  expect(await accepted(now + 130 * dayMs)).toMatchObject({ names: [], versions: { timestamp: 2, snapshot: 2, targets: 1 } });
  expect(await signAndPublish(await open(), { ...by("b", "online"), now: later.now })).toMatchObject({ is: "published" });
  expect((await accepted(later.now)).names).toHaveLength(1);
});

test("[REL7] status names what expires within 30 days, and verify refuses expired, foreign and damaged repositories", async () => {
  await using folder = await temporaryFolder();
  const { by, open, bundle, repo } = await setUp(folder.path);
  await addBundles(await open(), [bundle], by("a", "b", "online"), signal);
  expect(readStatus(await open(), now).warnings).toEqual([]);
  expect(readStatus(await open(), now + 60 * dayMs - 1).warnings).toEqual([]);
  expect(readStatus(await open(), now + 60 * dayMs).warnings).toEqual([
    expect.stringMatching(/^snapshot expires in 30 days/),
    expect.stringMatching(/^timestamp expires in 30 days/),
  ]);
  expect(readStatus(await open(), now + 70 * dayMs).warnings).toEqual([
    expect.stringMatching(/^snapshot expires in 20 days/),
    expect.stringMatching(/^timestamp expires in 20 days/),
  ]);
  expect(readStatus(await open(), now + 91 * dayMs).warnings[1]).toMatch(/^timestamp expired .* no player installs anything/);
  expect(await verifyRepository(repo, null, now, signal)).toBe(1);
  await expect(verifyRepository(repo, null, now + 91 * dayMs, signal)).rejects.toThrow(/expired/);
  await using elsewhere = await temporaryFolder();
  await setUp(elsewhere.path);
  const foreign = join(elsewhere.path, "repo/metadata/1.root.json");
  await expect(verifyRepository(repo, foreign, now, signal)).rejects.toThrow(/not signed by enough keys/);
  const [name] = await readdir(join(repo, "targets"));
  await writeFile(join(repo, "targets", name!), "x");
  await expect(verifyRepository(repo, null, now, signal)).rejects.toThrow(/Players refuse this repository/);
});

test("[REL8] a removed version is gone from the metadata at once, and its file after a day", async () => {
  await using folder = await temporaryFolder();
  const { by, open, bundle, accepted, repo } = await setUp(folder.path);
  const signing = by("a", "b", "online");
  await addBundles(await open(), [bundle], signing, signal);
  await expect(removeVersion(await open(), "9.9.9", signing)).rejects.toThrow(/no version 9\.9\.9/);
  await removeVersion(await open(), "1.4.0", signing);
  expect((await accepted()).names).toEqual([]);
  const published = join(repo, "metadata/3.targets.json");
  await utimes(published, now / 1_000, now / 1_000);
  expect(await deleteUnused(await open(), now + dayMs - 1)).toEqual([]);
  expect(await deleteUnused(await open(), now + dayMs)).toHaveLength(1);
  expect(await readdir(join(repo, "targets"))).toEqual([]);
});

test("[REL9] a publication that was interrupted before its timestamp shows players the state before, and can be repeated", async () => {
  await using folder = await temporaryFolder();
  const { by, open, bundle, accepted, repo } = await setUp(folder.path);
  await addBundles(await open(), [bundle], by("a", "b"), signal);
  // What a power cut leaves behind that comes just before the last rename.
  await copyFile(join(repo, "staged/targets.json"), join(repo, "metadata/2.targets.json"));
  expect(await accepted()).toMatchObject({ names: [], versions: { timestamp: 1, targets: 1 } });
  expect(await renewTimestamp(await open(), by("online"))).toMatchObject({ is: "published" });
  expect(await accepted()).toMatchObject({ names: ["signage-player_1.4.0_amd64.tar.zst"], versions: { timestamp: 2, targets: 2 } });
});
