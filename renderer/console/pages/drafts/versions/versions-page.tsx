// The published versions, day by day, and going back to one: everything, or one playlist, layout or schedule.
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../../data/client.ts";
import { readVersionsOf } from "../../../data/last-change.ts";
import { usePagedList } from "../../../data/paged.ts";
import { useMay } from "../../../data/session.ts";
import { daysFrom, ownTimeZone } from "../../../data/zones.ts";
import { formatDate, formatTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { kindIcons } from "../changes/change-view.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { useNow } from "../../../ui/now.ts";
import { Page } from "../../../ui/page.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import type { Restoration, VersionEntry } from "../drafts.ts";
import { byDay, type Day } from "../model/versions-by-day.ts";
import type { VersionsSearch } from "../routes.ts";
import { RestoreDialog } from "./restore-dialog.tsx";
import { peopleOf, titleOf } from "./words.ts";
import "../drafts.css";

const text = texts("common", "versions");
async function readPage(of: string | undefined, cursor: string | undefined) {
  const query = { limit: 50, ...(cursor === undefined ? {} : { cursor }) };
  if (of !== undefined) return readVersionsOf(of, query);
  return (await client.get("/api/v1/versions", { params: { query } })).data;
}

export function VersionsPage() {
  const { of }: VersionsSearch = useSearch({ strict: false });
  const { items, error, hasMore, isReadingMore, readMore } = usePagedList(
    ["versions", "list", of ?? "all"],
    (cursor) => readPage(of, cursor),
    { isKeptFresh: true },
  );
  const [restoration, setRestoration] = useState<Restoration | null>(null);
  const now = useNow();
  const latestChange = of === undefined ? undefined : items?.[0]?.changes.find(({ id }) => id === of);
  const name = latestChange?.name ?? "";
  const only = latestChange === undefined ? null : { kind: latestChange.kind, id: latestChange.id, name };
  return (
    <Page title={of === undefined || items === undefined ? text("versions") : text("titleOf", { name })}>
      {of === undefined ? null : (
        <div className="cluster between gap-2-4 near-title">
          {latestChange === undefined || latestChange.action === "deleted" ? null : (
            <Link to={`/${latestChange.kind}s/${of}` as "/"} className="inline-row medium tap">
              {text("backToEditor", { name })}
            </Link>
          )}
          <Link to="/versions" className="inline-row medium tap">
            {text("all")}
          </Link>
        </div>
      )}
      <p className="faint">{text(of === undefined ? "text" : "textOf")}</p>
      <ProblemMessage error={error} />
      {items?.length === 0 ? <EmptyState icon="history" title={text("emptyTitle")} text={text("emptyText")} /> : null}
      <div className="stack gap-5">
        {byDay(items ?? [], now, dateOf).map((day) => (
          <DayView key={day.date} day={day} newest={items?.[0]?.number} onRestore={(number) => setRestoration({ number, only })} />
        ))}
      </div>
      {hasMore ? (
        <div className="form-end cluster end gap-3">
          <Button isPending={isReadingMore} onPress={readMore}>
            {text("showMore")}
          </Button>
        </div>
      ) : null}
      {restoration === null ? null : <RestoreDialog restoration={restoration} onClose={() => setRestoration(null)} />}
    </Page>
  );
}

function dateOf(at: Date): string {
  return daysFrom(at.toISOString(), ownTimeZone, 1)[0]!.date;
}

interface DayViewProps {
  day: Day<VersionEntry>;
  /** The number of the first of the list: going there would change nothing. */
  newest: number | undefined;
  onRestore: (number: number) => void;
}

function DayView({ day: { date, ago, entries }, newest, onRestore }: DayViewProps) {
  const title = ago === 0 ? text("today") : ago === 1 ? text("yesterday") : formatDate(date);
  const mayRestore = useMay("versions:write");
  return (
    <section className="section stack gap-3 shrink" aria-label={title}>
      <h2>{title}</h2>
      <ol className="version-list box lined" reversed>
        {entries.map((entry) => {
          const { id, number, created_at: at, draft_id: draftId } = entry;
          return (
            <li key={id} className="version-row row gap-2-3 pad-3-4">
              <span className="version-number rigid faint digits" aria-hidden="true">
                {number}
              </span>
              <span className="rigid faint">
                <Icon name={entry.restored_from === null ? kindIcons[entry.changes[0]?.kind ?? "playlist"] : "restore"} />
              </span>
              <span className="version-facts stack shrink break-words">
                <Link className="strong plain-link ink" to="/versions/$number" params={{ number: String(number) }}>
                  <bdi>{titleOf(entry)}</bdi>
                </Link>
                <span className="faint small">
                  <time dateTime={at}>{formatTime(new Date(at))}</time> · {peopleOf(entry)}
                  {draftId === null ? null : ` · ${text("fromDraft")}`}
                </span>
              </span>
              {number === newest ? (
                <span className="badge" data-kind="good">
                  {text("now")}
                </span>
              ) : mayRestore ? (
                <Button size="small" aria-label={text("goBackTo", { number: String(number) })} onPress={() => onRestore(number)}>
                  {text("goBack")}
                </Button>
              ) : null}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
