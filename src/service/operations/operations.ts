// Every verb of the service, once. Routes, the API's description and the MCP tools are made from this table.
import { assetOperations } from "./content/assets.ts";
import { layoutOperations } from "./content/layouts.ts";
import { playlistOperations } from "./content/playlists.ts";
import { uploadLinkOperations } from "./content/upload-links.ts";
import { uploadOperations } from "./content/uploads.ts";
import { eventOperations } from "./events/events.ts";
import { webhookOperations } from "./events/webhooks.ts";
import { commandOperations, screenshotOperations } from "./fleet/commands.ts";
import { deviceOperations } from "./fleet/device.ts";
import { heartbeatOperations } from "./fleet/heartbeats.ts";
import { playerBinOperations } from "./fleet/players-bin.ts";
import { bulkOperations } from "./fleet/players-bulk.ts";
import { playerOperations } from "./fleet/players.ts";
import type { Operation } from "./operation.ts";
import { auditOperations } from "./people/audit.ts";
import { invitationOperations } from "./people/invitations.ts";
import { memberOperations } from "./people/members.ts";
import { teamOperations } from "./people/teams.ts";
import { tokenOperations } from "./people/tokens.ts";
import { userOperations } from "./people/users.ts";
import { calendarOperations } from "./schedule/calendars.ts";
import { forecastOperations } from "./schedule/forecast.ts";
import { playEventOperations } from "./schedule/play-events.ts";
import { reportOperations } from "./schedule/reports.ts";
import { scheduleOperations } from "./schedule/schedules.ts";
import { showOperations } from "./schedule/shows.ts";

const all = [
  ...playerOperations,
  ...playerBinOperations,
  ...bulkOperations,
  ...heartbeatOperations,
  ...forecastOperations,
  ...layoutOperations,
  ...playlistOperations,
  ...scheduleOperations,
  ...calendarOperations,
  ...showOperations,
  ...assetOperations,
  ...uploadOperations,
  ...uploadLinkOperations,
  ...commandOperations,
  ...screenshotOperations,
  ...eventOperations,
  ...webhookOperations,
  ...teamOperations,
  ...memberOperations,
  ...invitationOperations,
  ...userOperations,
  ...tokenOperations,
  ...auditOperations,
  ...playEventOperations,
  ...reportOperations,
  ...deviceOperations,
];

type DependenciesOf<T> = T extends readonly Operation<infer D>[] ? D : never;
/** What all operations together need to run. */
export type OperationDependencies = DependenciesOf<typeof all>;

/** Every operation of the service. */
export const operations: readonly Operation<OperationDependencies>[] = all;

/** What each group of operations is about, in the order of the documentation. */
export const tags: readonly { name: string; description: string }[] = [
  { name: "players", description: "Screens and the boxes behind them" },
  { name: "layouts", description: "How a screen is divided into zones" },
  { name: "playlists", description: "What a zone shows, in a loop" },
  { name: "schedules", description: "Which layout plays when, and on which players" },
  { name: "calendars", description: "Named lists of dates, such as public holidays, on which schedules play or do not" },
  { name: "shows", description: "One thing on some screens for a time, in one request, and the proof of it" },
  { name: "assets", description: "The files that screens show" },
  { name: "uploads", description: "Large files over unsteady lines: resumable uploads by the tus protocol, version 1.0 (https://tus.io)" },
  { name: "upload links", description: "Leave to send one file without a token, once: for files that are too large for who asks for them" },
  { name: "commands", description: "Acts asked of a player" },
  { name: "screenshots", description: "What was on the glass" },
  { name: "teams", description: "What everything belongs to" },
  { name: "members", description: "Who is in a team, and as what" },
  { name: "invitations", description: "Seats in a team that wait for somebody" },
  { name: "users", description: "People, and who you are" },
  { name: "tokens", description: "What programs and people sign in with" },
  { name: "audit", description: "Who wrote what, chained so that no entry can be altered unseen" },
  {
    name: "events",
    description:
      "What happens, as it happens: WebSocket subscriptions at GET /api/v1/events, subprotocol signage.events.v1, described at /api/v1/asyncapi.json",
  },
  { name: "webhooks", description: "Events sent to your own addresses, signed by Standard Webhooks 1.0" },
  { name: "play events", description: "Proof of play: what was shown, where, how long" },
  {
    name: "device",
    description:
      "The players' side: pairing, tokens, state, reports. The socket is at GET /api/v1/device/ws, subprotocol signage.device.v1",
  },
];
