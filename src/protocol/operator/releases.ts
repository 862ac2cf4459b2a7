// The API schemas of the service's mirror of releases.
import { z } from "zod";
import { Count, Sha256, Timestamp } from "../common.ts";
import { Architecture, ReleaseVersion } from "../device/updates.ts";

/** A release as operators see it. */
const Release = z
  .object({
    version: ReleaseVersion,
    bundles: z.array(
      z.object({
        architecture: Architecture,
        size_bytes: Count,
        sha256: Sha256,
        launcher_needed: ReleaseVersion.describe("The oldest launcher that can run this bundle. Launchers are updated by apt"),
        is_mirrored: z.boolean().describe("False: left out, because the mirror's limit leaves no room for it"),
      }),
    ),
    players: Count.describe("How many of the team's players run this version, by their latest heartbeat"),
  })
  .meta({ id: "Release" });

/** The state of the mirror. */
export const ReleaseMirrorState = z
  .object({
    source: z.string().nullable().describe("The folder or address that releases come from. Null: none was ever named"),
    is_refreshing: z.boolean(),
    checked_at: Timestamp.nullable().describe("When the mirror last looked for releases"),
    succeeded_at: Timestamp.nullable().describe("When it last found the source's whole, valid state"),
    error: z.string().nullable().describe("Why the last refresh failed. What was mirrored before is still offered"),
    metadata_expires_at: Timestamp.nullable().describe("When players stop installing these releases, until newer metadata is mirrored"),
    is_expired: z.boolean().describe("Whether the metadata has expired: no player installs anything, and what runs is not affected"),
  })
  .meta({ id: "ReleaseMirrorState" });

/** All releases that the service offers. */
export const Releases = z
  .object({
    mirror: ReleaseMirrorState,
    releases: z.array(Release).describe("The newest first"),
    other_versions: z
      .array(z.object({ version: z.string(), players: Count }))
      .describe("Versions that players run and the mirror does not have"),
  })
  .meta({ id: "Releases" });
