// The table of all operations. REST routes, the API description and MCP tools are generated from it.
import { alertSettingsOperations } from "./alerts/alert-settings.ts";
import { alertOperations } from "./alerts/alerts.ts";
import { assetOperations } from "./content/assets.ts";
import { contentUsesOperations } from "./content/content-uses.ts";
import { csvImportOperations } from "./content/csv-imports.ts";
import { layoutOperations } from "./content/layouts.ts";
import { playlistOperations } from "./content/playlists.ts";
import { previewOperations } from "./content/previews.ts";
import { uploadLinkOperations } from "./content/upload-links.ts";
import { uploadOperations } from "./content/uploads.ts";
import { eventOperations } from "./events/events.ts";
import { webhookOperations } from "./events/webhooks.ts";
import { bulkCommandOperations } from "./fleet/bulk-commands.ts";
import { commandBatchOperations } from "./fleet/command-batches.ts";
import { commandOperations } from "./fleet/commands.ts";
import { controlPreviewOperations } from "./fleet/control-preview.ts";
import { deviceOperations } from "./fleet/device.ts";
import { enrolmentKeyOperations } from "./fleet/enrolment-keys.ts";
import { enrolmentOperations } from "./fleet/enrolments.ts";
import { heartbeatOperations } from "./fleet/heartbeats.ts";
import { liveOperations } from "./fleet/live.ts";
import { playerBinOperations } from "./fleet/players-bin.ts";
import { bulkBinOperations } from "./fleet/players-bulk-bin.ts";
import { bulkOperations } from "./fleet/players-bulk.ts";
import { playerOperations } from "./fleet/players.ts";
import { problemRecordOperations } from "./fleet/problem-records.ts";
import { releaseOperations } from "./fleet/releases.ts";
import { rolloutOperations } from "./fleet/rollouts.ts";
import { collectedLogOperations } from "./fleet/collected-logs.ts";
import { rosterOperations } from "./fleet/roster.ts";
import { screenshotOperations } from "./fleet/screenshots.ts";
import type { Operation } from "./operation.ts";
import { auditOperations } from "./people/audit.ts";
import { emailProofOperations } from "./people/email-proof.ts";
import { invitationOperations } from "./people/invitations.ts";
import { memberOperations } from "./people/members.ts";
import { teamOperations } from "./people/teams.ts";
import { sessionOperations } from "./people/sessions.ts";
import { passkeyOperations } from "./people/passkeys.ts";
import { passwordOperations } from "./people/password.ts";
import { signInOperations } from "./people/sign-in.ts";
import { ssoOperations } from "./people/sso.ts";
import { tokenOperations } from "./people/tokens.ts";
import { userOperations } from "./people/users.ts";
import { draftDecisionOperations } from "./publishing/draft-decisions.ts";
import { draftOperations } from "./publishing/drafts.ts";
import { versionOperations } from "./publishing/versions.ts";
import { calendarUsesOperations } from "./schedule/calendar-uses.ts";
import { calendarOperations } from "./schedule/calendars.ts";
import { forecastOperations } from "./schedule/forecast.ts";
import { playEventOperations } from "./schedule/play-events.ts";
import { reportOperations } from "./schedule/reports.ts";
import { reportLinkOperations } from "./reports/report-links.ts";
import { reportPageOperations } from "./reports/report-pages.ts";
import { sharedReportOperations } from "./reports/shared-reports.ts";
import { scheduleOperations } from "./schedule/schedules.ts";
import { showOperations } from "./schedule/shows.ts";
import { timelineOperations } from "./schedule/timeline.ts";

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
