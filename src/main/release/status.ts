// The commands `status` and `verify`: the repository's content, its expiry dates, and the verdict of a player.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Metadata } from "@tufjs/models";
import { Fault, isAbort, reasonOf } from "../../base/fault.ts";
import { readFromFolder } from "../../base/releases/folder.ts";
import { verifyTarget } from "../../base/releases/verify-target.ts";
import { verifyReleases } from "../../base/releases/verify.ts";
import { dayMs } from "../../base/time.ts";
import type { ReleaseRepository, RoleName, Signed } from "./repository.ts";
import { missingSignatures, type Missing } from "./signing.ts";

// Long enough to bring a key out of a safe.
const soonMs = 30 * dayMs;

/** The state of one role's newest published metadata. */
interface RoleStatus {
  role: RoleName;
  version: number;
  expires_at: string;
  days_left: number;
  keys: number;
  threshold: number;
}

export interface RepositoryStatus {
  roles: RoleStatus[];
  releases: { version: string; architecture: string; size_bytes: number; sha256: string }[];
  /** Staged metadata that lacks signatures. */
  staged: { role: "root" | "targets"; version: number; missing: Missing[] }[];
  /** Advice for people on things to do soon. */
  warnings: string[];
}

export function readStatus(repository: ReleaseRepository, now: number): RepositoryStatus {
  const { root, published, staged, nextRoot } = repository;
  const missing = missingSignatures(repository);
  const documents: [RoleName, Metadata<Signed>][] = [
    ...(root === null ? [] : [["root", root] as [RoleName, Metadata<Signed>]]),
    ...(published === null
      ? []
      : (["targets", "snapshot", "timestamp"] as const).map((role): [RoleName, Metadata<Signed>] => [role, published[role]])),
  ];
  const roles = documents.map(([role, { signed }]): RoleStatus => {
    const { keyIDs, threshold } = (root ?? nextRoot).signed.roles[role]!;
    const daysLeft = Math.floor((Date.parse(signed.expires) - now) / dayMs);
    return { role, version: signed.version, expires_at: signed.expires, days_left: daysLeft, keys: keyIDs.length, threshold };
  });
  const waiting = (["root", "targets"] as const).flatMap((role) => {
    const metadata = staged[role];
    return metadata === null ? [] : [{ role, version: metadata.signed.version, missing: missing.filter((each) => each.role === role) }];
  });
  return { roles, releases: releasesOf(published?.targets.signed.targets ?? {}), staged: waiting, warnings: warningsOf(roles, now) };
}

/** The status for people. */
export function formatStatus({ roles, releases, staged, warnings }: RepositoryStatus): string {
  const lines = [
    ...roles.map(
      ({ role, version, expires_at, days_left, keys, threshold }) =>
        `${role.padEnd(10)} version ${version}, signed by ${threshold} of ${keys} keys, expires ${expires_at.slice(0, 10)} (in ${days_left} days)`,
    ),
    ...(releases.length === 0 ? ["No releases"] : ["Releases:"]),
    ...releases.map(
      ({ version, architecture, size_bytes }) => `  ${version.padEnd(16)} ${architecture}  ${(size_bytes / 1e6).toFixed(1)} MB`,
    ),
    ...staged.map(
      ({ role, version, missing }) =>
        `Waiting: ${role} version ${version}${missing.map((each) => `, has ${each.have} of ${each.threshold} signatures`).join("")}`,
    ),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
  return lines.join("\n");
}

/**
 * Verifies the repository as a player would that trusts the root in `rootFile`, and the bytes of every bundle.
 * @param rootFile null: the repository's own first root.
 * @returns how many bundles it has.
 * @throws Fault `refused` with the reason.
 */
export async function verifyRepository(folder: string, rootFile: string | null, now: number, signal: AbortSignal): Promise<number> {
  const trustFolder = await mkdtemp(join(tmpdir(), "signage-release-"));
  try {
    const root = await readFile(rootFile ?? join(folder, "metadata/1.root.json"));
    const { targets } = await verifyReleases({ root, trustFolder, read: readFromFolder(folder), now, signal });
    for (const target of targets) await verifyTarget(target, join(folder, target.path), signal);
    return targets.length;
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new Fault("refused", `Players refuse this repository: ${reasonOf(error)}`, { cause: error });
  } finally {
    await rm(trustFolder, { recursive: true, force: true });
  }
}

type TargetFiles = Readonly<Record<string, { length: number; hashes: Record<string, string>; custom: Record<string, unknown> }>>;

function releasesOf(targets: TargetFiles): RepositoryStatus["releases"] {
  return Object.values(targets).map(({ length, hashes, custom }) => ({
    version: String(custom["version"]),
    architecture: String(custom["architecture"]),
    size_bytes: length,
    sha256: hashes["sha256"]!,
  }));
}

function warningsOf(roles: readonly RoleStatus[], now: number): string[] {
  return roles.flatMap(({ role, expires_at, days_left }) => {
    const leftMs = Date.parse(expires_at) - now;
    if (leftMs > soonMs) return [];
    const remedy = role === "root" ? "rotate" : role === "targets" ? "renew" : "timestamp";
    const when = leftMs <= 0 ? `expired at ${expires_at}: no player installs anything` : `expires in ${days_left} days`;
    return [`${role} ${when}. Run signage-release ${remedy}`];
  });
}
