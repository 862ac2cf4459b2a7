// Lists the players that have a problem now, most severe first, with its remedy.
import { iso } from "../../base/time.ts";
import { alertKinds, type AlertKind, type Trouble, type TroubledPlayer, type TroubledPlayers } from "../../protocol/operator/alerts.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import { newestScreenshots, type NewestScreenshot } from "../fleet/store.ts";
import type { Db } from "../store/store.ts";
import { acknowledgerOf } from "./alert-resource.ts";
import type { AlertEngine } from "./engine.ts";
import { findingsOf, mutingOf } from "./observe.ts";
import type { RosterPlayer } from "./roster.ts";
import type { AlertSettingsBook } from "./settings.ts";

export interface TroubledDependencies {
  alerts: AlertEngine;
  alertSettings: AlertSettingsBook;
  presence: Presence;
}

interface Found {
  player: RosterPlayer;
  troubles: Trouble[];
}

/** @param now ms since the epoch. */
export async function listTroubled(
  dependencies: TroubledDependencies,
  db: Db,
  teamId: string,
  { tag, kind, limit }: { tag?: string | undefined; kind?: AlertKind | undefined; limit: number },
  now: number,
): Promise<TroubledPlayers> {
  const { alerts, presence } = dependencies;
  await alerts.roster.refresh();
  const counts = { total: 0, online: 0, ok: 0, troubled: 0, muted: 0 };
  const found: Found[] = [];
  for (const player of alerts.roster.players()) {
    if (player.teamId !== teamId || (tag !== undefined && !player.tags.includes(tag))) continue;
    const troubles = troublesOf(dependencies, player, now);
    counts.total += 1;
    if (presence.isOnline(player.id)) counts.online += 1;
    if (troubles.length > 0) counts.troubled += 1;
    else if (mutingOf(alerts.view(player), now) !== null) counts.muted += 1;
    else counts.ok += 1;
    if (troubles.some((trouble) => kind === undefined || trouble.kind === kind)) found.push({ player, troubles });
  }
  const listed = found.toSorted(bySeverity).slice(0, limit);
  const screenshots = await newestScreenshots(
    db,
    listed.map(({ player }) => player.id),
  );
  const data = listed.map(({ player: { id, name, tags, site }, troubles }): TroubledPlayer => ({
    player_id: id,
    name,
    status: presence.isOnline(id) ? "online" : "offline",
    tags: [...tags],
    site,
    troubles,
    screenshot: pictureOf(screenshots.get(id)),
  }));
  return { counts, data, left_out: found.length - listed.length };
}

/** The problems of now, and alerts that are still open because the player has not been well for long enough. */
function troublesOf({ alerts, alertSettings }: TroubledDependencies, player: RosterPlayer, now: number): Trouble[] {
  const open = alerts.openAlerts(player.id);
  const found = findingsOf(alerts.view(player), alertSettings.of(player.teamId), now, alerts.isGrace);
  const known = new Set(found.map(({ kind }) => kind));
  const troubles = found.map(({ kind, finding: { since, detail, remedy } }): Trouble => {
    const alert = kind === null ? undefined : open?.get(kind);
    return {
      kind,
      since: iso(alert?.since ?? since ?? now),
      detail,
      remedy,
      alert_id: alert?.id ?? null,
      acknowledged_by: alert === undefined ? null : acknowledgerOf(alert),
    };
  });
  for (const row of open?.values() ?? []) {
    if (known.has(row.kind)) continue;
    const { id, kind, since, detail, remedy } = row;
    troubles.push({ kind, since: iso(since), detail, remedy, alert_id: id, acknowledged_by: acknowledgerOf(row) });
  }
  return troubles.toSorted((a, b) => severityOf(a) - severityOf(b));
}

/** 0 is the most severe. */
function severityOf({ kind }: Trouble): number {
  return kind === null ? alertKinds.length : alertKinds.indexOf(kind);
}

function bySeverity(a: Found, b: Found): number {
  const [first, second] = [a.troubles[0]!, b.troubles[0]!];
  const difference = severityOf(first) - severityOf(second);
  if (difference !== 0) return difference;
  return first.since < second.since ? -1 : first.since > second.since ? 1 : a.player.id < b.player.id ? -1 : 1;
}

function pictureOf(newest: NewestScreenshot | undefined): TroubledPlayer["screenshot"] {
  return newest === undefined ? null : { url: `/api/v1/screenshots/${newest.id}/image`, captured_at: newest.captured_at };
}
