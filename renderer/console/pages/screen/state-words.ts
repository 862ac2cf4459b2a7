// The state of a screen in words.
import type { RosterPlayer } from "../../data/roster.ts";
import { formatDateTime } from "../../i18n/format.ts";
import type { MessageKey } from "../../i18n/catalogue.ts";
import { texts } from "../../i18n/texts.ts";
import { stateOf, type ScreenState } from "./state-of.ts";

const text = texts("screen");

const names: Readonly<Record<ScreenState["is"], MessageKey<"screen">>> = {
  new: "isNew",
  maintenance: "isMaintenance",
  offline: "isOffline",
  off: "isOff",
  wrong: "isWrong",
  late: "isLate",
  empty: "isEmpty",
  playing: "isPlaying",
};

/** The state by one word or two. */
export function stateName(state: ScreenState): string {
  return text(names[state.is]);
}

/** The state in a sentence. @param timeZone null: the reader's */
export function stateSentence(row: RosterPlayer, timeZone: string | null): string {
  const { problems, problems_left_out: leftOut, off_until: until, in_sync: inSync, status } = row;
  const timeOf = (time: string): string => formatDateTime(new Date(time), timeZone ?? undefined);
  switch (stateOf(row).is) {
    case "new":
      return text("saysNew");
    case "maintenance":
      return text("maintenance", { time: timeOf(until!) });
    case "offline":
      return text("saysOffline");
    case "off":
      return until === null ? text("saysOff") : text("saysOffUntil", { time: timeOf(until) });
    case "wrong":
      return text("saysWrong", { count: problems.length + leftOut });
    case "late":
      return text("saysLate");
    case "empty":
      return text("saysEmpty");
    case "playing":
      if (status === "offline") return text("saysUnheard");
      return inSync === false ? text("saysUpdating") : text("saysPlaying");
  }
}
