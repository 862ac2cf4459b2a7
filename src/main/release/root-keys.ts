// The commands `init` and `rotate`: the root, which names the keys of all roles and how many of them have to sign.
import { Metadata, Root, type Key } from "@tufjs/models";
import { Fault } from "../../base/fault.ts";
import { ReleaseRepository, type RoleName } from "./repository.ts";
import { commonFields, nextTargetsWith, publish, signStaged, type Outcome, type Signing } from "./signing.ts";

/** The keys of each role. A role that is missing keeps its present keys. */
export interface RoleKeys {
  keys: Partial<Record<RoleName, readonly Key[]>>;
  thresholds: Partial<Record<"root" | "targets", number>>;
}

interface RoleEntry {
  keys: readonly Key[];
  threshold: number;
}

type JSONObject = Parameters<typeof Root.fromJSON>[0];

const roleNames = ["root", "targets", "snapshot", "timestamp"] as const;

/**
 * Creates a repository without releases. `targets` has the keys and the threshold of `root` unless given, and `snapshot` the keys
 * of `timestamp`.
 * @throws Fault `refused` if the folder has a repository, or a threshold cannot be met.
 */
export async function initRepository(folder: string, { keys, thresholds }: RoleKeys, signing: Signing): Promise<Outcome> {
  const repository = await ReleaseRepository.openEmpty(folder);
  if (repository.root !== null || repository.staged.root !== null) {
    throw new Fault("refused", `${folder} has a repository already: change its keys with signage-release rotate`);
  }
  const { root: rootKeys, timestamp } = keys;
  if (rootKeys === undefined || timestamp === undefined) throw new Fault("bad-config", "--root-keys and --timestamp-keys are needed");
  const rootThreshold = thresholds.root ?? 1;
  const root = makeRoot(1, signing, {
    root: { keys: rootKeys, threshold: rootThreshold },
    // With keys of their own the targets begin with one signature.
    targets: { keys: keys.targets ?? rootKeys, threshold: thresholds.targets ?? (keys.targets === undefined ? rootThreshold : 1) },
    snapshot: { keys: keys.snapshot ?? timestamp, threshold: 1 },
    timestamp: { keys: timestamp, threshold: 1 },
  });
  const staged = { root: new Metadata(root), targets: nextTargetsWith(repository, {}, signing) };
  await repository.stage(staged);
  return signAndPublish(repository, signing);
}

/**
 * Makes the next version of the root, with other keys or only with a later expiry. The old and the new threshold have to sign it.
 * @throws Fault `refused` if a root is staged already, or a threshold cannot be met.
 */
export async function rotateRoot(repository: ReleaseRepository, { keys, thresholds }: RoleKeys, signing: Signing): Promise<Outcome> {
  const { root: before, staged } = repository;
  if (before === null) throw new Fault("refused", "The first root is not signed yet: signage-release sign");
  if (staged.root !== null) throw new Fault("refused", "A new root waits for signatures: sign it, or delete the folder staged");
  const roleOf = (role: RoleName): RoleEntry => {
    const { keyIDs, threshold } = before.signed.roles[role]!;
    const wanted = role === "root" || role === "targets" ? thresholds[role] : undefined;
    return { keys: keys[role] ?? keyIDs.map((id) => before.signed.keys[id]!), threshold: wanted ?? threshold };
  };
  const [rootRole, targetsRole, snapshot, timestamp] = [roleOf("root"), roleOf("targets"), roleOf("snapshot"), roleOf("timestamp")];
  const root = makeRoot(before.signed.version + 1, signing, { root: rootRole, targets: targetsRole, snapshot, timestamp });
  const next = new Metadata(root);
  const targets = repository.nextTargets;
  const isChanged = JSON.stringify(root.roles["targets"]) !== JSON.stringify(before.signed.roles["targets"]);
  // Targets that the old keys signed would not be valid any more.
  const again = isChanged && targets !== null ? nextTargetsWith(repository, targets.signed.targets, signing) : null;
  await repository.stage({ root: next, targets: again });
  return signAndPublish(repository, signing);
}

/** Signs the staged metadata, and publishes it if it then has enough signatures. */
export async function signAndPublish(repository: ReleaseRepository, signing: Signing): Promise<Outcome> {
  if (signStaged(repository, signing.keys) > 0) await repository.stage({});
  return publish(repository, signing);
}

function makeRoot(version: number, signing: Signing, roles: Record<RoleName, RoleEntry>): Root {
  const { specVersion, expires } = commonFields("root", version, signing);
  const keys: Record<string, JSONObject> = {};
  const entries: Record<string, JSONObject> = {};
  for (const role of roleNames) {
    for (const key of roles[role].keys) keys[key.keyID] = key.toJSON();
    entries[role] = roleJson(role, roles[role]);
  }
  // The library does not export its class of roles, so the root is made from JSON.
  return Root.fromJSON({ _type: "root", spec_version: specVersion, version, expires, consistent_snapshot: true, keys, roles: entries });
}

function roleJson(role: RoleName, { keys, threshold }: RoleEntry): JSONObject {
  const keyids = [...new Set(keys.map(({ keyID }) => keyID))];
  if (threshold > keyids.length) {
    throw new Fault("refused", `${role}: ${threshold} of ${keyids.length} keys can never sign. Name more keys, or a lower threshold`);
  }
  return { keyids, threshold };
}
