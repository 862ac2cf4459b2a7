// Keeps the cache true by the events of the service: what an event concerns is read again, if a page shows it.
import type { Event } from "../../../src/protocol/operator/events.ts";
import { eventStream } from "./event-stream.ts";
import { queryClient } from "./query-client.ts";

/** Query keys begin with the name of their resource. By the first part of an event's type: the keys that it makes old. */
const keysByNoun: Readonly<Record<string, readonly string[]>> = {
  player: ["players"],
  problem: ["players"],
  layout: ["layouts", "players"],
  playlist: ["playlists"],
  asset: ["assets"],
  schedule: ["schedules", "players", "shows"],
  calendar: ["calendars", "players"],
  command: ["commands"],
  screenshot: ["screenshots"],
  webhook: ["webhooks"],
  rollout: ["rollouts"],
  alert: ["alerts"],
  batch: ["command-batches"],
};

/** Starts keeping the cache true until the returned function is called. */
export function keepFresh(): () => void {
  return eventStream.listen((news) => {
    if (news.is === "resync") void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
    // What could not be read while the service was away is read now.
    if (news.is === "connection" && news.awaySince === null)
      void queryClient.refetchQueries({ predicate: ({ state }) => state.status === "error" });
    if (news.is === "event") refresh(news.event);
  });
}

function refresh({ type }: Event): void {
  for (const key of keysByNoun[type.slice(0, type.indexOf("."))] ?? []) void queryClient.invalidateQueries({ queryKey: [key] });
}
