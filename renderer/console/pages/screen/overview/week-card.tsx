// The week ahead of a screen: as a timeline of days and hours, or as a list.
import "./week.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ownTimeZone } from "../../../data/zones.ts";
import { formatDay, formatTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { Segments } from "../../../ui/segments.tsx";
import { forecastQuery, type Stretch } from "../data.ts";
import { contentOf, joinStretches, legendOf, weekOf, type WeekDay } from "./week.ts";
import { causeOf, nameOf } from "./words.ts";

const text = texts("screen");
const hours = [0, 3, 6, 9, 12, 15, 18, 21, 24];

type Legend = ReturnType<typeof legendOf>;

export function WeekCard({ id }: { id: string }) {
  const { data, error } = useQuery(forecastQuery(id));
  const [view, setView] = useState<"timeline" | "list">("timeline");
  const [zone, setZone] = useState<"screen" | "own">("screen");
  if (data === undefined) return <ProblemMessage error={error} />;
  const timeZone = zone === "own" ? ownTimeZone : data.timezone;
  const stretches = joinStretches(data.stretches);
  const legend = legendOf(stretches, nameOf);
  const gaps = stretches.filter((stretch) => contentOf(stretch) === null);
  return (
    <section className="card whole-row" aria-labelledby="week-title">
      <header className="cluster between gap-2-4">
        <h2 id="week-title">{text("week")}</h2>
        <div className="card-tools wrap gap-2">
          {data.timezone === ownTimeZone ? null : (
            <Segments
              isLabelHidden
              label={text("zoneChoice")}
              value={zone}
              onChange={setZone}
              options={[
                { id: "screen", name: text("screenZone", { zone: data.timezone }) },
                { id: "own", name: text("ownZone", { zone: ownTimeZone }) },
              ]}
            />
          )}
          <Segments
            isLabelHidden
            label={text("weekView")}
            value={view}
            onChange={setView}
            options={[
              { id: "timeline", name: text("asTimeline") },
              { id: "list", name: text("asList") },
            ]}
          />
        </div>
      </header>
      {legend.size === 0 ? <p className="faint">{text("weekEmpty")}</p> : null}
      {legend.size > 0 && gaps.length > 0 ? <p className="strong warn">{text("gapsWarning", { count: gaps.length })}</p> : null}
      {view === "list" ? (
        <WeekList stretches={stretches} legend={legend} timeZone={timeZone} />
      ) : (
        <Timeline days={weekOf(stretches, data.from, timeZone)} legend={legend} timeZone={timeZone} />
      )}
      <ul className="wrap gap-1-4 small" aria-label={text("legend")}>
        {[...legend].map(([content, { colour, name }]) => (
          <li className="row gap-2 shrink" key={content}>
            <span className="week-swatch" data-colour={colour} /> <span className="clip">{name}</span>
          </li>
        ))}
        {gaps.length === 0 ? null : (
          <li className="row gap-2 shrink">
            <span className="week-swatch" data-colour="none" /> {text("gap")}
          </li>
        )}
      </ul>
    </section>
  );
}

function Timeline({ days, legend, timeZone }: { days: readonly WeekDay[]; legend: Legend; timeZone: string }) {
  return (
    <div className="week" role="group" aria-labelledby="week-title">
      <div className="week-hours relative tiny faint digits" aria-hidden="true">
        {hours.map((hour) => (
          <span key={hour} style={{ insetInlineStart: `${(hour / 24) * 100}%` }}>
            {hour}
          </span>
        ))}
      </div>
      <ol className="stack gap-1">
        {days.map((day) => (
          <li key={day.date} className="week-day grid middle">
            <span className="week-date small soft">{formatDay(new Date(day.startMs), timeZone)}</span>
            <ol className="week-track relative crop rounded-s">
              {day.pieces.map(({ stretch, fromHour, toHour }) => {
                const label = labelOf(stretch, day, timeZone);
                return (
                  <li
                    key={stretch.from}
                    className="week-piece row crop rounded-s tiny strong"
                    data-colour={legend.get(contentOf(stretch) ?? "")?.colour ?? "none"}
                    title={label}
                    style={{ insetInlineStart: `${(fromHour / 24) * 100}%`, inlineSize: `${((toHour - fromHour) / 24) * 100}%` }}
                  >
                    <span className="visually-hidden">{label}</span>
                    <span className="truncate" aria-hidden="true">
                      {toHour - fromHour < 3 ? "" : nameOf(stretch)}
                    </span>
                  </li>
                );
              })}
            </ol>
            {day.hours === 24 ? null : (
              <span className="week-note tiny warn">{text(day.hours < 24 ? "shortDay" : "longDay", { hours: day.hours })}</span>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Such as `Menu, 06:00 to 11:00`, cut to the day. */
function labelOf(stretch: Stretch, { startMs, endMs }: WeekDay, timeZone: string): string {
  const from = new Date(Math.max(Date.parse(stretch.from), startMs));
  const to = new Date(Math.min(Date.parse(stretch.to), endMs));
  return text("stretchName", { what: nameOf(stretch), from: formatTime(from, timeZone), to: formatTime(to, timeZone) });
}

function WeekList({ stretches, legend, timeZone }: { stretches: readonly Stretch[]; legend: Legend; timeZone: string }) {
  return (
    <ol className="week-list stack">
      {stretches.map((stretch) => (
        <li className="grid middle gap-3 line-below" key={stretch.from}>
          <span className="week-swatch" data-colour={legend.get(contentOf(stretch) ?? "")?.colour ?? "none"} />
          <span className="soft digits">
            {formatDay(new Date(stretch.from), timeZone)} {formatTime(new Date(stretch.from), timeZone)} –{" "}
            {formatDay(new Date(stretch.to), timeZone)} {formatTime(new Date(stretch.to), timeZone)}
          </span>
          <span className="clip">
            <strong>{nameOf(stretch)}</strong> <span className="faint">{causeOf(stretch)}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}
