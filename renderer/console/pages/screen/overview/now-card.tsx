// The content on the screen now and next, and until when.
import { useQuery } from "@tanstack/react-query";
import { hourMs } from "../../../../../src/base/time.ts";
import { formatBytes, formatDateTime, formatTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { useNow } from "../../../ui/now.ts";
import { forecastQuery, nowQuery, type Stretch } from "../data.ts";
import { itemNamesQuery } from "./items.ts";
import { joinStretches } from "./week.ts";
import { causeOf, nameOf } from "./words.ts";

const text = texts("screen");

export function NowCard({ id }: { id: string }) {
  const { data: forecast, dataUpdatedAt, error } = useQuery(forecastQuery(id));
  const { data: now } = useQuery(nowQuery(id));
  const present = useNow();
  const items = now?.status === "online" ? now.now_playing : [];
  const stretches = joinStretches(forecast?.stretches ?? []);
  // The forecast begins when it was read, by the service's clock. The reader's clock may be wrong; how fast it runs is not.
  const at = (forecast === undefined ? 0 : Date.parse(forecast.from)) + Math.max(0, present.getTime() - dataUpdatedAt);
  const index = Math.max(
    0,
    stretches.findIndex(({ to }) => Date.parse(to) > at),
  );
  const [current, next] = [stretches[index], stretches[index + 1]];
  const { data: names = {} } = useQuery({ ...itemNamesQuery(items, current?.layout_id ?? null), enabled: items.length > 0 });
  const download = now?.content?.is === "downloading" ? now.content : null;
  return (
    <section className="card" aria-labelledby="now-title">
      <h2 id="now-title">{text("now")}</h2>
      <ProblemMessage error={error} />
      {current === undefined || forecast === undefined ? null : (
        <dl className="now-list grid gap-3-4">
          <dt className="faint">{text("nowPlaying")}</dt>
          <dd>
            <Content stretch={current} />
            {next === undefined ? null : <p className="faint">{text("until", { time: when(current.to, forecast.timezone, at) })}</p>}
            {items.length === 0 ? null : (
              <ul className="small soft above-1">
                {items.slice(0, 12).map(({ zone_id: zone, item_id: item }) => (
                  <li key={`${zone} ${item}`} className="clip nowrap">
                    {names[item] ?? text("anItem")}
                  </li>
                ))}
              </ul>
            )}
            {now?.received_at === null ? <p className="faint">{text("noHeartbeat")}</p> : null}
            {download === null ? null : (
              <div>
                <p className="faint">
                  {text("download", { ready: formatBytes(download.ready_bytes), total: formatBytes(download.total_bytes) })}
                </p>
                <progress aria-label={text("saysLate")} max={download.total_bytes} value={download.ready_bytes} />
              </div>
            )}
          </dd>
          <dt className="faint">{text("next")}</dt>
          <dd>
            {next === undefined ? (
              <p className="faint">{text("noChange")}</p>
            ) : (
              <>
                <Content stretch={next} />
                <p className="faint">{text("from", { time: when(next.from, forecast.timezone, at) })}</p>
              </>
            )}
          </dd>
        </dl>
      )}
    </section>
  );
}

function Content({ stretch }: { stretch: Stretch }) {
  return (
    <p className="clip">
      <strong>{nameOf(stretch)}</strong> <span className="faint">{causeOf(stretch)}</span>
    </p>
  );
}

/** The time at the screen and the reader's, if that differs; with the date unless it is soon. */
function when(time: string, timeZone: string, nowMs: number): string {
  const at = new Date(time);
  const format = at.getTime() - nowMs < 20 * hourMs ? formatTime : formatDateTime;
  const [there, own] = [format(at, timeZone), format(at)];
  return there === own ? there : text("andYours", { time: there, own });
}
