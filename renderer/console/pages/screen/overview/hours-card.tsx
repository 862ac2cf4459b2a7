// When the display is on: the opening hours that it keeps by itself.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../../../data/client.ts";
import { formatDateTime, formatDay, formatTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";

const text = texts("screen");

export function HoursCard({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ["players", id, "control-preview"],
    queryFn: async ({ signal }) => (await client.get("/api/v1/players/{id}/control-preview", { params: { path: { id } }, signal })).data,
  });
  if (data === undefined) return null;
  const [first] = data.display;
  const zone = data.timezone;
  const periods = data.display.filter(({ power }) => power === "on").slice(0, 7);
  return (
    <section className="card" aria-labelledby="hours-title">
      <header className="cluster between gap-2-4">
        <h2 id="hours-title">{text("hours")}</h2>
        <Link to="/screens/$id" params={{ id }} search={{ tab: "settings" }} className="button" data-size="small">
          {text("hoursEdit")}
        </Link>
      </header>
      {first === undefined ? (
        <p className="faint">{text("hoursAlways")}</p>
      ) : (
        <>
          <p>
            <span className="badge" data-kind={first.power === "on" ? "good" : undefined}>
              {text(first.power === "on" ? "onUntil" : "offUntil", { time: formatDateTime(new Date(first.to), zone) })}
            </span>
          </p>
          <p className="why-detail soft break-words">{data.summary}</p>
          <ul className="stack">
            {periods.map(({ from, to }) => (
              <li className="flex between gap-3 pad-block-1 digits" key={from}>
                <span>{formatDay(new Date(from), zone)}</span>
                <span className="faint">
                  {text("onPeriod", { from: formatTime(new Date(from), zone), to: formatTime(new Date(to), zone) })}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
