// Operations for releases: the releases of the mirror, refreshing it, and the files that players download.
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import { iso } from "../../base/time.ts";
import { compareVersions } from "../../base/version-order.ts";
import { ReleaseBundleName, ReleaseMetadataName } from "../../protocol/device/release-files.ts";
import { ReleaseMirrorState, Releases } from "../../protocol/operator/releases.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import { found, ProblemError } from "../http/problem.ts";
import type { MirrorState, ReleaseMirror } from "./mirror.ts";
import type { Store } from "../store/store.ts";
import { NoContent, operationsWith, type Operation } from "../operations/operation.ts";
import { countVersions } from "./store.ts";

interface ReleaseDependencies {
  clock: Clock;
  presence: Presence;
  releases: ReleaseMirror;
  store: Store;
}

const operation = operationsWith<ReleaseDependencies>();
const fileHeaders = { Range: "One range of bytes", "If-None-Match": "The response is 304 if this is the ETag of the bytes" };

export const releaseOperations: readonly Operation<ReleaseDependencies>[] = [
  operation({
    name: "listReleases",
    tag: "releases",
    method: "GET",
    path: "/releases",
    summary: "List the releases that players can install from this service",
    description:
      "The mirror's copy of a signed release repository, which all teams share, with its state, and how many of the team's players run each version.",
    agent: "Use it to see which versions exist, which players run, and why a mirror has no newer ones.",
    caller: "operator",
    scope: "players:read",
    status: 200,
    output: Releases,
    errors: [],
    async run({ clock, presence, releases: mirror, store }, { teamId }) {
      const state = await mirror.state();
      const players = await countVersions(store, presence, teamId);
      const bundles = state.releases?.bundles ?? [];
      const versions = [...new Set(bundles.map(({ manifest }) => manifest.version))].toSorted((a, b) => compareVersions(b, a));
      return {
        mirror: showMirror(state, clock.now()),
        releases: versions.map((version) => ({
          version,
          bundles: bundles
            .filter(({ manifest }) => manifest.version === version)
            .map(({ manifest, sizeBytes, sha256, isThere }) => ({
              architecture: manifest.architecture,
              size_bytes: sizeBytes,
              sha256,
              launcher_needed: manifest.launcher_needed,
              is_mirrored: isThere,
            })),
          players: players.get(version) ?? 0,
        })),
        other_versions: [...players]
          .filter(([version]) => !versions.includes(version))
          .map(([version, count]) => ({ version, players: count })),
      };
    },
  }),
  operation({
    name: "mirrorReleases",
    tag: "releases",
    method: "POST",
    path: "/releases/mirror",
    summary: "Refresh the mirror of releases now",
    description:
      "It is refreshed every hour anyway. Responds at once: `GET /releases` shows when it has finished and why it failed. Requires a service with `--releases-from`.",
    agent: "Use it only when a release was just published, or the source was repaired; then check the result with list_releases.",
    caller: "operator",
    scope: "teams:write",
    status: 202,
    output: ReleaseMirrorState,
    errors: ["conflict"],
    async run({ clock, releases: mirror }, _context, _input, unitOfWork) {
      if (!mirror.hasSource) {
        throw new ProblemError(
          "conflict",
          "This service has no source of releases: start it with --releases-from, or run the program mirror",
        );
      }
      const state = await mirror.state();
      return unitOfWork.write(async () => ({
        result: { ...showMirror(state, clock.now()), is_refreshing: true },
        committed: () => void mirror.refresh(),
      }));
    },
  }),
  operation({
    name: "getReleaseMetadata",
    tag: "device",
    method: "GET",
    path: "/device/releases/metadata/{name}",
    summary: "Download a file of the releases' signed metadata",
    description: "As The Update Framework (TUF) names them, with consistent snapshots. Players verify them with a root of their own.",
    caller: "device",
    params: z.strictObject({ name: ReleaseMetadataName }),
    status: 200,
    output: NoContent,
    file: ["application/octet-stream"],
    errors: ["not-found", "range-not-satisfiable"],
    headers: fileHeaders,
    run: async ({ releases }, _context, { params }) => found((await releases.find(`metadata/${params.name}`)) ?? undefined, "release file"),
  }),
  operation({
    name: "getReleaseBundle",
    tag: "device",
    method: "GET",
    path: "/device/releases/targets/{name}",
    summary: "Download a bundle of a release",
    description: "The bytes, whole or one `Range`. The ETag is their SHA-256, with which the name begins.",
    caller: "device",
    params: z.strictObject({ name: ReleaseBundleName }),
    status: 200,
    output: NoContent,
    file: ["application/zstd"],
    errors: ["not-found", "range-not-satisfiable"],
    headers: fileHeaders,
    run: async ({ releases }, _context, { params }) => found((await releases.find(`targets/${params.name}`)) ?? undefined, "release file"),
  }),
];

function showMirror(
  { from, isRefreshing, checkedAt, succeededAt, error, releases }: MirrorState,
  now: number,
): z.infer<typeof ReleaseMirrorState> {
  return {
    source: from,
    is_refreshing: isRefreshing,
    checked_at: iso(checkedAt),
    succeeded_at: iso(succeededAt),
    error,
    metadata_expires_at: iso(releases?.expiresAt ?? null),
    is_expired: releases !== null && releases.expiresAt <= now,
  };
}
