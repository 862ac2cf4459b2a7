// The commands `add` and `remove`: which bundles the repository has.
import { copyFile, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { TargetFile } from "@tufjs/models";
import { Fault, hasErrorCode } from "../../base/fault.ts";
import { syncFolder } from "../../base/files/durable-file.ts";
import { hashFile } from "../../base/files/hash-file.ts";
import { dayMs } from "../../base/time.ts";
import { bundleName } from "../../protocol/device/updates.ts";
import { readManifest } from "./bundle-manifest.ts";
import type { ReleaseRepository } from "./repository.ts";
import { signAndPublish } from "./root-keys.ts";
import { nextTargetsWith, type Outcome, type Signing } from "./signing.ts";

/** A bundle that was added, or that the repository had already. */
export interface AddedBundle {
  name: string;
  sha256: string;
  sizeBytes: number;
  isNew: boolean;
}

/**
 * Adds bundles. Version, architecture, size and hash come from the files themselves.
 * @throws Fault `refused` for a file that is no bundle, and for a version that the repository has with other bytes.
 */
export async function addBundles(
  repository: ReleaseRepository,
  paths: readonly string[],
  signing: Signing,
  signal: AbortSignal,
): Promise<{ added: AddedBundle[]; outcome: Outcome }> {
  const targets = { ...repository.nextTargets?.signed.targets };
  const added: AddedBundle[] = [];
  for (const path of paths) {
    const manifest = await readManifest(path, signal);
    const name = bundleName(manifest.version, manifest.architecture);
    const { size: sizeBytes, hash } = await hashFile(path, { signal });
    const sha256 = hash.digest("hex");
    const known = targets[name]?.hashes["sha256"];
    if (known !== undefined && known !== sha256) {
      throw new Fault(
        "refused",
        `${path}: the repository has ${name} with other bytes. A released version never changes: use a new version`,
      );
    }
    added.push({ name, sha256, sizeBytes, isNew: known === undefined });
    targets[name] = new TargetFile({ path: name, length: sizeBytes, hashes: { sha256 }, unrecognizedFields: { custom: manifest } });
    await copyBundle(path, repository.targetPath(sha256, name), sha256, signal);
  }
  if (added.every(({ isNew }) => !isNew)) return { added, outcome: await signAndPublish(repository, signing) };
  await repository.stage({ targets: nextTargetsWith(repository, targets, signing) });
  return { added, outcome: await signAndPublish(repository, signing) };
}

/**
 * Removes a version, so that no player installs it any more. Its files follow a day later ({@link deleteUnused}).
 * @throws Fault `refused` if the repository does not have it.
 */
export async function removeVersion(repository: ReleaseRepository, version: string, signing: Signing): Promise<Outcome> {
  const targets = repository.nextTargets?.signed.targets ?? {};
  const kept = Object.entries(targets).filter(([, target]) => target.custom["version"] !== version);
  if (kept.length === Object.keys(targets).length)
    throw new Fault("refused", `The repository has no version ${version}: see signage-release status`);
  await repository.stage({ targets: nextTargetsWith(repository, Object.fromEntries(kept), signing) });
  return signAndPublish(repository, signing);
}

/**
 * Deletes bundles that neither the published nor the staged metadata names, once the published targets are a day old: until then
 * players that read the metadata before may still be downloading them.
 * @returns their names.
 */
export async function deleteUnused({ folder, published, staged }: ReleaseRepository, now: number): Promise<string[]> {
  const current = published && (await stat(join(folder, "metadata", `${published.targets.signed.version}.targets.json`)));
  if (current === null || staged.targets !== null || now - current.mtimeMs < dayMs) return [];
  const used = Object.values(published!.targets.signed.targets).map(({ path, hashes }) => `${hashes["sha256"]}.${path}`);
  const names = await readdir(join(folder, "targets")).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  });
  const unused = names.filter((name) => /^[0-9a-f]{64}\./.test(name) && !used.includes(name));
  for (const name of unused) await rm(join(folder, "targets", name), { force: true });
  return unused;
}

/** Copies a bundle so that no reader finds a part of it, and checks the copy. */
async function copyBundle(from: string, to: string, sha256: string, signal: AbortSignal): Promise<void> {
  const folder = join(to, "..");
  await mkdir(folder, { recursive: true });
  if ((await stat(to).catch(() => null)) !== null && (await hashOf(to, signal)) === sha256) return;
  const temporary = `${to}.new`;
  try {
    await copyFile(from, temporary);
    const file = await open(temporary, "r+");
    await file.chmod(0o644);
    await file.sync().finally(() => file.close());
    if ((await hashOf(temporary, signal)) !== sha256) throw new Fault("refused", `${from} changed while it was copied. Add it again`);
    await rename(temporary, to);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

async function hashOf(path: string, signal: AbortSignal): Promise<string> {
  return (await hashFile(path, { signal })).hash.digest("hex");
}
