// Explains whether one schedule is on at an instant on a player, and why.
import type { ShownReason } from "../../../protocol/device/heartbeat.ts";
import type { Why } from "../../../protocol/scheduling/forecast.ts";
import type { Schedule } from "../../../protocol/scheduling/schedules.ts";
import { windowAfter } from "../../../schedule/calendar/windows.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { calendarsFor, datesByCalendar } from "../calendars/holiday-calendars.ts";
import { describeCalendarCondition } from "../outlook/summary.ts";
import { readEnabledSchedules, schedulesForPlayer } from "../schedules.ts";

type ScheduleVerdict = NonNullable<Why["schedule"]>;

/**
 * The verdict on a schedule of the player's team at `instant`, epoch ms.
 * @param timeZone the player's time zone.
 * @param reasons all reasons for the content of the player's screen then, the winner first.
 */
export async function explainSchedule(
  db: Db,
  schedule: Schedule,
  player: PlayerRow,
  timeZone: string,
  instant: number,
  reasons: readonly ShownReason[],
): Promise<ScheduleVerdict> {
  const verdictOf = (verdict: ScheduleVerdict["verdict"], detail: string, next_at: string | null = null) => ({
    schedule_id: schedule.id,
    verdict,
    detail,
    next_at,
  });
  if (!schedule.enabled) return verdictOf("set-aside", "it is switched off");
  const isForIt = schedulesForPlayer(await readEnabledSchedules(db, player.team_id), player).some(({ id }) => id === schedule.id);
  if (!isForIt) return verdictOf("not-for-it", "its target leaves this screen out");
  const own = reasons.find((reason) => reason.id === schedule.id);
  if (own !== undefined) return verdictOf(own.verdict, own.detail + winnerText(own, reasons));
  const { next_at, detail, verdict } = await explainClosedWindow(db, schedule, player.team_id, timeZone, instant);
  return verdictOf(verdict, detail, next_at);
}

/** For an outranked schedule, the content that is on instead. */
function winnerText(own: ShownReason, reasons: readonly ShownReason[]): string {
  const winner = reasons.find(({ verdict }) => verdict === "shows" || verdict === "held");
  if (own.verdict !== "outranked" || winner === undefined) return "";
  return `; on is ${winner.name ?? winner.id ?? winner.layer}: ${winner.detail}`;
}

/** Why a schedule without a reason is not on: usually, no window of it is open. */
async function explainClosedWindow(
  db: Db,
  schedule: Schedule,
  teamId: string,
  timeZone: string,
  instant: number,
): Promise<Pick<ScheduleVerdict, "verdict" | "detail" | "next_at">> {
  const calendars = await calendarsFor(db, teamId, schedule.conditions);
  const windowWith = (conditions: Schedule["conditions"]) =>
    windowAfter({ ...schedule, conditions }, timeZone, instant, datesByCalendar(calendars));
  const next = windowWith(schedule.conditions);
  // The window is open but has no reason: the player cannot evaluate it, or there are too many reasons to list.
  if (next !== null && next.from <= instant) {
    return { verdict: "set-aside", detail: "a condition of it does not hold, or the screen cannot show it", next_at: null };
  }
  const next_at = next === null ? null : new Date(next.from).toISOString();
  for (const condition of schedule.conditions) {
    if (condition.type !== "calendar") continue;
    const without = windowWith(schedule.conditions.filter((each) => each !== condition));
    if (without === null || without.from > instant) continue;
    const after = next_at === null ? "none of its windows is left" : `its next window begins at ${next_at}`;
    return {
      verdict: "not-due",
      detail: `a calendar keeps it off: it plays ${describeCalendarCondition(condition, calendars)}; ${after}`,
      next_at,
    };
  }
  const detail = next_at === null ? "none of its windows is left" : `no window of it is open: the next begins at ${next_at}`;
  return { verdict: "not-due", detail, next_at };
}
