// How long ago something happened; the exact time in the reader's time zone, and in the screen's, is in its tooltip.
import { formatAge, formatDateTime } from "../i18n/format.ts";
import { useNow } from "./now.ts";

/** @param timeZone of the screen that it is about, IANA */
export function Age({ time, timeZone }: { time: string; timeZone?: string | null | undefined }) {
  const at = new Date(time);
  const now = useNow();
  // The present time is renewed every ten seconds: an event since then is not in the future.
  const isJustNow = at > now && at.getTime() - now.getTime() < 30_000;
  const own = formatDateTime(at);
  const there = timeZone === null || timeZone === undefined ? null : formatDateTime(at, timeZone);
  return (
    <time dateTime={time} title={there === null || there === own ? own : `${own} · ${there} (${timeZone})`}>
      {formatAge(at, isJustNow ? at : now)}
    </time>
  );
}
