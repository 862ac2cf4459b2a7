// Names the changes of somebody else to the layout, and lets a person decide where both have changed the same.
import { useQuery } from "@tanstack/react-query";
import { useLastChange } from "../../../data/last-change.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { playlistNamesQuery } from "../playlist-names.ts";
import { decide, type Editor } from "../model/editor.ts";
import { isSameDifference, type Difference } from "../model/merge.ts";
import { differenceText, valueText } from "../words.ts";

const text = texts("layouts");

interface ConflictsProps {
  id: string;
  editor: Editor;
  change: (update: (editor: Editor) => Editor) => void;
}

/** The number of changes that are named; the rest is on the stage. */
const mostNews = 6;

export function Conflicts({ id, editor, change }: ConflictsProps) {
  const { news, conflicts, base, history, etag } = editor;
  const last = useLastChange(id, news.length + conflicts.length > 0 ? etag : "");
  const name = last?.name ?? "unknown";
  const { data } = useQuery({ ...playlistNamesQuery, enabled: conflicts.length > 0 });
  const playlistName = (id: string | null): string =>
    id === null ? text("noPlaylist") : (data?.find((each) => each.id === id)?.name ?? text("otherPlaylist"));
  const mergedNews = news.filter((each) => !conflicts.some((conflict) => isSameDifference(conflict, each)));
  const names = mergedNews.slice(0, mostNews).map((each) => differenceText(each, base, history.present));
  return (
    <>
      {mergedNews.length === 0 ? null : (
        <div className="layout-news pad-3-4 rounded cluster gap-3 tint" role="status">
          <Icon name="team" />
          <div>
            <strong>
              {text("newsTitle", { name })}
              {last === undefined ? null : (
                <span className="faint">
                  {" "}
                  <Age time={last.at} />
                </span>
              )}
            </strong>
            <p>{text("newsText", { parts: names.join(" · "), more: mergedNews.length - names.length })}</p>
          </div>
          <Button size="small" onPress={() => change((now) => ({ ...now, news: [] }))}>
            {text("newsRead")}
          </Button>
        </div>
      )}
      {conflicts.length === 0 ? null : (
        <section
          className="layout-conflicts pad-3-4 rounded stack gap-3 warn-ground"
          role="alert"
          aria-label={text("conflictTitle", { name })}
        >
          <h2 className="row gap-2">
            <Icon name="warning" />
            {text("conflictTitle", { name })}
          </h2>
          <p>{text("conflictText")}</p>
          <ul className="stack gap-3">
            {conflicts.map((conflict) => (
              <ConflictRow
                key={`${conflict.zone} ${conflict.part}`}
                name={differenceText(conflict, base, history.present)}
                conflict={conflict}
                mine={valueText(history.present, conflict, playlistName)}
                theirs={valueText(base, conflict, playlistName)}
                onDecide={(side) => change((now) => decide(now, conflict, side, Date.now()))}
              />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface ConflictRowProps {
  name: string;
  conflict: Difference;
  mine: string;
  theirs: string;
  onDecide: (side: "mine" | "theirs") => void;
}

function ConflictRow({ name, mine, theirs, onDecide }: ConflictRowProps) {
  const sides = [
    { side: "mine", title: text("mine"), value: mine, action: text("keepMine"), label: text("keepMineOf", { name }) },
    { side: "theirs", title: text("theirs"), value: theirs, action: text("takeTheirs"), label: text("takeTheirsOf", { name }) },
  ] as const;
  return (
    <li>
      <h3 className="break-words">{name}</h3>
      <div className="layout-conflict-sides grid gap-3">
        {sides.map(({ side, title, value, action, label }) => (
          <div className="stack top gap-1 pad-3 surface rounded" key={side}>
            <span className="faint">{title}</span>
            <p>{value}</p>
            <Button size="small" aria-label={label} onPress={() => onDecide(side)}>
              {action}
            </Button>
          </div>
        ))}
      </div>
    </li>
  );
}
