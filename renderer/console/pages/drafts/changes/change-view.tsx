// The differences of two versions of a resource, whatever it is.
import type { Calendar } from "../../../data/calendars.ts";
import { texts } from "../../../i18n/texts.ts";
import type { IconName } from "../../../ui/icon-paths.ts";
import type { Schedule } from "../../schedules/model/form.ts";
import type { Content, ContentKind } from "../drafts.ts";
import type { Layout } from "../model/layout-changes.ts";
import type { Playlist } from "../model/playlist-changes.ts";
import { LayoutView } from "./layout-view.tsx";
import type { NameOf } from "./names.ts";
import { PlaylistView } from "./playlist-view.tsx";
import { calendarLines, scheduleLines } from "./schedule-lines.ts";

const text = texts("changes");

export const kindIcons: Readonly<Record<ContentKind, IconName>> = {
  playlist: "playlist",
  layout: "layout",
  schedule: "calendar",
  calendar: "clock",
};

/** The page of a resource. */
export const pageOf = (kind: ContentKind, id: string): string => `/${kind}s/${id}`;

interface ChangeViewProps {
  kind: ContentKind;
  before: Content | null;
  after: Content | null;
  nameOf: NameOf;
}

export function ChangeView({ kind, before, after, nameOf }: ChangeViewProps) {
  const isRenamed = before !== null && after !== null && before.name !== after.name;
  return (
    <>
      {/* The lines of a layout say it themselves. */}
      {isRenamed && kind !== "layout" ? <p>{text("renamed", { before: before.name, after: after.name })}</p> : null}
      {kind === "playlist" ? <PlaylistView before={before as Playlist | null} after={after as Playlist | null} nameOf={nameOf} /> : null}
      {kind === "layout" ? <LayoutView before={before as Layout | null} after={after as Layout | null} nameOf={nameOf} /> : null}
      {kind === "schedule" ? <ScheduleView before={before as Schedule | null} after={after as Schedule | null} nameOf={nameOf} /> : null}
      {kind === "calendar" ? <CalendarView before={before as Calendar | null} after={after as Calendar | null} /> : null}
    </>
  );
}

function ScheduleView({ before, after, nameOf }: { before: Schedule | null; after: Schedule | null; nameOf: NameOf }) {
  const lines = scheduleLines(before, after, nameOf);
  if (lines.length === 0) return null;
  return (
    <dl className="change-parts stack gap-1">
      {lines.map(({ name, before: was, after: is }) => (
        <div className="grid gap-3" key={name}>
          <dt className="faint">{name}</dt>
          <dd>
            {was === null ? null : <del>{was}</del>}
            {was !== null && is !== null ? <span aria-hidden="true"> → </span> : null}
            {is === null ? null : was === null ? <span>{is}</span> : <ins className="plain-link medium">{is}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function CalendarView({ before, after }: { before: Calendar | null; after: Calendar | null }) {
  return (
    <ul className="stack gap-1 break-words">
      {calendarLines(before, after).map(({ is, date }) => (
        <li key={`${is} ${date}`} className="change-date" data-is={is}>
          {date} <span className="small faint">{text(is)}</span>
        </li>
      ))}
    </ul>
  );
}
