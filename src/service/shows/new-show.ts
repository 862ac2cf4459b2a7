// Reads the request for a new show: its window, its target, and the layout size that fits its players.
import { hourMs, iso } from "../../base/time.ts";
import { isDate, parseMoment } from "../../protocol/scheduling/moments.ts";
import type { NewShow } from "../../protocol/operator/shows.ts";
import type { OneTarget, ScheduleTarget } from "../../protocol/scheduling/schedules.ts";
import { endMomentOf } from "../../schedule/calendar/moments.ts";
import { validateSchedule } from "../../schedule/validate-schedule.ts";
import { findPlayerByIdOrName } from "../fleet/players/by-name.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import { invalidField, invalidFields } from "../http/problem.ts";
import type { Db } from "../store/store.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";

/** The window of a show, in the fields of its schedule. */
export interface ShowWindow {
  starts_at: string;
  ends_at: string | null;
  timezone: string | null;
  /** When it is over in every time zone, epoch ms; null: open-ended. */
  overAt: number | null;
}

// No time zone is further behind UTC.
export const maxBehindUtcMs = 12 * hourMs;

/** The window of a new show. @throws ProblemError 422 that names the fields that contradict each other. */
export function showWindow({ from, until, lasts_ms: lastsMs, timezone }: NewShow, now: number): ShowWindow {
  const starts_at = from ?? instant(now);
  const ends_at = lastsMs === undefined ? (until ?? null) : addSpan(starts_at, lastsMs);
  const moment = parseMoment(starts_at);
  const end = ends_at === null ? null : endMomentOf(ends_at);
  if (from === undefined && end !== null && !end.isUtc) {
    throw invalidField(
      "/from",
      "is required with an until in local time; or give until as an instant such as 2026-11-21T16:00:00Z, or lasts_ms",
    );
  }
  const faults = validateSchedule({ starts_at, ends_at, rrule: null, exdates: [], conditions: [] });
  const rename = (text: string) => text.replaceAll("starts_at", "from").replaceAll("ends_at", "until");
  if (faults.length > 0 || moment === null) {
    throw invalidFields(faults.map(({ pointer, detail }) => ({ pointer: rename(pointer), detail: rename(detail) })));
  }
  const overAt = end === null ? null : end.isUtc ? end.at : end.at + maxBehindUtcMs;
  if (overAt !== null && overAt <= now) throw invalidField("/until", "is in the past: choose a later time");
  return { starts_at, ends_at, timezone: timezone ?? null, overAt };
}

/** The target of a new show. @throws ProblemError 422 that names unknown players. */
export async function resolveTarget(db: Db, teamId: string, { players = [], tags = [], everywhere }: NewShow): Promise<ScheduleTarget> {
  if (everywhere) return { type: "team" };
  const ids: string[] = [];
  for (const [index, wanted] of players.entries()) ids.push((await findPlayerByIdOrName(db, teamId, wanted, `/players/${index}`)).id);
  const targets: OneTarget[] = [
    ...[...new Set(ids)].map((player_id) => ({ type: "player" as const, player_id })),
    ...[...new Set(tags)].map((tag) => ({ type: "tag" as const, tag })),
  ];
  const [first, ...others] = targets;
  if (first === undefined) throw invalidField("/players", "give `players`, `tags` or both, or `everywhere: true` alone");
  return others.length === 0 ? first : { type: "any", of: targets };
}

/** The layout size that fits most screens, in their orientation; `others` counts the screens with another aspect ratio. */
export function layoutSizeFor(
  dependencies: { presence: Presence },
  players: readonly PlayerRow[],
): { width: number; height: number; others: number } {
  const counts = new Map<string, number>();
  for (const player of players) {
    const size = sizeOf(dependencies, player);
    if (size !== null) counts.set(size, (counts.get(size) ?? 0) + 1);
  }
  const [most = "1920x1080"] = [...counts].toSorted(([, a], [, b]) => b - a).map(([size]) => size);
  const [width, height] = most.split("x").map(Number) as [number, number];
  const hasSameRatio = (size: string) => {
    const [w, h] = size.split("x").map(Number) as [number, number];
    return Math.abs(w / h - width / height) < 0.02;
  };
  const others = [...counts].reduce((sum, [size, count]) => sum + (hasSameRatio(size) ? 0 : count), 0);
  return { width, height, others };
}

function sizeOf({ presence }: { presence: Presence }, player: PlayerRow): string | null {
  const reported = JSON.parse(player.reported) as { resolution?: { width: number; height: number } | null };
  const size = presence.latest(player.id)?.heartbeat.resolution ?? reported.resolution;
  if (size === undefined || size === null || size.width < 1 || size.height < 1) return null;
  const isPortrait = player.orientation.startsWith("portrait");
  return isPortrait ? `${size.height}x${size.width}` : `${size.width}x${size.height}`;
}

function instant(at: number): string {
  return iso(Math.trunc(at / 1_000) * 1_000);
}

/** The moment `spanMs` later, as an instant or local time like `text`; for a date, as a local time. */
function addSpan(text: string, spanMs: number): string {
  const moment = parseMoment(isDate(text) ? `${text}T00:00` : text);
  if (moment === null) return text;
  const later = iso(moment.at + spanMs);
  return moment.isUtc ? later : later.slice(0, 19);
}
