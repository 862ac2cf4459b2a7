// Says in words what a change would do: how many screens show something else, when first, and which become empty when.
import { ownTimeZone } from "../../data/zones.ts";
import { schedules } from "../../i18n/en/schedules.ts";
import { formatDay, formatTime } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import type { Effect } from "./data.ts";

const text = texts(schedules);
const mostNamed = 5;

/** Such as `Tue 24 Nov 09:00`, on the screen's own clock. */
function momentIn(instant: string, timeZone: string): string {
  const at = new Date(instant);
  return `${formatDay(at, timeZone)} ${formatTime(at, timeZone)}`;
}

export function EffectText({ effect }: { effect: Effect }) {
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
        <p className="effect-gap">
          {text(gapCount === 1 ? "effectGap" : "effectGaps", {
            count: gapCount,
            name: gap.name,
            from: momentIn(gap.from, gap.timezone),
            to: momentIn(gap.to, gap.timezone),
          })}
        </p>
      )}
      <ul className="effect-screens">
        {screens.slice(0, mostNamed).map(({ player_id: id, name, first_at: at, timezone, before, after }) => (
          <li key={id}>
            <bdi className="effect-name">{name}</bdi>
            <span className="faint">{momentIn(at, timezone)}</span>
            <span>{text("effectShown", { before: shownName(before), after: shownName(after) })}</span>
          </li>
        ))}
      </ul>
      {count > mostNamed ? <p className="faint">{text("effectMore", { count: count - mostNamed })}</p> : null}
    </>
  );
}

function shownName({ layout_name: layout, schedule_name: schedule }: Effect["screens"][number]["before"]): string {
  return layout ?? schedule ?? text("effectNothing");
}
