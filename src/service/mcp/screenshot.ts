// The tool that looks at a screen: sends the command, waits for its end and answers with the picture.
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { finalStatuses, type Command, type Screenshot } from "../../protocol/device/commands.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import type { Player } from "../../protocol/operator/resources.ts";
import type { Show } from "../../protocol/operator/shows.ts";
import { id as idOf } from "../../protocol/common.ts";
import { requireScope } from "../people/operator.ts";
import { findPlayerByIdOrName } from "../fleet/named-players.ts";
import { invalidFields, ProblemError } from "../http/problem.ts";
import { zoneIdsOf } from "../shows/shows.ts";
import { validatePart } from "../http/validation.ts";
import { answered, readJson, readPicture, toolNamed, writeOperation, type Arguments, type Runner, type Visit } from "./calls.ts";
import type { OtherTool } from "./tools.ts";
import { marked } from "./untrusted.ts";

// With the picture after it less than a minute, at which connections and clients give up.
const longestWaitMs = 45_000;
// However long the show was waited for.
const minPictureMs = 10_000;
const Given = z.strictObject({
  player: z.string().min(1).max(200).describe("Its id, or its name as it stands, blind to case"),
  show_id: idOf("shw").optional().describe("Wait until the player presents this show, and take the picture then"),
  max_width: z.int().min(16).max(1_920).default(1_024).describe("The picture is made smaller to this width"),
  wait_ms: z.int().min(1_000).max(longestWaitMs).default(40_000).describe("How long to wait for the player"),
});
const { $schema: _schema, ...inputSchema } = z.toJSONSchema(Given, { io: "input" });

/** The tool of this file. */
export const screenshotTool: OtherTool = {
  tool: {
    name: "take_screenshot",
    title: "See a screen now",
    description:
      "Takes a picture of what is on the glass of one player now, and answers with it: the proof that content is really shown. Changes nothing on the screen. An offline player is refused at once.",
    inputSchema: inputSchema as Tool["inputSchema"],
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  scopes: ["players:read", "commands:read", "commands:write", "screenshots:read"],
  toolsets: ["everyday", "players"],
};

/** Calls {@link screenshotTool}; undefined: the name is not its. */
export function callScreenshot(runner: Runner, visit: Visit, name: string, given: Arguments): Promise<CallToolResult> | undefined {
  return name === screenshotTool.tool.name ? answered(runner, visit, name, () => look(runner, visit, given)) : undefined;
}

/** @throws Refusal where no picture comes, with the reason. */
async function look(runner: Runner, visit: Visit, given: Arguments): Promise<CallToolResult> {
  const asked = validatePart(Given, given);
  if ("errors" in asked) throw invalidFields(asked.errors);
  const { player: wanted, show_id: showId, max_width, wait_ms } = asked.value;
  for (const scope of screenshotTool.scopes) requireScope(visit.operator, scope);
  const { clock, commands, presence, store } = runner.parts;
  const { id } = await findPlayerByIdOrName(store.db, visit.operator.teamId, wanted, "player");
  const player = await readJson<Player>(runner, visit, "get_player", { id });
  if (player.status !== "online") {
    const seen = player.last_seen_at === null ? "was never seen" : `was last seen at ${player.last_seen_at}`;
    throw new ProblemError("conflict", `“${player.name}” is offline (${seen}): no picture can be taken. list_screenshots has earlier ones`);
  }
  const began = clock.monotonic();
  const gone = goneOf(runner, visit);
  const show = showId === undefined ? null : await readJson<Show>(runner, visit, "get_show", { id: showId });
  const zones = new Set(show === null ? [] : await zoneIdsOf(store.db, show.layout_id));
  const presents = (heartbeat: Heartbeat) => heartbeat.now_playing.some(({ zone_id }) => zones.has(zone_id));
  const isShowing = show === null ? null : await presence.waitForHeartbeat(id, presents, wait_ms, gone);
  // A picture of what is there instead tells more than none.
  const leftMs = Math.max(minPictureMs, wait_ms - (clock.monotonic() - began));
  const order = { id, type: "screenshot", args: { format: "jpeg", max_width }, ttl_s: Math.ceil(leftMs / 1_000) };
  const { id: commandId } = (await writeOperation(runner, visit, toolNamed(runner, "send_command"), order)) as Command;
  await commands.waitForEnd(commandId, leftMs, gone);
  const { status, error, result } = await readJson<Command>(runner, visit, "get_command", { id, command_id: commandId });
  if (status !== "succeeded") {
    const reason = finalStatuses.includes(status)
      ? `the command ${status}${error === null ? "" : `: ${error.detail}`}`
      : `it is still ${status}`;
    throw new ProblemError("timeout", `“${player.name}” sent no picture within ${wait_ms} ms: ${reason} (${commandId})`);
  }
  const shot = await readJson<Screenshot>(runner, visit, "get_screenshot", { id: String(result?.["screenshot_id"]) });
  const picture = await readPicture(runner, visit, "get_screenshot_image", shot.id);
  const { id: screenshot_id, captured_at, width, height } = shot;
  const about = { player_id: id, player_name: player.name, screenshot_id, captured_at, width, height };
  const what = isShowing === null ? {} : { show_id: showId, is_showing: isShowing };
  return marked({ ...about, ...what }, [{ type: "image", ...picture }]);
}

/** Aborts when the caller is gone, the token ends or the service stops. */
function goneOf({ parts }: Runner, { call, operator }: Visit): AbortSignal {
  const ended = new AbortController();
  parts.tokens.onEnd(operator, () => ended.abort(), call.closedSignal());
  return AbortSignal.any([call.closedSignal(), ended.signal, parts.closing]);
}
