// Keeps the cache true by the events of the service: data that an event concerns is read again, if a page shows it.
import type { Event } from "../../../src/protocol/operator/events.ts";
import { activeDraft, contentKeys } from "./drafts/place.ts";
import { eventStream } from "./event-stream.ts";
import { queryClient } from "./query-client.ts";

/** Query keys begin with the name of their resource. By the first part of an event's type: the keys that it makes old. */
const keysByNoun: Readonly<Record<string, readonly string[]>> = {
  player: ["players", "player-previews"],
  problem: ["players"],
  layout: ["layouts", "players", "versions", "draft-contents", "previews", "player-previews"],
  playlist: ["playlists", "versions", "draft-contents", "previews", "player-previews"],
  asset: ["assets", "previews", "player-previews"],
  schedule: ["schedules", "players", "shows", "versions", "draft-contents", "player-previews"],
  calendar: ["calendars", "players", "versions", "draft-contents", "player-previews"],
  command: ["commands"],
  screenshot: ["screenshots"],
  webhook: ["webhooks"],
  rollout: ["rollouts"],
  alert: ["alerts"],
  batch: ["command-batches"],
  draft: ["drafts", "draft-contents", "previews", "player-previews"],
  version: ["versions"],
};

/** Starts keeping the cache true until the returned function is called. */
export function keepFresh(): () => void {
  return eventStream.listen((news) => {
    if (news.is === "resync") void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
    // Queries that failed while the service was away are repeated now.
    if (news.is === "connection" && news.awaySince === null)
      void queryClient.refetchQueries({ predicate: ({ state }) => state.status === "error" });
    // Whoever shows the session finds that there is none, and the person is asked to sign in.
    if (news.is === "signed-out") void queryClient.invalidateQueries({ queryKey: ["session"] });
    if (news.is === "event") refresh(news.event);
  });
}

// Many events may come at once, such as those of a hundred uploads: their data is read again once.
const collectMs = 150;
const pendingKeys = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

function refresh(event: Event): void {
  const { type } = event;
  const isOwnDraft = type.startsWith("draft.") && (event.data as { draft_id?: unknown }).draft_id === activeDraft()?.id;
  refreshSoon([...(keysByNoun[type.slice(0, type.indexOf("."))] ?? []), ...(isOwnDraft ? contentKeys : [])]);
}

/** Reads again, in a moment, the data of these resources that a page shows. */
function refreshSoon(keys: readonly string[]): void {
  for (const key of keys) pendingKeys.add(key);
  timer ??= setTimeout(() => {
    timer = undefined;
    for (const key of pendingKeys) void queryClient.invalidateQueries({ queryKey: [key] });
    pendingKeys.clear();
  }, collectMs);
}
