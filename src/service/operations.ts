// Every verb of the service, once. Routes, the API's description and later the MCP tools are made from this table.
import { assetOperations } from "./operations/assets.ts";
import { commandOperations, screenshotOperations } from "./operations/commands.ts";
import { deviceOperations } from "./operations/device.ts";
import { heartbeatOperations } from "./operations/heartbeats.ts";
import { layoutOperations } from "./operations/layouts.ts";
import type { Operation } from "./operations/operation.ts";
import { playEventOperations } from "./operations/play-events.ts";
import { bulkOperations } from "./operations/players-bulk.ts";
import { playerOperations } from "./operations/players.ts";
import { playlistOperations } from "./operations/playlists.ts";
import { reportOperations } from "./operations/reports.ts";

export const operations: readonly Operation[] = [
  ...playerOperations,
  ...bulkOperations,
  ...heartbeatOperations,
  ...layoutOperations,
  ...playlistOperations,
  ...assetOperations,
  ...commandOperations,
  ...screenshotOperations,
  ...playEventOperations,
  ...reportOperations,
  ...deviceOperations,
];

/** What each group of operations is about, in the order of the documentation. */
export const tags: readonly { name: string; description: string }[] = [
  { name: "players", description: "Screens and the boxes behind them" },
  { name: "layouts", description: "How a screen is divided into zones" },
  { name: "playlists", description: "What a zone shows, in a loop" },
  { name: "assets", description: "The files that screens show" },
  { name: "commands", description: "Acts asked of a player" },
  { name: "screenshots", description: "What was on the glass" },
  { name: "play events", description: "Proof of play: what was shown, where, how long" },
  {
    name: "device",
    description:
      "The players' side: pairing, tokens, state, reports. The socket is at GET /api/v1/device/ws, subprotocol signage.device.v1",
  },
];
