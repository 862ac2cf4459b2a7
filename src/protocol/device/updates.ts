// Updates of the player's program: the version it should run, the files through which player and launcher talk, and their
// part of the heartbeat. docs/updates.md explains the flow.
import { z } from "zod";
import { Opening } from "../scheduling/opening-hours.ts";
import { deviceText } from "../text.ts";
import { Count, Timestamp } from "../common.ts";

/** A version of the program: `MAJOR.MINOR.PATCH`, or with a suffix of a pre-release, by the rules of SemVer 2.0. */
export const ReleaseVersion = z
  .string()
  .max(64)
  .regex(
    /^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/,
    "must be a version such as 1.4.0",
  )
  .meta({ examples: ["1.4.0"] });

/** The architectures of packages and bundles, by Debian's names. */
export const Architecture = z.enum(["amd64", "arm64"]).meta({ id: "Architecture" });
export type Architecture = z.infer<typeof Architecture>;

/**
 * A bundle as the release's signed metadata describes it (`custom` of its TUF target), and as `release.json` inside the bundle does.
 * Version, size and hash of a bundle come from there, never from a service's word.
 */
export const ReleaseManifest = z.object({
  version: ReleaseVersion,
  architecture: Architecture,
  launcher_needed: ReleaseVersion.describe("The oldest launcher that can run this bundle"),
});
export type ReleaseManifest = z.infer<typeof ReleaseManifest>;

/** The name of a bundle in the release's signed metadata. */
export function bundleName(version: string, architecture: Architecture): string {
  return `signage-player_${version}_${architecture}.tar.zst`;
}

/** The version that a player should run (part of its desired state). */
export const DesiredRelease = z
  .object({
    version: ReleaseVersion,
    install: z.enum(["in-window", "now"]).describe("`now`: without waiting for the maintenance window"),
    windows: z
      .array(Opening)
      .max(50)
      .optional()
      .describe("When it may switch to the version, in the player's time zone. Default: from 02:00 to 05:00"),
  })
  .meta({ id: "DesiredRelease" });
export type DesiredRelease = z.infer<typeof DesiredRelease>;

/** Where a device keeps programs: the one from the package, and two for updates. */
export const SlotName = z.enum(["package", "a", "b"]).meta({ id: "SlotName" });
export type SlotName = z.infer<typeof SlotName>;

/** The checks of a probation. `null`: the check cannot tell anything here, as frames while the display is off. */
export const HealthChecks = z.object({
  frames: z.boolean().nullable().describe("A frame was presented within the last 30 s"),
  checked_in: z.boolean().nullable().describe("The service answered within the last two minutes. Null while unpaired"),
  memory: z.boolean().nullable().describe("Player and browser together take less memory than their budget"),
});
export type HealthChecks = z.infer<typeof HealthChecks>;

/** `health.json`, which the player writes every five seconds, and the launcher reads. */
export const Health = z.object({
  version: ReleaseVersion,
  boot_id: deviceText(64).describe("The run of the machine, from /proc/sys/kernel/random/boot_id"),
  instance_id: deviceText(64).describe("This run of the player's program"),
  monotonic_ms: Count.describe("When this was written, on the machine's clock since boot (CLOCK_BOOTTIME)"),
  uptime_ms: Count.describe("How long this run of the player's program has lasted"),
  frames_presented: Count.describe("Since the start of this run"),
  browser: deviceText(128).nullable().describe("The browser that runs, such as `Chromium 156.0.8078.79`"),
  memory_bytes: Count,
  memory_budget_bytes: Count,
  checks: HealthChecks,
});
export type Health = z.infer<typeof Health>;

/**
 * `request.json`, by which the player asks the launcher to switch. The launcher believes nothing in it: it verifies the
 * metadata and the bundle in the player's `updates` folder itself.
 */
export const InstallRequest = z.object({
  id: deviceText(64).describe("Differs for each request"),
  what: z
    .enum(["program", "browser"])
    .default("program")
    .describe("`browser`: start the installed browser, which differs from the one that runs, and watch it as a new version is watched"),
  version: ReleaseVersion.describe("The version to switch to. For a browser: the version of the program that runs, which does not change"),
  requested_at: Timestamp.describe("By the player's corrected clock, which the launcher uses where its own is behind"),
});
export type InstallRequest = z.infer<typeof InstallRequest>;

/** How an attempt to run another program ended. */
const UpdateOutcome = z
  .enum([
    "probation", // it runs, and is being watched
    "kept", // it passed
    "rolled-back", // it failed, and the version before runs
    "refused", // it was not installed, such as for a wrong signature
  ])
  .meta({ id: "UpdateOutcome" });

/** One attempt to run another version. */
export const UpdateAttempt = z
  .object({
    what: z.enum(["program", "browser"]),
    version: deviceText(128),
    at: Timestamp,
    outcome: UpdateOutcome,
    detail: deviceText(500).nullable().describe("Why it was refused or rolled back, for people"),
    control: z
      .enum(["pending", "passed", "failed"])
      .nullable()
      .describe("The same test of the version before, after a rollback. `failed`: the test failed for another reason than the version"),
  })
  .meta({ id: "UpdateAttempt" });
export type UpdateAttempt = z.infer<typeof UpdateAttempt>;

/** `status.json`, which the launcher writes, and the player reads and reports. */
export const LauncherStatus = z.object({
  launcher_version: ReleaseVersion,
  slot: SlotName,
  version: ReleaseVersion.describe("The version in that slot"),
  reason: deviceText(500).describe("Why this slot runs, for people"),
  previous_version: ReleaseVersion.nullable().describe("The version that it can return to"),
  probation: z.object({ what: z.enum(["program", "browser"]), version: deviceText(128), passed_ms: Count, needed_ms: Count }).nullable(),
  last_attempt: UpdateAttempt.nullable(),
  failed: z
    .object({ version: ReleaseVersion, tries: Count, retry_at: Timestamp.nullable() })
    .nullable()
    .describe("A version that failed, how often, and when the launcher accepts it again"),
  answered: deviceText(64).nullable().describe("The `id` of the newest request that was carried out or refused"),
});
export type LauncherStatus = z.infer<typeof LauncherStatus>;

/** The player's progress towards the desired version. */
export const UpdateState = z
  .object({
    is: z.enum(["current", "downloading", "waiting", "installing", "probation", "blocked", "failed"]),
    wanted_version: ReleaseVersion.nullable(),
    slot: SlotName,
    reason: deviceText(500).describe("Why this slot runs"),
    previous_version: ReleaseVersion.nullable(),
    launcher_version: ReleaseVersion,
    ready_bytes: Count,
    total_bytes: Count.nullable(),
    detail: deviceText(500).nullable().describe("What it waits for, or what is wrong, for people"),
    last_attempt: UpdateAttempt.nullable(),
  })
  .meta({ id: "UpdateState" });
export type UpdateState = z.infer<typeof UpdateState>;

/** A file of a release repository on a device or a mirror, by its path below the repository. */
export const ReleasePath = z
  .string()
  .max(300)
  .regex(/^(metadata\/([0-9]+\.)?(root|targets|snapshot|timestamp)\.json|targets\/[0-9a-f]{64}\.[A-Za-z0-9._~+-]+)$/);
