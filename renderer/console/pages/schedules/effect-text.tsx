// Tells the effect of a change in words: how many screens show something else, when first, and which become empty when.
import "./effect-text.css";
import { useState } from "react";
import { useMay } from "../../data/session.ts";
import { ownTimeZone } from "../../data/zones.ts";
import { formatDay, formatTime } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { emptyInWords } from "../../ui/empty-reason.ts";
import type { Effect, TriedChange } from "./data.ts";
import { EffectPreview } from "./effect-preview.tsx";

const text = texts("schedules");
const mostNamed = 5;

/** Such as `Tue 24 Nov 09:00`, on the screen's own clock. */
function momentIn(instant: string, timeZone: string): string {
  const at = new Date(instant);
  return `${formatDay(at, timeZone)} ${formatTime(at, timeZone)}`;
}

/** @param changes that have the effect: each screen can be seen before and after them; null: it cannot */
export function EffectText({ effect, changes }: { effect: Effect; changes: readonly TriedChange[] | null }) {
  const mayPreview = useMay("assets:read");
  const [previewScreen, setPreviewScreen] = useState<Effect["screens"][number] | null>(null);
  const { screens, screen_count: count, gaps, gap_count: gapCount, to } = effect;
  const [first] = screens;
  const [gap] = gaps;
  if (first === undefined) return <p>{text("effectNone", { until: momentIn(to, ownTimeZone) })}</p>;
  return (
    <>
      <p>
        <strong>{text("effectScreens", { count, name: first.name, when: momentIn(first.first_at, first.timezone) })}</strong>
      </p>
      {gap === undefined ? (
        <p className="faint">{text("effectFilled")}</p>
      ) : (
        <p className="pad-2-3 rounded strong warn warn-ground">
          {text(gapCount === 1 ? "effectGap" : "effectGaps", {
            count: gapCount,
            name: gap.name,
            from: momentIn(gap.from, gap.timezone),
            to: momentIn(gap.to, gap.timezone),
            reason: emptyInWords(gap.empty_because),
          })}
        </p>
      )}
      <ul className="effect-screens">
        {screens.slice(0, mostNamed).map((screen) => (
          <li className="cluster pad-block-2 line-above small break-words" key={screen.player_id}>
            <bdi className="effect-name">{screen.name}</bdi>
            <span className="faint">{momentIn(screen.first_at, screen.timezone)}</span>
            <span>{text("effectShown", { before: shownName(screen.before), after: shownName(screen.after) })}</span>
            {mayPreview && changes !== null ? (
              <Button size="small" aria-label={text("effectPreviewOf", { name: screen.name })} onPress={() => setPreviewScreen(screen)}>
                {text("effectPreview")}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {previewScreen === null || changes === null ? null : (
        <EffectPreview screen={previewScreen} changes={changes} onClose={() => setPreviewScreen(null)} />
      )}
      {count > mostNamed ? <p className="faint">{text("effectMore", { count: count - mostNamed })}</p> : null}
    </>
  );
}

function shownName({ layout_name: layout, schedule_name: schedule, empty_because: reason }: Effect["screens"][number]["before"]): string {
  if (reason === "no-items" && layout !== null) return text("effectEmptyLayout", { layout });
  return layout ?? schedule ?? text("effectNothing");
}
