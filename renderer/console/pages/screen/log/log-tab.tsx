// The log of a screen: its events of the last day as they happen, and the problems that it has recorded.
import "./log.css";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../../data/client.ts";
import { formatDateTime, readable } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { Segments } from "../../../ui/segments.tsx";
import { useTimeZone } from "../data.ts";
import { kindOf, markOf, withoutPastSteps, wordsOf, type LogKind } from "./event-words.ts";
import { useEvents } from "./use-events.ts";

const text = texts("screenLog");
const shownAtFirst = 100;

export function LogTab({ id }: { id: string }) {
  const timeZone = useTimeZone(id);
  return (
    <div className="log stack gap-4">
      <Events id={id} timeZone={timeZone} />
      <Records id={id} timeZone={timeZone} />
    </div>
  );
}

interface PartProps {
  id: string;
  timeZone: string | null;
}

function Events({ id, timeZone }: PartProps) {
  const [filter, setFilter] = useState<LogKind | "all">("all");
  const [visibleCount, setVisibleCount] = useState(shownAtFirst);
  const { data: events, error } = useQuery(useEvents(id));
  const matches = withoutPastSteps(events ?? []).filter((event) => filter === "all" || kindOf(event) === filter);
  return (
    <section className="card" aria-labelledby="events-title">
      <header className="cluster between gap-2-4">
        <h2 id="events-title">{text("events")}</h2>
        <Segments
          isLabelHidden
          label={text("filter")}
          value={filter}
          onChange={setFilter}
          options={(["all", "problems", "commands", "changes"] as const).map((each) => ({ id: each, name: text(each) }))}
        />
      </header>
      <ProblemMessage error={error} />
      {events !== undefined && matches.length === 0 ? <p className="faint">{text("emptyAll")}</p> : null}
      <ol className="log-list stack" aria-labelledby="events-title">
        {matches.slice(0, visibleCount).map((event) => (
          <li className="grid gap-3 pad-block-2 line-above" key={event.id}>
            <span className="state-dot" data-kind={markOf(event)} aria-hidden="true" />
            <span className="break-words">{readable(wordsOf(event), timeZone)}</span>
            <span className="faint log-time small nowrap">
              <Age time={event.created_at} timeZone={timeZone} />
            </span>
          </li>
        ))}
      </ol>
      {matches.length > visibleCount ? (
        <Button size="small" onPress={() => setVisibleCount(visibleCount + shownAtFirst)}>
          {text("older")}
        </Button>
      ) : null}
    </section>
  );
}

function Records({ id, timeZone }: PartProps) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["players", id, "problem-records"],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return (await client.get("/api/v1/players/{id}/problems", { params: { path: { id }, query }, signal })).data;
    },
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const records = data?.pages.flatMap((page) => page.data) ?? [];
  const time = (at: string): string => formatDateTime(new Date(at), timeZone ?? undefined);
  return (
    <section className="card" aria-labelledby="records-title">
      <header>
        <h2 id="records-title">{text("records")}</h2>
        <p className="faint">{text("recordsAbout")}</p>
      </header>
      <ProblemMessage error={error} />
      {data !== undefined && records.length === 0 ? <p className="faint">{text("noRecords")}</p> : null}
      <ol className="log-list log-records stack" aria-labelledby="records-title">
        {records.map(({ id: recordId, detail, remedy, started_at: from, ended_at: to, times }) => (
          <li className="grid gap-3 pad-block-2 line-above" key={recordId}>
            <span className="state-dot" data-kind={to === null ? "bad" : "off"} aria-hidden="true" />
            <span className="break-words">
              {readable(detail, timeZone)} {times > 1 ? <span className="badge">{text("times", { count: times })}</span> : null}
              <span className="small soft block">{readable(remedy, timeZone)}</span>
            </span>
            <span className="faint log-time small nowrap">
              {to === null ? text("ongoing", { from: time(from) }) : text("lasted", { from: time(from), to: time(to) })}
            </span>
          </li>
        ))}
      </ol>
      {hasNextPage ? (
        <Button size="small" isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {text("older")}
        </Button>
      ) : null}
    </section>
  );
}
