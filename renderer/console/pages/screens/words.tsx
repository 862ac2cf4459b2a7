// The meaning of a screen's state, and the remedy, in words.
import type { ReactNode } from "react";
import type { RosterPlayer, RosterState } from "../../data/roster.ts";
import { formatDateTime, readable } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";

const text = texts("screens");

/** The colour of a state. */
export const kinds: Readonly<Record<RosterState, "good" | "warn" | "bad" | "off">> = {
  wrong: "bad",
  offline: "bad",
  late: "warn",
  new: "off",
  empty: "off",
  off: "off",
  playing: "good",
};

const offReasons = { hours: "offHours", command: "offCommand", override: "offOverride", maintenance: "offMaintenance" } as const;

/** The problem of a screen, and its remedy. Null: it has none. */
export function troubleOf(row: RosterPlayer): { cause: ReactNode; remedy: string } | null {
  const [first] = row.problems;
  switch (row.state) {
    case "playing":
    case "off":
      return null;
    case "offline":
      return {
        cause:
          row.last_seen_at === null
            ? text("offlineCause")
            : text.rich("offlineSince", { time: () => <Age key="time" time={row.last_seen_at!} timeZone={row.timezone} /> }),
        remedy: text("offlineRemedy"),
      };
    case "new":
      return { cause: text("newCause"), remedy: text("newRemedy") };
    case "empty":
      return { cause: text("emptyCause"), remedy: text("emptyRemedy") };
    case "wrong":
    case "late":
      return { cause: readable(first?.detail ?? text("lateCause"), row.timezone), remedy: readable(first?.remedy ?? "", row.timezone) };
  }
}

/** The text about the content of a screen. */
export function playsText({ state, playing, off_reason, off_until, timezone, in_sync }: RosterPlayer): string {
  if (state === "off") {
    const reason = text(off_reason === null ? "offUnknown" : offReasons[off_reason]);
    return off_until === null ? reason : text("offUntil", { reason, time: formatDateTime(new Date(off_until), timezone ?? undefined) });
  }
  if (state === "playing" && in_sync === false) return text("updating");
  if (playing?.name != null) return text("plays", { name: playing.name });
  return text(state === "offline" || state === "new" ? "playsUnknown" : "playsNothing");
}
