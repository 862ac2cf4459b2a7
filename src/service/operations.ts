// Every verb of the service, once. Routes, the API's description and later the MCP tools are made from this table.
import { assetOperations } from "./operations/assets.ts";
import { commandOperations, screenshotOperations } from "./operations/commands.ts";
import { deviceOperations } from "./operations/device.ts";
import { eventOperations } from "./operations/events.ts";
import { layoutOperations } from "./operations/layouts.ts";
import type { Operation } from "./operations/operation.ts";
import { playerOperations } from "./operations/players.ts";
import { playlistOperations } from "./operations/playlists.ts";
import { scheduleOperations } from "./operations/schedules.ts";
import { webhookOperations } from "./operations/webhooks.ts";

export const operations: readonly Operation[] = [
  ...playerOperations,
  ...layoutOperations,
  ...playlistOperations,
  ...scheduleOperations,
  ...assetOperations,
  ...commandOperations,
  ...screenshotOperations,
  ...eventOperations,
  ...webhookOperations,
  ...deviceOperations,
];

/** What each group of operations is about, in the order of the documentation. */
export const tags: readonly { name: string; description: string }[] = [
  { name: "players", description: "Screens and the boxes behind them" },
  { name: "layouts", description: "How a screen is divided into zones" },
  { name: "playlists", description: "What a zone shows, in a loop" },
  { name: "schedules", description: "Which layout plays when, and on which players" },
  { name: "assets", description: "The files that screens show" },
  { name: "commands", description: "Acts asked of a player" },
  { name: "screenshots", description: "What was on the glass" },
  {
    name: "events",
    description:
      "What happens, as it happens: WebSocket subscriptions at GET /api/v1/events, subprotocol signage.events.v1, described at /api/v1/asyncapi.json",
  },
  { name: "webhooks", description: "Events sent to your own addresses, signed by Standard Webhooks 1.0" },
  {
    name: "device",
    description:
      "The players' side: pairing, tokens, state, reports. The socket is at GET /api/v1/device/ws, subprotocol signage.device.v1",
  },
];
