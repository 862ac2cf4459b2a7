// Tells the service when variables were set on the player, but not each word of a sensor that never rests.
import { isDeepStrictEqual } from "node:util";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import type { Watchable } from "../../base/async/observable.ts";
import type { Connection } from "../link/connection.ts";
import type { ScheduleFollower } from "../playback/schedule-follower.ts";

const betweenTellingsMs = 2_000;

/** Has a heartbeat sent after variables have changed, at most one in two seconds. Rejects with an AbortError when `signal` aborts. */
export async function reportVariables(
  programme: ScheduleFollower,
  records: Watchable<unknown>,
  connection: Connection,
  clock: Clock,
  signal: AbortSignal,
): Promise<never> {
  const news = new Signal();
  records.watch(() => news.notify(), signal);
  for (let told = programme.variables(); ;) {
    await news.wait(clock, Number.POSITIVE_INFINITY, signal);
    const now = programme.variables();
    // While the link is away the next hello tells them, and asking for one would only cut the wait short.
    if (!isDeepStrictEqual(told, now) && connection.link.value.is === "online") connection.sendHeartbeatNow();
    told = now;
    await clock.wait(betweenTellingsMs, signal);
  }
}
