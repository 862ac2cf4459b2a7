// The effect on the screens of publishing a draft, or of going back to a version, in one sentence and in lists.
import "./effect.css";
import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useRosterRow } from "../../data/roster.ts";
import { ownTimeZone } from "../../data/zones.ts";
import { formatDay, formatTime } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import { emptyInWords } from "../../ui/empty-reason.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import type { ContentEffect } from "./drafts.ts";

const text = texts("changes");
const shownAtFirst = 50;

/** Such as `Tue 24 Nov 09:00`. */
function momentIn(instant: string, timeZone: string | null | undefined): string {
  const at = new Date(instant);
  const zone = timeZone ?? ownTimeZone;
  return `${formatDay(at, zone)} ${formatTime(at, zone)}`;
}

/** Such as `Tue 24 Nov 13:30 to 15:00`. */
function spanIn(from: string, to: string, timeZone: string | null | undefined): { from: string; to: string } {
  const zone = timeZone ?? ownTimeZone;
  const isOneDay = formatDay(new Date(from), zone) === formatDay(new Date(to), zone);
  return { from: momentIn(from, zone), to: isOneDay ? formatTime(new Date(to), zone) : momentIn(to, zone) };
}

interface EffectProps {
  /** The answer of the service so far. */
  result: { data: ContentEffect | undefined; error: Error | null };
  /** True if the screens are listed at once. */
  isOpen?: boolean;
}

export function Effect({ result: { data, error }, isOpen = false }: EffectProps) {
  return (
    <section className="card stack gap-3" aria-labelledby="effect-title">
      <h2 id="effect-title">{text("effect")}</h2>
      <div role="status">
        {data === undefined ? error === null ? <p className="faint">{text("effectLooking")}</p> : null : <EffectSentence effect={data} />}
      </div>
      <ProblemMessage error={error} />
      {data === undefined ? null : <EffectLists effect={data} isOpen={isOpen} />}
    </section>
  );
}

/** The screens that show something else within the week, the first one first. */
function changedScreens({ screens }: ContentEffect): (ContentEffect["screens"][number] & { first_at: string })[] {
  return screens
    .flatMap(({ first_at: at, ...screen }) => (at === null ? [] : { ...screen, first_at: at }))
    .toSorted((one, other) => one.first_at.localeCompare(other.first_at));
}

export function EffectSentence({ effect }: { effect: ContentEffect }) {
  const { screen_count: count, examined_count: examinedCount, gaps } = effect;
  const changes = changedScreens(effect);
  const [first] = changes;
  const [gap] = gaps;
  const firstZone = useRosterRow(first?.player_id ?? "")?.timezone;
  const gapZone = useRosterRow(gap?.player_id ?? "")?.timezone;
  const strong = (parts: ReactNode[]) => <strong>{parts}</strong>;
  const bad = (parts: ReactNode[]) => <strong className="warn">{parts}</strong>;
  if (count === 0) return <p className="effect-sentence">{text("effectNoScreens")}</p>;
  if (first === undefined) return <p className="effect-sentence">{text("effectNone")}</p>;
  return (
    <>
      <p className="effect-sentence">
        {text.rich("effectScreens", { count: changes.length, name: first.name, when: momentIn(first.first_at, firstZone), strong })}{" "}
        {gap === undefined
          ? text("effectNoGaps")
          : text.rich(gaps.length === 1 ? "effectGap" : "effectGaps", {
              count: gaps.length,
              name: gap.name,
              ...spanIn(gap.from, gap.to, gapZone),
              reason: emptyInWords(gap.empty_because),
              bad,
            })}
      </p>
      {examinedCount < count ? <p className="faint">{text("effectExamined", { examined: examinedCount, count })}</p> : null}
    </>
  );
}

function EffectLists({ effect, isOpen }: { effect: ContentEffect; isOpen: boolean }) {
  const changes = changedScreens(effect);
  const { gaps } = effect;
  return (
    <>
      {changes.length === 0 ? null : (
        <Disclosure title={text("screens", { count: changes.length })} isOpen={isOpen}>
          <Rows
            rows={changes.map(({ player_id: id, name, first_at: at }) => ({ key: id, id, name, wordsIn: (zone) => momentIn(at, zone) }))}
          />
        </Disclosure>
      )}
      {gaps.length === 0 ? null : (
        <Disclosure title={text("gaps", { count: gaps.length })} isOpen>
          <Rows
            rows={gaps.map(({ player_id: id, name, from, to, empty_because: reason }) => ({
              key: `${id} ${from}`,
              id,
              name,
              wordsIn: (zone) => text("gapWith", { ...spanIn(from, to, zone), reason: emptyInWords(reason) }),
            }))}
          />
        </Disclosure>
      )}
    </>
  );
}

interface Row {
  key: string;
  id: string;
  name: string;
  /** The effect in words, on the screen's own clock. */
  wordsIn: (timeZone: string | null | undefined) => string;
}

function Rows({ rows }: { rows: readonly Row[] }) {
  const [visibleCount, setVisibleCount] = useState(shownAtFirst);
  return (
    <>
      <ul className="effect-rows stack lined">
        {rows.slice(0, visibleCount).map((row) => (
          <EffectRow key={row.key} row={row} />
        ))}
      </ul>
      {rows.length > visibleCount ? (
        <Button size="small" onPress={() => setVisibleCount(visibleCount + 100)}>
          {text("showMore")}
        </Button>
      ) : null}
    </>
  );
}

function EffectRow({ row: { id, name, wordsIn } }: { row: Row }) {
  const screen = useRosterRow(id);
  return (
    <li>
      <Link to="/screens/$id" params={{ id }}>
        <bdi>{name}</bdi>
      </Link>
      <span className="faint">{wordsIn(screen?.timezone)}</span>
    </li>
  );
}
