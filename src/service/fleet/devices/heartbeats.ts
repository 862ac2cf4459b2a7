// Handles a heartbeat, from a socket or a poll, and responds with everything that the device needs to be up to date.
import type { Clock } from "../../../base/clock.ts";
import type { Heartbeat, HeartbeatAnswer } from "../../../protocol/device/heartbeat.ts";
import type { AlertEngine } from "../../alerts/engine.ts";
import type { Commands } from "../commands.ts";
import type { ConnectivityEvents } from "../connectivity-events.ts";
import type { KeptHeartbeat, Presence } from "../presence.ts";
import type { RolloutTracker } from "../rollouts/tracker.ts";
import type { PlayerProblems } from "../player-problems.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db, Store } from "../../store/store.ts";
import type { Subscribers } from "../../events/subscribers.ts";

export interface HeartbeatDependencies {
  store: Store;
  clock: Clock;
  alerts: AlertEngine;
  presence: Presence;
  commands: Commands;
  links: ConnectivityEvents;
  problems: PlayerProblems;
  rollouts: RolloutTracker;
  subscribers: Subscribers;
}

const playerById = preparedQuery((db: Db, { id }: { id: string }) =>
  db.selectFrom("players").select(["revision", "team_id", "created_at"]).where("id", "=", id),
);

/** @param receivedAt ms since the epoch: t1 of the clock exchange. */
export async function handleHeartbeat(
  { store, clock, alerts, presence, commands, links, problems, rollouts, subscribers }: HeartbeatDependencies,
  playerId: string,
  heartbeat: Heartbeat,
  receivedAt: number,
  link: "socket" | "poll",
): Promise<{ answer: HeartbeatAnswer; kept: KeptHeartbeat }> {
  const kept = presence.recordHeartbeat(playerId, heartbeat, link);
  const pending = await commands.pending(playerId);
  const [player] = await playerById(store.db, { id: playerId });
  if (player === undefined) throw new TypeError(`a heartbeat of the unknown screen ${playerId}`);
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
