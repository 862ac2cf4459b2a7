// MCP resources: each player's screen, state and forecast, and the thumbnails of assets.
import { ResourceNotFoundError, type ReadResourceResult, type Resource, type ResourceTemplateType } from "@modelcontextprotocol/server";
import { ProblemError } from "../http/problem.ts";
import { readJson, readPicture, type McpCall, type ToolRunner } from "./calls.ts";
import { plainName, safeJson, untrustedMark } from "./untrusted.ts";

/** The resource URIs. Reading one requires the scopes of the operations behind it. */
export const resourceTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: "signage://players/{id}/screen",
    name: "player-screen",
    title: "A player's screen",
    description: "The newest screenshot: what was on the screen at its `captured_at`. For the screen as it is now, use take_screenshot.",
  },
  {
    uriTemplate: "signage://players/{id}/state",
    name: "player-state",
    title: "A player's state",
    description: "The player, what it presents according to its latest heartbeat, and the chain of reasons why.",
    mimeType: "application/json",
  },
  {
    uriTemplate: "signage://players/{id}/week",
    name: "player-week",
    title: "A player's week ahead",
    description:
      "What it will show in the next seven days, interval by interval, and because of which schedule, override or layout; `nothing` is an empty screen. Times are UTC; `timezone` is the player's.",
    mimeType: "application/json",
  },
  {
    uriTemplate: "signage://assets/{id}/thumbnail",
    name: "asset-thumbnail",
    title: "An asset's thumbnail",
    description: "A small image of an asset: a frame of a video, the first page of a document.",
    mimeType: "image/webp",
  },
];

const readers: Readonly<Record<string, (runner: ToolRunner, mcpCall: McpCall, uri: string, id: string) => Promise<ReadResourceResult>>> = {
  "players/screen": readScreen,
  "players/state": readState,
  "players/week": readWeek,
  "assets/thumbnail": readThumbnail,
};

/**
 * The players' resources, page by page. Empty for a token that may not read players.
 * @throws ProblemError for an invalid cursor.
 */
export async function listResources(
  runner: ToolRunner,
  mcpCall: McpCall,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  if (!mcpCall.operator.scopes.includes("players:read")) return { resources: [] };
  const page = await readJson<{ data: { id: string; name: string }[]; next_cursor: string | null }>(runner, mcpCall, "list_players", {
    limit: 100,
    ...(cursor === undefined ? {} : { cursor }),
  });
  const resources = page.data.flatMap(({ id, name: rawName }): Resource[] => {
    const name = plainName(rawName);
    return [
      { uri: `signage://players/${id}/screen`, name: `${name}: screen`, title: `The latest screenshot of ${name}` },
      { uri: `signage://players/${id}/state`, name: `${name}: state`, title: `The state of ${name}`, mimeType: "application/json" },
      { uri: `signage://players/${id}/week`, name: `${name}: week`, title: `What ${name} will show`, mimeType: "application/json" },
    ];
  });
  return page.next_cursor === null ? { resources } : { resources, nextCursor: page.next_cursor };
}

/**
 * Reads a resource.
 * @throws ResourceNotFoundError for a URI that does not exist or belongs to another team; ProblemError like REST otherwise.
 */
export async function readResource(runner: ToolRunner, mcpCall: McpCall, uri: string): Promise<ReadResourceResult> {
  const [, kind, id, part] = /^signage:\/\/(players|assets)\/([^/?#]+)\/(screen|state|week|thumbnail)$/.exec(uri) ?? [];
  const reader = readers[`${kind}/${part}`];
  if (reader === undefined || id === undefined) throw new ResourceNotFoundError(uri);
  try {
    return await reader(runner, mcpCall, uri, id);
  } catch (error) {
    if (error instanceof ProblemError && error.kind === "not-found") throw new ResourceNotFoundError(uri, error.message);
    throw error;
  }
}

async function readScreen(runner: ToolRunner, mcpCall: McpCall, uri: string, id: string): Promise<ReadResourceResult> {
  const { data } = await readJson<{ data: { id: string; captured_at: string }[] }>(runner, mcpCall, "list_screenshots", { id, limit: 1 });
  const [newest] = data;
  if (newest === undefined) throw new ResourceNotFoundError(uri, "There is no screenshot yet: use take_screenshot");
  const picture = await pictureOf(runner, mcpCall, "get_screenshot_image", newest.id);
  const _meta = { ...untrustedMark, "signage-player/screenshot_id": newest.id, "signage-player/captured_at": newest.captured_at };
  return { contents: [{ uri, ...picture, _meta }] };
}

async function readState(runner: ToolRunner, mcpCall: McpCall, uri: string, id: string): Promise<ReadResourceResult> {
  const player = await readJson(runner, mcpCall, "get_player", { id });
  const now = await readJson(runner, mcpCall, "get_player_now", { id });
  return jsonOf(uri, { player, now });
}

async function readWeek(runner: ToolRunner, mcpCall: McpCall, uri: string, id: string): Promise<ReadResourceResult> {
  const week = await readJson(runner, mcpCall, "get_forecast", { id, limit: 500 });
  return jsonOf(uri, week);
}

async function readThumbnail(runner: ToolRunner, mcpCall: McpCall, uri: string, id: string): Promise<ReadResourceResult> {
  return { contents: [{ uri, ...(await pictureOf(runner, mcpCall, "get_asset_thumbnail", id)), _meta: untrustedMark }] };
}

async function pictureOf(runner: ToolRunner, mcpCall: McpCall, tool: string, id: string): Promise<{ mimeType: string; blob: string }> {
  const { mimeType, data } = await readPicture(runner, mcpCall, tool, id);
  return { mimeType, blob: data };
}

function jsonOf(uri: string, value: unknown): ReadResourceResult {
  return { contents: [{ uri, mimeType: "application/json", text: safeJson(value), _meta: untrustedMark }] };
}
