// The content of a stretch of the timeline, and the reason for it, in words.
import { formatDay, formatList, formatTime } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { emptyInWords } from "../../ui/empty-reason.ts";
import type { Stretch } from "./data.ts";
import { isGap, type Change, type Piece } from "./pieces.ts";

const text = texts("timeline");

/** The name of the content of a stretch. */
export function whatOf(stretch: Stretch): string {
  const { by, layout_name: layout, asset_id: assetId, turns } = stretch;
  if (isGap(stretch)) return text("gap");
  if (by === "nothing") return namesOf(turns);
  return layout ?? text(assetId === null ? "nothing" : "asset");
}

const emptyWords = { "no-schedule": "emptyNoSchedule", "not-due": "emptyNotDue", "set-aside": "emptySetAside" } as const;

/** The label of a piece. On a gap also the reason why it is empty. */
export function labelOf(stretch: Stretch): string {
  const { empty_because: reason } = stretch;
  return reason === null ? whatOf(stretch) : text("gapWith", { reason: emptyInWords(reason) });
}

/** Why it shows that, or nothing. */
export function causeOf(stretch: Stretch): string {
  const { by, layout_name: layout, turns, empty_because: reason } = stretch;
  if (reason === "no-items") {
    if (by === "nothing") return text("emptyTurns", { names: namesOf(turns) });
    return text("emptyNoItems", { layout: layout ?? text("nothing"), cause: dueBecause(stretch) });
  }
  if (reason !== null) return text(emptyWords[reason]);
  return turns.length === 0 ? dueBecause(stretch) : `${dueBecause(stretch)}, ${text("turns", { names: namesOf(turns) })}`;
}

/** Why it is due; of content that only takes turns, why nothing else is. */
function dueBecause({ by, schedule_name: name }: Stretch): string {
  if (by === "schedule") return text("bySchedule", { name });
  return text(by === "override" ? "byOverride" : by === "default" ? "byDefault" : "emptyNotDue");
}

function namesOf(turns: Stretch["turns"]): string {
  return formatList(turns.map(({ schedule_name: name }) => name));
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

/** The text of a piece for screen readers. @param change how it differs from the plan that it is compared with */
export function nameOfPiece({ stretch, from, to }: Piece, timeZone: string, change: Change | null): string {
  const values = { what: whatOf(stretch), from: momentOf(from, timeZone), to: momentOf(to, timeZone), cause: causeOf(stretch) };
  const name = text("pieceName", values);
  return change === "items" ? text("pieceItems", { name }) : name;
}
