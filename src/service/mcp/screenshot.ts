// The take_screenshot tool: sends the command, waits for its result and returns the image.
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { id as idOf } from "../../protocol/common.ts";
import { finalStatuses, type Command, type Screenshot } from "../../protocol/device/commands.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import type { Player } from "../../protocol/operator/resources.ts";
import type { Show } from "../../protocol/operator/shows.ts";
import { findPlayerByIdOrName } from "../fleet/players/by-name.ts";
import { invalidFields, ProblemError } from "../http/problem.ts";
import { validatePart } from "../http/input/validation.ts";
import { requireScope } from "../people/operator.ts";
import { zoneIdsOf } from "../shows/shows.ts";
import { readJson, readPicture, runTool, toolNamed, writeOperation, type McpCall, type ToolRunner } from "./calls.ts";
import type { Arguments } from "./tool-input.ts";
import type { CombinedTool } from "./tools.ts";
import { untrustedResult } from "./untrusted.ts";

// Together with the download below one minute, after which connections and clients time out.
const maxWaitMs = 45_000;
// The minimum time for the screenshot, however long the wait for the show took.
const minPictureMs = 10_000;
const ScreenshotInput = z.strictObject({
  player: z.string().min(1).max(200).describe("Its id, or its exact name, ignoring case"),
  show_id: idOf("shw").optional().describe("Wait until the player presents this show, then take the screenshot"),
  max_width: z.int().min(16).max(1_920).default(1_024).describe("The image is scaled down to this width"),
  wait_ms: z.int().min(1_000).max(maxWaitMs).default(40_000).describe("How long to wait for the player"),
});
const { $schema: _schema, ...inputSchema } = z.toJSONSchema(ScreenshotInput, { io: "input" });

export const screenshotTool: CombinedTool = {
  tool: {
    name: "take_screenshot",
    title: "See a screen now",
    description:
      "Takes a screenshot of one player now and returns it: the proof that content is really shown. Changes nothing on the screen. Fails at once if the player is offline.",
    inputSchema: inputSchema as Tool["inputSchema"],
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  scopes: ["players:read", "commands:read", "commands:write", "screenshots:read"],
  toolsets: ["everyday", "players"],
};

/** Calls {@link screenshotTool}; returns undefined for any other name. */
export function callScreenshot(runner: ToolRunner, mcpCall: McpCall, name: string, args: Arguments): Promise<CallToolResult> | undefined {
  return name === screenshotTool.tool.name ? runTool(runner, mcpCall, name, () => takeScreenshot(runner, mcpCall, args)) : undefined;
}

/** @throws ProblemError with the reason if the player sends no screenshot. */
async function takeScreenshot(runner: ToolRunner, mcpCall: McpCall, args: Arguments): Promise<CallToolResult> {
  const input = validatePart(ScreenshotInput, args);
  if ("errors" in input) throw invalidFields(input.errors, input.moreErrors);
  const { player: wanted, show_id: showId, max_width, wait_ms } = input.value;
  for (const scope of screenshotTool.scopes) requireScope(mcpCall.operator, scope);
  const { clock, commands, presence, store } = runner;
  const { id } = await findPlayerByIdOrName(store.db, mcpCall.operator.teamId, wanted, "player");
  const player = await readJson<Player>(runner, mcpCall, "get_player", { id });
  if (player.status !== "online") {
    const seen = player.last_seen_at === null ? "was never seen" : `was last seen at ${player.last_seen_at}`;
    throw new ProblemError(
      "conflict",
      `“${player.name}” is offline (${seen}), so it cannot take a screenshot. list_screenshots has earlier ones`,
    );
  }
  const began = clock.monotonic();
  const closed = closedSignalOf(runner, mcpCall);
  const show = showId === undefined ? null : await readJson<Show>(runner, mcpCall, "get_show", { id: showId });
  const zones = new Set(show === null ? [] : await zoneIdsOf(store.db, show.layout_id));
  const presents = (heartbeat: Heartbeat) => heartbeat.now_playing.some(({ zone_id }) => zones.has(zone_id));
  const isShowing = show === null ? null : await presence.waitForHeartbeat(id, presents, wait_ms, closed);
  // If the show does not appear in time, a screenshot of the other content still helps.
  const leftMs = Math.max(minPictureMs, wait_ms - (clock.monotonic() - began));
  const order = { id, type: "screenshot", args: { format: "jpeg", max_width }, ttl_s: Math.ceil(leftMs / 1_000) };
  const { id: commandId } = (await writeOperation(runner, mcpCall, toolNamed(runner, "send_command"), order)) as Command;
  await commands.waitForEnd(commandId, leftMs, closed);
  const { status, error, result } = await readJson<Command>(runner, mcpCall, "get_command", { id, command_id: commandId });
  if (status !== "succeeded") {
    const reason = finalStatuses.includes(status)
      ? `the command ${status}${error === null ? "" : `: ${error.detail}`}`
      : `it is still ${status}`;
    throw new ProblemError("timeout", `“${player.name}” sent no screenshot within ${wait_ms} ms: ${reason} (${commandId})`);
  }
  const shot = await readJson<Screenshot>(runner, mcpCall, "get_screenshot", { id: String(result?.["screenshot_id"]) });
  const picture = await readPicture(runner, mcpCall, "get_screenshot_image", shot.id);
  const { id: screenshot_id, captured_at, width, height } = shot;
  const details = { player_id: id, player_name: player.name, screenshot_id, captured_at, width, height };
  const showState = isShowing === null ? {} : { show_id: showId, is_showing: isShowing };
  return untrustedResult({ ...details, ...showState }, [{ type: "image", ...picture }]);
}

/** Aborts when the client disconnects, the token ends or the service stops. */
function closedSignalOf({ closing, tokens }: ToolRunner, { call, operator }: McpCall): AbortSignal {
  const ended = new AbortController();
  tokens.onEnd(operator, () => ended.abort(), call.closedSignal());
  return AbortSignal.any([call.closedSignal(), ended.signal, closing]);
}
