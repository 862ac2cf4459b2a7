// The table of all operations. REST routes, the API description and MCP tools are generated from it.
import { alertSettingsOperations } from "../alerts/operations/alert-settings.ts";
import { alertOperations } from "../alerts/operations/alerts.ts";
import { assetOperations } from "../content/operations/assets.ts";
import { contentUsesOperations } from "../content/operations/content-uses.ts";
import { csvImportOperations } from "../content/operations/csv-imports.ts";
import { layoutOperations } from "../content/operations/layouts.ts";
import { playlistOperations } from "../content/operations/playlists.ts";
import { previewOperations } from "../content/operations/previews.ts";
import { uploadLinkOperations } from "../content/operations/upload-links.ts";
import { uploadOperations } from "../content/operations/uploads.ts";
import { eventOperations } from "../events/operations/events.ts";
import { webhookOperations } from "../events/operations/webhooks.ts";
import { bulkCommandOperations } from "../fleet/batches/operations/bulk-commands.ts";
import { commandBatchOperations } from "../fleet/batches/operations/command-batches.ts";
import { commandOperations } from "../fleet/operations/commands.ts";
import { controlPreviewOperations } from "../schedule/operations/control-preview.ts";
import { deviceOperations } from "../fleet/devices/operations/device.ts";
import { enrolmentKeyOperations } from "../fleet/enrolment/operations/enrolment-keys.ts";
import { enrolmentOperations } from "../fleet/enrolment/operations/enrolments.ts";
import { heartbeatOperations } from "../fleet/operations/heartbeats.ts";
import { liveOperations } from "../live/operations.ts";
import { playerBinOperations } from "../fleet/operations/players-bin.ts";
import { bulkBinOperations } from "../fleet/operations/players-bulk-bin.ts";
import { bulkOperations } from "../fleet/operations/players-bulk.ts";
import { playerOperations } from "../fleet/operations/players.ts";
import { problemRecordOperations } from "../fleet/operations/problem-records.ts";
import { releaseOperations } from "../releases/operations.ts";
import { rolloutOperations } from "../fleet/rollouts/operations.ts";
import { collectedLogOperations } from "../fleet/operations/collected-logs.ts";
import { rosterOperations } from "../fleet/operations/roster.ts";
import { screenshotOperations } from "../fleet/operations/screenshots.ts";
import type { Operation } from "./operation.ts";
import { auditOperations } from "../people/operations/audit.ts";
import { emailProofOperations } from "../people/operations/email-proof.ts";
import { invitationOperations } from "../people/operations/invitations.ts";
import { memberOperations } from "../people/operations/members.ts";
import { teamOperations } from "../people/operations/teams.ts";
import { sessionOperations } from "../people/operations/sessions.ts";
import { passkeyOperations } from "../people/operations/passkeys.ts";
import { passwordOperations } from "../people/operations/password.ts";
import { signInOperations } from "../people/operations/sign-in.ts";
import { ssoOperations } from "../people/operations/sso.ts";
import { tokenOperations } from "../people/operations/tokens.ts";
import { userOperations } from "../people/operations/users.ts";
import { draftDecisionOperations } from "../publishing/operations/draft-decisions.ts";
import { draftOperations } from "../publishing/operations/drafts.ts";
import { versionOperations } from "../publishing/operations/versions.ts";
import { calendarUsesOperations } from "../schedule/operations/calendar-uses.ts";
import { calendarOperations } from "../schedule/operations/calendars.ts";
import { forecastOperations } from "../schedule/operations/forecast.ts";
import { playEventOperations } from "../proof/operations/play-events.ts";
import { reportOperations } from "../proof/operations/reports.ts";
import { reportLinkOperations } from "../proof/operations/report-links.ts";
import { reportPageOperations } from "../proof/operations/report-pages.ts";
import { sharedReportOperations } from "../proof/operations/shared-reports.ts";
import { scheduleOperations } from "../schedule/operations/schedules.ts";
import { showOperations } from "../shows/operations/shows.ts";
import { timelineOperations } from "../schedule/operations/timeline.ts";

const all = [
  ...playerOperations,
  ...rosterOperations,
  ...playerBinOperations,
  ...bulkOperations,
  ...bulkBinOperations,
  ...controlPreviewOperations,
  ...enrolmentKeyOperations,
  ...heartbeatOperations,
  ...problemRecordOperations,
  ...rolloutOperations,
  ...alertOperations,
  ...alertSettingsOperations,
  ...forecastOperations,
  ...layoutOperations,
  ...playlistOperations,
  ...previewOperations,
  ...scheduleOperations,
  ...timelineOperations,
  ...contentUsesOperations,
  ...csvImportOperations,
  ...calendarOperations,
  ...calendarUsesOperations,
  ...showOperations,
  ...draftOperations,
  ...draftDecisionOperations,
  ...versionOperations,
  ...assetOperations,
  ...uploadOperations,
  ...uploadLinkOperations,
  ...commandOperations,
  ...bulkCommandOperations,
  ...commandBatchOperations,
  ...screenshotOperations,
  ...liveOperations,
  ...collectedLogOperations,
  ...releaseOperations,
  ...eventOperations,
  ...webhookOperations,
  ...teamOperations,
  ...memberOperations,
  ...invitationOperations,
  ...userOperations,
  ...emailProofOperations,
  ...passwordOperations,
  ...passkeyOperations,
  ...signInOperations,
  ...ssoOperations,
  ...sessionOperations,
  ...tokenOperations,
  ...auditOperations,
  ...playEventOperations,
  ...reportOperations,
  ...reportPageOperations,
  ...reportLinkOperations,
  ...sharedReportOperations,
  ...deviceOperations,
  ...enrolmentOperations,
];

type DependenciesOf<T> = T extends readonly Operation<infer D>[] ? D : never;
/** The dependencies of all operations together. */
export type OperationDependencies = DependenciesOf<typeof all>;

/** Every operation of the service. */
export const operations: readonly Operation<OperationDependencies>[] = all;

/** The groups of operations, in the order of the documentation. */
export const tags: readonly { name: string; description: string }[] = [
  { name: "players", description: "Screens and the devices that drive them" },
  { name: "enrolment keys", description: "Keys by which many devices become players without pairing codes" },
  { name: "layouts", description: "How a screen is divided into zones" },
  { name: "playlists", description: "What a zone shows, in a loop" },
  { name: "previews", description: "What screens will show, drawn in a browser by the player's own page" },
  { name: "schedules", description: "Which layout is shown when, and on which players" },
  { name: "calendars", description: "Named lists of dates, such as public holidays, that schedules and items include or exclude" },
  { name: "shows", description: "One item on some screens for a time, in one request, and the proof that it was shown" },
  { name: "drafts", description: "Changes of content that are prepared together, compared, approved and published at once" },
  { name: "versions", description: "What was published when, by whom and why, where it has arrived, and going back to it" },
  { name: "assets", description: "The files that screens show" },
  {
    name: "uploads",
    description: "Large files over unreliable connections: resumable uploads with the tus protocol, version 1.0 (https://tus.io)",
  },
  {
    name: "upload links",
    description: "Links that accept one file once, without a token: for files that the requester cannot send itself",
  },
  { name: "commands", description: "Actions that a player runs once" },
  { name: "rollouts", description: "Versions of the player's program that reach the players in rings" },
  { name: "alerts", description: "What is wrong with screens, since when, what to do, and who is told" },
  { name: "screenshots", description: "Pictures of what was on the screen" },
  { name: "logs", description: "Logs that were collected from players" },
  { name: "releases", description: "Versions of the player's program that players can install from this service" },
  { name: "teams", description: "The owners of all resources" },
  { name: "members", description: "The people in a team and their roles" },
  { name: "invitations", description: "Pending memberships of a team" },
  { name: "users", description: "People, and who you are" },
  { name: "sessions", description: "Signing in to the console with a browser" },
  { name: "tokens", description: "Access tokens of programs and people" },
  { name: "audit", description: "Who changed what, in a hash chain that reveals any altered entry" },
  {
    name: "events",
    description:
      "Events in real time: WebSocket subscriptions at GET /api/v1/events, subprotocol signage.events.v1, described at /api/v1/asyncapi.json",
  },
  { name: "webhooks", description: "Events sent to your own URLs, signed with Standard Webhooks 1.0" },
  { name: "play events", description: "Proof of play: what was shown, where and for how long" },
  { name: "report links", description: "Links by which people without an account read one report, until an end" },
  {
    name: "device",
    description:
      "For players: pairing, tokens, desired state, reports. The WebSocket is at GET /api/v1/device/ws, subprotocol signage.device.v1",
  },
];
