// In a draft: its effect on the screens, and the choice to show the timeline before it, after it, or both.
import { useQuery } from "@tanstack/react-query";
import { draftQuery } from "../../data/draft.ts";
import { texts } from "../../i18n/texts.ts";
import { Segments } from "../../ui/segments.tsx";
import { Switch } from "../../ui/switch.tsx";
import { effectQuery, type ContentEffect } from "../drafts/drafts.ts";
import { EffectSentence } from "../drafts/effect.tsx";
import type { TimelineSearch } from "./routes.ts";

const text = texts("timeline");

/** The effect of a draft on the screens; undefined: not loaded yet, or there is no draft. */
export function useDraftEffect(draftId: string | undefined): ContentEffect | undefined {
  const draft = useQuery({ ...draftQuery(draftId ?? ""), enabled: draftId !== undefined });
  const etag = draft.data?.etag;
  const effect = useQuery({ ...effectQuery(draftId ?? "", etag ?? ""), enabled: draftId !== undefined && etag !== undefined });
  return draftId === undefined ? undefined : effect.data;
}

interface DraftComparisonProps {
  effect: ContentEffect | undefined;
  search: TimelineSearch;
  onChange: (change: TimelineSearch) => void;
}

export function DraftComparison({ effect, search: { shows, only }, onChange }: DraftComparisonProps) {
  return (
    <section className="card stack gap-3" aria-label={text("comparison")}>
      <div role="status">{effect === undefined ? <p className="faint">{text("loading")}</p> : <EffectSentence effect={effect} />}</div>
      <div className="timeline-bar wrap bottom gap-3">
        <Segments
          isLabelHidden
          label={text("comparison")}
          value={shows ?? "after"}
          onChange={(next) => onChange({ shows: next === "after" ? undefined : next })}
          options={[
            { id: "before", name: text("before") },
            { id: "after", name: text("after") },
            { id: "both", name: text("both") },
          ]}
        />
        <Switch isSelected={only === true} onChange={(isOnly) => onChange({ only: isOnly ? true : undefined })}>
          {text("onlyChanged")}
        </Switch>
      </div>
    </section>
  );
}
