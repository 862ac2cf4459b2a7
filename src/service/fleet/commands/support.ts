// Compares commands with the capabilities in a player's latest heartbeat.
import type { CommandType } from "../../../protocol/device/command-request.ts";
import type { Presence } from "../presence/presence.ts";

/** The reason, for people, why a player cannot carry out commands of a type. Null: it can, or it has not sent its capabilities. */
export function unsupportedReason(presence: Presence, playerId: string, type: CommandType): string | null {
  const capabilities = presence.capabilities(playerId);
  if (capabilities === null || capabilities.commands.includes(type)) return null;
  const lacks = capabilities.unavailable.find((each) => each.type === type)?.reason;
  const reason = lacks ?? "its version does not know the command";
  return `the screen does not support ${type}: ${reason}. It supports ${capabilities.commands.join(", ")}`;
}
