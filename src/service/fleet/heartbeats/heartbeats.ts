// Handles a heartbeat, from a socket or a poll, and responds with everything that the device needs to be up to date.
import type { ServiceCore } from "../../core.ts";
import type { Heartbeat, HeartbeatAnswer } from "../../../protocol/device/heartbeat.ts";
import type { AlertEngine } from "../../alerts/engine.ts";
import type { Commands } from "../commands/commands.ts";
import type { ConnectivityEvents } from "../presence/connectivity-events.ts";
import type { KeptHeartbeat, Presence } from "../presence/presence.ts";
import type { RolloutTracker } from "../rollouts/tracker.ts";
import type { PlayerProblems } from "../problems/problems.ts";
import type { ReportingPlayers } from "./reporting-players.ts";
import type { Subscribers } from "../../events/subscribers.ts";

export interface HeartbeatDependencies extends ServiceCore {
  alerts: AlertEngine;
  presence: Presence;
  commands: Commands;
  links: ConnectivityEvents;
  problems: PlayerProblems;
  reporting: ReportingPlayers;
  rollouts: RolloutTracker;
  subscribers: Subscribers;
}

/** @param receivedAt ms since the epoch: t1 of the clock exchange. */
export async function handleHeartbeat(
  { clock, alerts, presence, commands, links, problems, reporting, rollouts, subscribers }: HeartbeatDependencies,
  playerId: string,
  heartbeat: Heartbeat,
  receivedAt: number,
  link: "socket" | "poll",
): Promise<{ answer: HeartbeatAnswer; kept: KeptHeartbeat }> {
  const kept = presence.recordHeartbeat(playerId, heartbeat, link);
  const player = await reporting.find(playerId);
  if (player === undefined) throw new TypeError(`a heartbeat of the unknown screen ${playerId}`);
  const pending = player.has_commands ? await commands.pending(playerId) : [];
  problems.recordHeartbeat(playerId, heartbeat, player.revision);
  alerts.recordHeartbeat({ id: playerId, created_at: player.created_at });
  await links.recordHeartbeat({ id: playerId, created_at: player.created_at }, heartbeat);
  await rollouts.recordHeartbeat(playerId, heartbeat);
  subscribers.sendHeartbeat(player.team_id, playerId, receivedAt, heartbeat);
  const answer = {
    sent_at_ms: heartbeat.sent_at_ms,
    received_at_ms: receivedAt,
    answered_at_ms: clock.now(),
    revision: player.revision,
    commands: pending,
    ...(problems.identities.sharedSince(playerId) !== null && { identity_shared: true }),
  };
  return { answer, kept };
}
