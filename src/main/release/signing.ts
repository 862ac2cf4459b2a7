// Signs metadata, lists missing signatures, and publishes staged metadata that has enough of them.
import { MetaFile, Metadata, Snapshot, Targets, Timestamp, type Root } from "@tufjs/models";
import { Fault } from "../../base/fault.ts";
import { dayMs, iso } from "../../base/time.ts";
import type { SigningKey } from "./keys.ts";
import type { Published, ReleaseRepository, RoleName, Signed } from "./repository.ts";

const specVersion = "1.0.31";

/** How long signed metadata is valid, days, by role. docs/releasing.md gives the reasons. */
export const defaultDays: Readonly<Record<RoleName, number>> = { root: 730, targets: 365, snapshot: 90, timestamp: 90 };

export interface Signing {
  keys: readonly SigningKey[];
  /** The time from which expiry counts, ms since the epoch. */
  now: number;
  days: Readonly<Record<RoleName, number>>;
}

/** Signatures that a staged document still needs. */
export interface Missing {
  role: "root" | "targets";
  version: number;
  have: number;
  threshold: number;
  /** The ids of the keys that may sign it and have not. */
  keyIds: readonly string[];
}

export type Outcome =
  | { is: "published"; timestampVersion: number }
  | { is: "waiting"; missing: readonly Missing[]; forRoles: readonly RoleName[] };

/** The fields that all metadata of a role has. */
export function commonFields(role: RoleName, version: number, { now, days }: Signing) {
  const expires = iso(now + days[role] * dayMs).replace(/\.\d+Z$/, "Z");
  return { version, specVersion, expires };
}

/** Signs everything staged that the keys may sign. @returns how many signatures were added. */
export function signStaged(repository: ReleaseRepository, keys: readonly SigningKey[]): number {
  const { staged, nextRoot } = repository;
  let added = 0;
  if (staged.root !== null) {
    const allowed = [...staged.root.signed.roles["root"]!.keyIDs, ...(repository.root?.signed.roles["root"]?.keyIDs ?? [])];
    added += signBy(staged.root, keys, allowed);
  }
  if (staged.targets !== null) added += signBy(staged.targets, keys, nextRoot.signed.roles["targets"]!.keyIDs);
  return added;
}

/** The staged metadata with too few signatures. A new root also needs those of the old root. */
export function missingSignatures({ staged, root, nextRoot }: ReleaseRepository): Missing[] {
  const checks = [
    staged.root && missingOf("root", staged.root, staged.root),
    staged.root && root && missingOf("root", staged.root, root),
    staged.targets && missingOf("targets", staged.targets, nextRoot),
  ];
  return checks.filter((missing) => missing !== null && missing.have < missing.threshold) as Missing[];
}

/**
 * Publishes the staged metadata, if it has enough signatures, with a new timestamp. Needs a key of the timestamp role, and one of the
 * snapshot role when the snapshot has to be renewed as well.
 */
export async function publish(repository: ReleaseRepository, signing: Signing): Promise<Outcome> {
  const { nextRoot, nextTargets } = repository;
  const missing = missingSignatures(repository);
  if (nextTargets === null) throw new Fault("refused", "The repository has no targets. Delete the folder and create it again");
  if (missing.length > 0) return { is: "waiting", missing, forRoles: [] };
  return publishState(repository, { root: nextRoot, targets: nextTargets, withStaged: true }, signing);
}

/** Renews the timestamp, and publishes the staged metadata if it has enough signatures. If not, it stays staged. */
export async function renewTimestamp(repository: ReleaseRepository, signing: Signing): Promise<Outcome> {
  const { root, published } = repository;
  if (published === null || root === null || missingSignatures(repository).length === 0) return publish(repository, signing);
  return publishState(repository, { root, targets: published.targets, withStaged: false }, signing);
}

interface NextState {
  root: Metadata<Root>;
  targets: Metadata<Targets>;
  withStaged: boolean;
}

async function publishState(repository: ReleaseRepository, { root, targets, withStaged }: NextState, signing: Signing): Promise<Outcome> {
  const { published } = repository;
  if (!isSignedBy(root, "targets", targets))
    throw new Fault("refused", "The targets are not signed by the root's keys. Restore the folder from a copy");
  const keyIdsOf = (role: RoleName) => root.signed.roles[role]!.keyIDs;
  const renewsSnapshot = mustRenewSnapshot(published, root, targets, signing);
  const roles: RoleName[] = renewsSnapshot ? ["snapshot", "timestamp"] : ["timestamp"];
  const forRoles = roles.filter((role) => !signing.keys.some(({ key }) => keyIdsOf(role).includes(key.keyID)));
  if (forRoles.length > 0) return { is: "waiting", missing: [], forRoles };
  const snapshotVersion = (published?.snapshot.signed.version ?? 0) + (renewsSnapshot ? 1 : 0);
  const meta = { "targets.json": new MetaFile({ version: targets.signed.version }) };
  const snapshot = renewsSnapshot
    ? signed(new Snapshot({ ...commonFields("snapshot", snapshotVersion, signing), meta }), signing.keys, keyIdsOf("snapshot"))
    : published!.snapshot;
  const timestampVersion = (published?.timestamp.signed.version ?? 0) + 1;
  const content = new Timestamp({
    ...commonFields("timestamp", timestampVersion, signing),
    snapshotMeta: new MetaFile({ version: snapshotVersion }),
  });
  await repository.publish(snapshot, signed(content, signing.keys, keyIdsOf("timestamp")), withStaged);
  return { is: "published", timestampVersion };
}

/** True if enough keys of the role have signed. */
function isSignedBy(root: Metadata<Root>, role: RoleName, metadata: Metadata<Signed>): boolean {
  const { have, threshold } = countSignatures(root, role, metadata);
  return have >= threshold;
}

function mustRenewSnapshot(published: Published | null, root: Metadata<Root>, targets: Metadata<Targets>, { now, days }: Signing): boolean {
  if (published === null) return true;
  const { snapshot } = published;
  const isOld = Date.parse(snapshot.signed.expires) - now < (days.snapshot * dayMs) / 2;
  const namesTargets = snapshot.signed.meta["targets.json"]?.version === targets.signed.version;
  return isOld || !namesTargets || !isSignedBy(root, "snapshot", snapshot);
}

function missingOf(role: "root" | "targets", metadata: Metadata<Signed>, root: Metadata<Root>): Missing {
  return { role, version: metadata.signed.version, ...countSignatures(root, role, metadata) };
}

function countSignatures(root: Metadata<Root>, role: RoleName, metadata: Metadata<Signed>) {
  const { keyIDs, threshold } = root.signed.roles[role]!;
  const isValid = (id: string): boolean => {
    try {
      root.signed.keys[id]?.verifySignature(metadata);
      return root.signed.keys[id] !== undefined;
    } catch {
      return false; // no signature by this key, or a wrong one
    }
  };
  const keyIds = keyIDs.filter((id) => !isValid(id));
  return { have: keyIDs.length - keyIds.length, threshold, keyIds };
}

function signed<T extends Signed>(content: T, keys: readonly SigningKey[], allowed: readonly string[]): Metadata<T> {
  const metadata = new Metadata(content);
  signBy(metadata, keys, allowed);
  return metadata;
}

function signBy(metadata: Metadata<Signed>, keys: readonly SigningKey[], allowed: readonly string[]): number {
  const signers = keys.filter(({ key }) => allowed.includes(key.keyID));
  for (const signer of signers) metadata.sign((data) => signer.sign(data));
  return signers.length;
}

/** Targets with the same content and the next version, not signed yet. */
export function nextTargetsWith(repository: ReleaseRepository, targets: Targets["targets"], signing: Signing): Metadata<Targets> {
  const version = (repository.published?.targets.signed.version ?? 0) + 1;
  return new Metadata(new Targets({ ...commonFields("targets", version, signing), targets }));
}
