// Where a version has arrived: what each screen that it concerns plays now.
import type { Arrival } from "../../../protocol/operator/publishing.ts";
import type { Presence } from "../../fleet/presence/presence.ts";

/** A screen with the revision that the version gave it, and the one that it should play now. */
interface Target {
  id: string;
  name: string;
  given: string;
  desired: string;
}

export function arrivalOf(presence: Presence, number: number, targets: readonly Target[]): Arrival {
  const screens = targets.map(({ id: player_id, name, given, desired }): Arrival["screens"][number] => {
    const content = presence.latest(player_id)?.heartbeat.content;
    const plays = content?.applied_revision ?? null;
    const own = { player_id, name };
    // A later revision contains this version, or what replaced it.
    if (plays !== null && (plays === given || plays === desired)) return { ...own, state: "playing", detail: null };
    if (!presence.isOnline(player_id))
      return { ...own, state: "offline", detail: "It is not connected: it gets the content when it returns" };
    if (content?.is === "failed" && (content.revision === given || content.revision === desired)) {
      return { ...own, state: "failed", detail: content.detail };
    }
    return { ...own, state: "waiting", detail: content?.detail ?? null };
  });
  const count = (state: Arrival["screens"][number]["state"]) => screens.filter((screen) => screen.state === state).length;
  const counts = { playing: count("playing"), waiting: count("waiting"), offline: count("offline"), failed: count("failed") };
  return { number, counts, screens };
}
