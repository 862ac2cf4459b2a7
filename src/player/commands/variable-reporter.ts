// Sends a heartbeat after variables on the player change, but not for every value of a busy sensor.
import { isDeepStrictEqual } from "node:util";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import type { Watchable } from "../../base/async/observable.ts";
import type { Connection } from "../link/connection.ts";
import type { ScheduleFollower } from "../playback/schedule-follower.ts";

const minIntervalMs = 2_000;

/** Sends at most one heartbeat in two seconds. Rejects with an AbortError when `signal` aborts. */
export async function reportVariables(
  follower: ScheduleFollower,
  interventions: Watchable<unknown>,
  connection: Connection,
  clock: Clock,
  signal: AbortSignal,
): Promise<never> {
  const changed = new Signal();
  interventions.watch(() => changed.notify(), signal);
  for (let reported = follower.variables(); ;) {
    await changed.wait(clock, Number.POSITIVE_INFINITY, signal);
    const current = follower.variables();
    // While the player is offline, requesting a heartbeat would only shorten the wait before it reconnects. The hello reports them.
    if (!isDeepStrictEqual(reported, current) && connection.link.value.is === "online") connection.sendHeartbeatNow();
    reported = current;
    await clock.wait(minIntervalMs, signal);
  }
}
