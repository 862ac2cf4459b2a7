// What a stretch of the timeline shows, and why, in words.
import { timeline } from "../../i18n/en/timeline.ts";
import { formatDay, formatList, formatTime } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import type { Stretch } from "./data.ts";
import { isGap, type Change, type Piece } from "./pieces.ts";

const text = texts(timeline);

/** What it shows. */
export function whatOf({ by, layout_name: layout, asset_id: assetId, turns }: Stretch): string {
  if (by === "nothing") return turns.length > 0 ? formatList(turns.map(({ schedule_name: name }) => name)) : text("gap");
  return layout ?? text(assetId === null ? "nothing" : "asset");
}

const emptyWords = { "no-schedule": "emptyNoSchedule", "not-due": "emptyNotDue", "set-aside": "emptySetAside" } as const;
const shortWords = { "no-schedule": "shortNoSchedule", "not-due": "shortNotDue", "set-aside": "shortSetAside" } as const;

/** What is written on a piece. On a gap also why it is empty. */
export function labelOf(stretch: Stretch): string {
  const { empty_because: reason } = stretch;
  return reason === null ? whatOf(stretch) : text("gapWith", { reason: text(shortWords[reason]) });
}

/** Why it shows that. */
export function causeOf(stretch: Stretch): string {
  const { by, schedule_name: name, turns, empty_because: reason } = stretch;
  const cause =
    by === "schedule"
      ? text("bySchedule", { name })
      : by === "nothing"
        ? text(emptyWords[reason ?? "not-due"])
        : text(by === "override" ? "byOverride" : "byDefault");
  if (turns.length === 0 || isGap(stretch)) return cause;
  return `${cause}, ${text("turns", { names: formatList(turns.map(({ schedule_name: each }) => each)) })}`;
}

/** Such as `Tue 24 Nov 09:00`. */
export function momentOf(ms: number, timeZone: string): string {
  const at = new Date(ms);
  return `${formatDay(at, timeZone)} ${formatTime(at, timeZone)}`;
}

/** Such as `Tue 24 Nov 09:00 – 11:00`, or with both days. */
export function spanInWords(from: number, to: number, timeZone: string): string {
  const isOneDay = formatDay(new Date(from), timeZone) === formatDay(new Date(to), timeZone);
  return `${momentOf(from, timeZone)} – ${isOneDay ? formatTime(new Date(to), timeZone) : momentOf(to, timeZone)}`;
}

/** What is read out for a piece. @param change how it differs from what it is compared with */
export function nameOfPiece({ stretch, from, to }: Piece, timeZone: string, change: Change | null): string {
  const said = { what: whatOf(stretch), from: momentOf(from, timeZone), to: momentOf(to, timeZone), cause: causeOf(stretch) };
  const name = text("pieceName", said);
  return change === "items" ? text("pieceItems", { name }) : name;
}
