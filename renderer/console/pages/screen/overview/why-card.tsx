// The reason why the screen shows its content at a time, and why each other schedule does not play then.
import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../../data/client.ts";
import { instantOf, localValueOf } from "../../../data/zones.ts";
import { readable } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useTimeZone } from "../data.ts";

const text = texts("screen");
const shownAtFirst = 10;
const kinds: Readonly<Record<string, string>> = { shows: "good", held: "accent", outranked: "warn" };

function Verdict({ verdict }: { verdict: string }) {
  return (
    <span className="badge" data-kind={kinds[verdict]}>
      {text("verdict", { verdict: verdict.replaceAll("-", "") })}
    </span>
  );
}

export function WhyCard({ id }: { id: string }) {
  const navigate = useNavigate();
  const { at } = useSearch({ strict: false });
  const timeZone = useTimeZone(id);
  const { data, error } = useQuery({
    queryKey: ["players", id, "why", at ?? null],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: at === undefined ? {} : { at } };
      return (await client.get("/api/v1/players/{id}/why", { params, signal })).data;
    },
    placeholderData: (before) => before,
  });
  const choose = (scheduleId: string | undefined): void =>
    void navigate({
      to: "/screens/$id",
      params: { id },
      search: scheduleId === undefined ? {} : { at: scheduleId },
      replace: true,
      resetScroll: false,
    });
  return (
    <section className="card" aria-labelledby="why-title">
      <header className="cluster between gap-2-4">
        <h2 id="why-title">{text("why")}</h2>
      </header>
      {timeZone === null || data === undefined ? null : (
        <div className="wrap bottom gap-2">
          <TextField
            label={text("whyAt", { zone: timeZone })}
            type="datetime-local"
            value={localValueOf(at ?? data.at, timeZone)}
            onChange={(local) => {
              const instant = instantOf(local, timeZone);
              if (instant !== null) choose(instant);
            }}
          />
          <Button isDisabled={at === undefined} onPress={() => choose(undefined)}>
            {text("whyNow")}
          </Button>
        </div>
      )}
      <ProblemMessage error={error} />
      <ol className="stack">
        {data?.reasons.map(({ layer, id: reasonId, name, verdict, detail }) => (
          <li className="pad-block-2 line-above" key={`${layer} ${reasonId ?? ""} ${detail}`}>
            <p className="cluster gap-2">
              <Verdict verdict={verdict} /> <span className="faint">{text("layer", { layer })}</span>
              {name === null ? null : <strong className="clip">{name}</strong>}
            </p>
            <p className="why-detail soft break-words">{readable(detail, timeZone)}</p>
          </li>
        ))}
      </ol>
      <Schedules id={id} at={at} timeZone={timeZone} />
    </section>
  );
}

/** The role of each schedule of the team for this screen at that time. */
function Schedules({ id, at, timeZone }: { id: string; at: string | undefined; timeZone: string | null }) {
  const [visibleCount, setVisibleCount] = useState(shownAtFirst);
  const { data } = useInfiniteQuery({
    queryKey: ["schedules", "names"],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: 100, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return (await client.get("/api/v1/schedules", { params: { query }, signal })).data;
    },
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const schedules = data?.pages.flatMap((page) => page.data) ?? [];
  const verdicts = useQueries({
    queries: schedules.slice(0, visibleCount).map((schedule) => ({
      queryKey: ["players", id, "why", at ?? null, schedule.id],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { schedule_id: schedule.id, ...(at === undefined ? {} : { at }) };
        return (await client.get("/api/v1/players/{id}/why", { params: { path: { id }, query }, signal })).data.schedule;
      },
    })),
  });
  const remainingCount = schedules.length - visibleCount;
  return (
    <>
      <h3>{text("schedules")}</h3>
      {data !== undefined && schedules.length === 0 ? <p className="faint">{text("noSchedules")}</p> : null}
      <ul className="stack" aria-label={text("schedules")}>
        {verdicts.map(({ data: verdict }, index) => {
          const schedule = schedules[index];
          if (verdict == null || schedule === undefined) return null;
          return (
            <li className="pad-block-2 line-above" key={schedule.id}>
              <p className="cluster gap-2">
                <Verdict verdict={verdict.verdict} /> <strong className="clip">{schedule.name}</strong>
              </p>
              <p className="why-detail soft break-words">{readable(verdict.detail, timeZone)}</p>
            </li>
          );
        })}
      </ul>
      {remainingCount > 0 ? (
        <Button size="small" onPress={() => setVisibleCount(visibleCount + 20)}>
          {text("moreSchedules", { count: remainingCount })}
        </Button>
      ) : null}
    </>
  );
}
