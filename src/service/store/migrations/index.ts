// The migrations of the durable and the telemetry database, by name. A released migration never changes.
import type { Migration } from "kysely/migration";
import { firstMigration } from "./0001-first.ts";
import { peopleMigration } from "./0002-people.ts";
import { assetsMigration } from "./0003-assets.ts";
import { schedulesMigration } from "./0004-schedules.ts";
import { recordsMigration, recordsTelemetryMigration } from "./0005-records.ts";
import { eventsMigration } from "./0006-events.ts";
import { looksMigration } from "./0007-looks.ts";
import { wallsMigration, wallsTelemetryMigration } from "./0008-walls.ts";
import { binMigration } from "./0009-bin.ts";
import { problemsMigration } from "./0009-problems.ts";
import { calendarsMigration } from "./0010-calendars.ts";
import { invitationsMigration } from "./0011-invitations.ts";
import { retentionMigration } from "./0012-retention.ts";
import { originalsMigration } from "./0013-originals.ts";
import { webhookHealthMigration } from "./0014-webhook-health.ts";
import { showsMigration } from "./0015-shows.ts";
import { safeContentMigration } from "./0016-safe-content.ts";
import { downloadSettingsMigration } from "./0017-download-settings.ts";
import { problemRecordsMigration } from "./0018-problem-records.ts";
import { teamSafeContentMigration } from "./0019-team-safe-content.ts";
import { rolloutsMigration } from "./0020-rollouts.ts";
import { enrolmentMigration } from "./0021-enrolment.ts";
import { deviceControlMigration } from "./0022-device-control.ts";
import { heartbeatHoursMigration } from "./0026-heartbeat-hours.ts";
import { alertsMigration } from "./0027-alerts.ts";
import { commandBatchesMigration } from "./0023-command-batches.ts";
import { collectedLogsMigration } from "./0024-collected-logs.ts";
import { sessionsMigration } from "./0028-sessions.ts";
import { passwordsMigration } from "./0029-passwords.ts";
import { showEmergenciesMigration } from "./0033-show-emergencies.ts";
import { identitiesMigration } from "./0035-identities.ts";
import { passkeysMigration } from "./0034-passkeys.ts";
import { publishingMigration } from "./0040-publishing.ts";
import { contentTriggersMigration } from "./0041-content-triggers.ts";
import { approvalMigration } from "./0042-approval.ts";
import { reportLinksMigration } from "./0046-report-links.ts";
import { nodesMigration } from "./0047-nodes.ts";
import { presenceMigration } from "./0056-presence.ts";
import { blobMarksMigration } from "./0050-blob-marks.ts";
import { oneTimeMigration } from "./0055-one-time.ts";
import { heartbeatPartitionsMigration } from "./0070-partitions.ts";
import { liveFpsMigration } from "./0071-live-fps.ts";
import { confinedSessionsMigration } from "./0072-confined-sessions.ts";
import { announcementsReadMigration } from "./0074-announcements-read.ts";
import { limitsMigration } from "./0060-limits.ts";
import { liveMigration } from "./0061-live.ts";
import { uploadPiecesMigration } from "./0065-upload-pieces.ts";
import { provenEmailsMigration } from "./0073-proven-emails.ts";
import { migration } from "./statements.ts";

/** The migrations of the durable database. They run in the order of their names. */
export const migrations: Record<string, Migration> = {
  "0001-first": firstMigration,
  "0002-people": peopleMigration,
  "0003-assets": assetsMigration,
  "0004-schedules": schedulesMigration,
  "0005-records": recordsMigration,
  "0006-events": eventsMigration,
  "0007-looks": looksMigration,
  "0008-walls": wallsMigration,
  "0009-bin": binMigration,
  "0009-problems": problemsMigration,
  "0010-calendars": calendarsMigration,
  "0011-invitations": invitationsMigration,
  "0012-retention": retentionMigration,
  "0013-originals": originalsMigration,
  "0014-webhook-health": webhookHealthMigration,
  "0015-shows": showsMigration,
  "0016-safe-content": safeContentMigration,
  "0017-download-settings": downloadSettingsMigration,
  "0018-problem-records": problemRecordsMigration,
  "0019-team-safe-content": teamSafeContentMigration,
  "0020-rollouts": rolloutsMigration,
  "0021-enrolment": enrolmentMigration,
  "0022-device-control": deviceControlMigration,
  "0027-alerts": alertsMigration,
  "0023-command-batches": commandBatchesMigration,
  "0024-collected-logs": collectedLogsMigration,
  "0028-sessions": sessionsMigration,
  "0029-passwords": passwordsMigration,
  "0033-show-emergencies": showEmergenciesMigration,
  "0035-identities": identitiesMigration,
  "0034-passkeys": passkeysMigration,
  "0040-publishing": publishingMigration,
  "0041-content-triggers": contentTriggersMigration,
  "0042-approval": approvalMigration,
  "0046-report-links": reportLinksMigration,
  "0047-nodes": nodesMigration,
  "0050-blob-marks": blobMarksMigration,
  "0055-one-time": oneTimeMigration,
  "0060-limits": limitsMigration,
  "0061-live": liveMigration,
  "0065-upload-pieces": uploadPiecesMigration,
  "0071-live-fps": liveFpsMigration,
  "0072-confined-sessions": confinedSessionsMigration,
  "0073-proven-emails": provenEmailsMigration,
  "0074-announcements-read": announcementsReadMigration,
};

/** The migrations of the telemetry database. */
export const telemetryMigrations: Record<string, Migration> = {
  "0001-first": migration(["CREATE TABLE heartbeats (player_id TEXT PRIMARY KEY, received_at BIGINT NOT NULL, body TEXT NOT NULL)"]),
  "0005-records": recordsTelemetryMigration,
  "0008-walls": wallsTelemetryMigration,
  "0026-heartbeat-hours": heartbeatHoursMigration,
  "0056-presence": presenceMigration,
  "0070-partitions": heartbeatPartitionsMigration,
};
