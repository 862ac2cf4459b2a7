// On how much of each of the last thirty days the screen was reachable.
import { useQuery } from "@tanstack/react-query";
import { client } from "../../../data/client.ts";
import { formatDay, formatNumber } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";

const text = texts("screenHealth");

export function UptimeCard({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ["players", id, "uptime"],
    queryFn: async ({ signal }) => (await client.get("/api/v1/players/{id}/uptime", { params: { path: { id } }, signal })).data.days,
  });
  if (data === undefined) return null;
  const countedDays = data.filter(({ minutes_total: total }) => total > 0);
  const total = countedDays.reduce((sum, day) => sum + day.minutes_total, 0);
  const up = countedDays.reduce((sum, day) => sum + day.minutes_up, 0);
  const percentOf = (percent: number): string =>
    formatNumber(percent / 100, { style: "percent", maximumFractionDigits: percent > 99 ? 2 : 0 });
  return (
    <section className="card" aria-labelledby="uptime-title">
      <header className="wrap baseline gap-0-3">
        <h2 id="uptime-title">{text("uptime")}</h2>
        {total === 0 ? null : (
          <p className="faint small">{text("uptimeText", { percent: percentOf((100 * up) / total), days: countedDays.length })}</p>
        )}
      </header>
      <ol className="uptime flex gap-hair" aria-labelledby="uptime-title">
        {data.map(({ date, uptime_percent: percent }) => {
          const day = formatDay(new Date(`${date}T00:00:00Z`), "UTC");
          const words =
            percent === null ? text("uptimeNone", { date: day }) : text("uptimeDay", { date: day, percent: percentOf(percent) });
          return (
            <li key={date} title={words} data-kind={kindOf(percent)}>
              <span className="visually-hidden">{words}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function kindOf(percent: number | null): string {
  if (percent === null) return "none";
  if (percent >= 99) return "good";
  return percent >= 90 ? "warn" : "bad";
}
