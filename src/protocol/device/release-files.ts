// The names of the files that a device downloads from the service's mirror of releases. Together they are a `ReleasePath`.
import { z } from "zod";

/** A file below `metadata`. */
export const ReleaseMetadataName = z
  .string()
  .max(100)
  .regex(/^(timestamp\.json|[0-9]{1,9}\.(root|targets|snapshot)\.json)$/, "must be a file of a release's metadata")
  .meta({ examples: ["timestamp.json"] });

/** A file below `targets`: the SHA-256 of a bundle, and its name. */
export const ReleaseBundleName = z
  .string()
  .max(300)
  .regex(/^[0-9a-f]{64}\.[A-Za-z0-9][A-Za-z0-9._~+-]*$/, "must be a bundle with its SHA-256")
  .meta({ examples: [`${"0".repeat(64)}.signage-player_1.4.0_amd64.tar.zst`] });
