// Beside the form: the effect of saving it on the screens, asked again while it is edited.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { texts } from "../../../i18n/texts.ts";
import { useDebounced } from "../../../ui/stable-values.ts";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { readEffect, type TriedChange } from "../data.ts";
import { EffectText } from "../effect-text.tsx";
import type { ScheduleChange } from "../model/form.ts";

const text = texts("schedules");
/** The service is not asked after each letter that a person types. */
const settleMs = 400;

interface EffectPanelProps {
  /** Null: it is new. */
  id: string | null;
  /** Null: the form is not complete, or says nothing new. */
  change: ScheduleChange | null;
  /** The earliest wall time at which anything can differ. */
  startsAt: number;
  isUnchanged: boolean;
}

export function EffectPanel({ id, change, startsAt, isUnchanged }: EffectPanelProps) {
  const request = JSON.stringify(change);
  const stableRequest = useDebounced(request, settleMs);
  const changes = useMemo(
    (): TriedChange[] => [{ schedule_id: id, change: JSON.parse(stableRequest) as ScheduleChange }],
    [id, stableRequest],
  );
  const { data, error, isFetching } = useQuery({
    // It depends on all content: whatever event makes schedules old makes it old, too.
    queryKey: ["schedules", "effect", id, stableRequest],
    queryFn: ({ signal }) => readEffect(changes, startsAt, signal),
    enabled: stableRequest !== "null",
    placeholderData: keepPreviousData,
    retry: false,
  });
  const isOld = isFetching || stableRequest !== request;
  return (
    <section className="card effect-panel" aria-labelledby="effect-title" aria-busy={isOld}>
      <h2 id="effect-title">{text("effect")}</h2>
      <div role="status" data-old={isOld}>
        {change === null ? <p className="faint">{text(isUnchanged ? "effectUnchanged" : "effectUnknown")}</p> : null}
        {change !== null && data === undefined && error === null ? <p className="faint">{text("effectChecking")}</p> : null}
        {change !== null && data !== undefined && error === null ? <EffectText effect={data} changes={changes} /> : null}
      </div>
      {change === null ? null : <ProblemMessage error={error} />}
    </section>
  );
}
