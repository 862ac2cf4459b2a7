// The state of a screen in words.
import { screen } from "../../i18n/en/screen.ts";
import { formatDateTime } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import type { PlayerDetails } from "./data.ts";
import { stateOf, type ScreenState } from "./state-of.ts";

const text = texts(screen);

const names: Readonly<Record<ScreenState["is"], keyof typeof screen>> = {
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

/** The state in a sentence. */
export function stateSentence(player: PlayerDetails, timeZone: string | null, now: number): string {
  const { problems, problems_left_out: leftOut, telemetry, in_sync: inSync, maintenance_until: maintenance } = player;
  const count = problems.length + leftOut;
  switch (stateOf(player, now).is) {
    case "new":
      return text("saysNew");
    case "maintenance":
      return text("maintenance", { time: formatDateTime(new Date(maintenance!), timeZone ?? undefined) });
    case "offline":
      return text("saysOffline");
    case "off": {
      const until = telemetry?.display?.until;
      return until == null ? text("saysOff") : text("saysOffUntil", { time: formatDateTime(new Date(until), timeZone ?? undefined) });
    }
    case "wrong":
      return text("saysWrong", { count });
    case "late":
      return text("saysLate");
    case "empty":
      return text("saysEmpty");
    case "playing":
      return inSync === false ? text("saysUpdating") : text("saysPlaying");
  }
}
