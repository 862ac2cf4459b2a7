// Beside the form: the effect of saving the dates on the screens, asked again while they are edited.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { texts } from "../../../i18n/texts.ts";
import { useDebounced } from "../../../ui/stable-values.ts";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { EffectText } from "../../schedules/effect-text.tsx";
import { readCalendarEffect, usesQuery, type CalendarChange } from "../data.ts";

const text = texts("calendars");
/** The service is not asked after each letter that a person types. */
const settleMs = 400;

interface CalendarEffectProps {
  id: string;
  /** The change to save; null: none. */
  change: CalendarChange | null;
  /** The first date that differs. */
  first: string | null;
}

export function CalendarEffect({ id, change, first }: CalendarEffectProps) {
  const request = JSON.stringify(change?.dates === undefined ? null : { dates: change.dates });
  const stableRequest = useDebounced(request, settleMs);
  const { data, error, isFetching } = useQuery({
    // It depends on all content: whatever event makes calendars old makes it old, too.
    queryKey: ["calendars", "effect", id, stableRequest],
    queryFn: ({ signal }) => readCalendarEffect(id, JSON.parse(stableRequest) as CalendarChange, first ?? "", signal),
    enabled: stableRequest !== "null",
    placeholderData: keepPreviousData,
    retry: false,
  });
  const { data: uses } = useQuery(usesQuery(id));
  const isTold = request !== "null";
  const isOld = isFetching || stableRequest !== request;
  return (
    <section className="card effect-panel" aria-labelledby="calendar-effect-title" aria-busy={isOld}>
      <h2 id="calendar-effect-title">{text("effect")}</h2>
      <div role="status" data-old={isOld}>
        {isTold ? null : <p className="faint">{text(change === null ? "effectUnchanged" : "effectNames")}</p>}
        {isTold && data === undefined && error === null ? <p className="faint">{text("effectChecking")}</p> : null}
        {isTold && data !== undefined && error === null ? <EffectText effect={data} changes={null} /> : null}
        {isTold && uses !== undefined && uses.player_count > 0 ? <p>{text("effectHours", { count: uses.player_count })}</p> : null}
      </div>
      {isTold ? <ProblemMessage error={error} /> : null}
    </section>
  );
}
