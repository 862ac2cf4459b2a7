// Waits until the screens of a show have presented it, according to their reports to the service.
import type { Clock } from "../../base/clock.ts";
import { ignoreAbort } from "../../base/fault.ts";
import { runAll } from "../../base/async/run-all.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Log } from "../../base/log.ts";
import type { SubscriptionMessage } from "../../protocol/operator/events.ts";
import type { Show } from "../../protocol/operator/shows.ts";
import type { ServiceClient } from "../service-client.ts";
import { followEvents } from "./follow-events.ts";
import { isSettled, outcomeOf, type Outcome, type Report } from "./outcome.ts";

export interface WatchOptions {
  client: ServiceClient;
  server: string;
  token: string;
  /** How long to wait at most. */
  waitMs: number;
  clock: Clock;
  log: Log;
}

/** The outcome of a show on one of its screens. */
export interface ScreenOutcome {
  name: string;
  outcome: Outcome;
}

interface Screen {
  id: string;
  name: string;
  isOnline: boolean;
  /** The revision that has the show; read when a report makes it necessary. */
  revision: string | null;
  report: Report | null;
}

// A subscription names that many players at most.
const maxNamed = 1_000;

/** Waits until no screen's outcome is expected to change, or the time is over. Logs each change. */
export async function watchShow(show: Show, options: WatchOptions, signal: AbortSignal): Promise<ScreenOutcome[]> {
  const { client, clock, log, server, token, waitMs } = options;
  const zoneIds = new Set((await client.layout(show.layout_id)).zones.map(({ id }) => id));
  const screens = await readScreens(client, show);
  const resultOf = (screen: Screen): Outcome => {
    const { isOnline, report, revision } = screen;
    const reported = report === null ? null : outcomeOf({ layoutId: show.layout_id, zoneIds, revision }, report);
    if (reported?.is === "shown") return reported;
    if (!isOnline) return { is: "offline" };
    return reported ?? { is: "waiting", why: "it has reported nothing yet" };
  };
  const outcomes = (): ScreenOutcome[] => [...screens.values()].map((screen) => ({ name: screen.name, outcome: resultOf(screen) }));
  if (screens.size === 0) return [];
  log.info({ screens: screens.size, at_most_s: waitMs / 1_000 }, "waiting for the screens");

  const changed = new Signal();
  const onMessage = (message: SubscriptionMessage): void => {
    if (applyMessage(screens, show, message)) changed.notify();
  };
  const watching = async (each: AbortSignal): Promise<void> => {
    const logged = new Map<string, string>();
    for (;;) {
      await readRevisions(client, screens);
      for (const { name, outcome } of outcomes()) {
        const text = JSON.stringify(outcome);
        if (logged.get(name) !== text) log.info({ name, ...outcome }, "screen");
        logged.set(name, text);
      }
      if (outcomes().every(({ outcome }) => isSettled(outcome))) return;
      await changed.wait(clock, Number.POSITIVE_INFINITY, each);
    }
  };
  const players = screens.size > maxNamed ? ("all" as const) : [...screens.keys()];
  const subscription = { kinds: ["heartbeat" as const, "presence" as const], players };
  const tasks = [
    watching,
    (each: AbortSignal) => followEvents({ server, token, subscription, onMessage, clock }, each),
    (each: AbortSignal) => clock.wait(waitMs, each),
  ];
  await runAll(tasks, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    ignoreAbort(error);
  });
  // A screen whose connection was cut is noticed by the service, without an event for the first two minutes.
  for (const { player_id, status } of await client.showScreens(show.id)) {
    const screen = screens.get(player_id);
    if (screen !== undefined) screen.isOnline = status === "online";
  }
  return outcomes();
}

async function readScreens(client: ServiceClient, { id }: Show): Promise<Map<string, Screen>> {
  const listed = await client.showScreens(id);
  const screens = listed.map(({ player_id, name, status }): [string, Screen] => [
    player_id,
    { id: player_id, name, isOnline: status === "online", revision: null, report: null },
  ]);
  return new Map(screens);
}

/** Of a screen whose content fails: it may be an older state that does, without the show. */
async function readRevisions(client: ServiceClient, screens: ReadonlyMap<string, Screen>): Promise<void> {
  for (const screen of screens.values()) {
    if (screen.report?.content.is === "failed" && screen.revision === null) {
      screen.revision = (await client.player(screen.id)).desired_revision;
    }
  }
}

/** @returns whether the message concerns one of the screens */
function applyMessage(screens: ReadonlyMap<string, Screen>, show: Show, message: SubscriptionMessage): boolean {
  if (message.type === "heartbeat") {
    const { player_id, received_at, heartbeat } = message.data;
    const screen = screens.get(player_id);
    if (screen === undefined) return false;
    screen.report = heartbeat;
    // The first one may be the last that an offline screen has sent, long ago.
    if (Date.parse(received_at) > Date.parse(show.created_at)) screen.isOnline = true;
    return true;
  }
  if (message.type !== "event") return false;
  const { type, data } = message.data;
  const screen = screens.get(String(data["player_id"]));
  if (screen === undefined) return false;
  if (type === "player.online") screen.isOnline = true;
  if (type === "player.offline") screen.isOnline = false;
  return true;
}
