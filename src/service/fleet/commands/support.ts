// Whether a player is able to carry out a command, by the capabilities in its latest heartbeat.
import type { CommandType } from "../../../protocol/device/command-request.ts";
import type { Presence } from "../presence/presence.ts";

/** Why a player is not able to carry out commands of a type, for people. Null: it is, or it has not said what it is able to do. */
export function unsupportedReason(presence: Presence, playerId: string, type: CommandType): string | null {
  const capabilities = presence.capabilities(playerId);
  if (capabilities === null || capabilities.commands.includes(type)) return null;
  const lacks = capabilities.unavailable.find((each) => each.type === type)?.reason;
  const reason = lacks ?? "its version does not know the command";
  return `the screen does not support ${type}: ${reason}. It supports ${capabilities.commands.join(", ")}`;
}
