// One screen on the wall. It is drawn again only when its own row, or its selection, changes.
import { Link } from "@tanstack/react-router";
import { memo, useMemo, type KeyboardEvent, type MouseEvent } from "react";
import { usePartDrop, type DropMeaning } from "../../data/drops.ts";
import { useRosterRow } from "../../data/roster.ts";
import { requestShow } from "../../data/show-request.ts";
import { texts } from "../../i18n/texts.ts";
import { Picture } from "./picture.tsx";
import { kinds, playsText, troubleOf } from "./words.tsx";

const text = texts("screens");
const mostTags = 3;

/** Dropping a file onto a screen offers to show it there. */
function dropOn(id: string, name: string): DropMeaning {
  return {
    text: text("dropOn", { name }),
    take: ([asset]) => {
      if (asset !== undefined) requestShow({ asset, players: [id] });
    },
  };
}

export interface CardProps {
  id: string;
  /** The id of its element: a screen with several tags is on the wall several times. */
  place: string;
  position: number;
  count: number;
  isSelected: boolean;
  /** True if the tab key reaches it: one card of the wall. */
  isActive: boolean;
  maySee: boolean;
  mayAsk: boolean;
  onFocus: (place: string) => void;
  onKeyDown: (event: KeyboardEvent, id: string) => void;
  onSelect: (id: string, isRange: boolean) => void;
}

export const Card = memo(function ScreenCard(props: CardProps) {
  const { id, place, position, count, isSelected, isActive, maySee, mayAsk, onFocus, onKeyDown, onSelect } = props;
  const row = useRosterRow(id);
  const title = row?.name ?? "";
  const drop = usePartDrop(useMemo(() => dropOn(id, title), [id, title]));
  if (row === undefined) return null;
  const { name, tags, state, problems } = row;
  const trouble = troubleOf(row);
  const more = problems.length - 1 + row.problems_left_out;
  return (
    <article
      className="screen-card stack box shrink relative"
      data-state={state}
      data-kind={kinds[state]}
      data-selected={isSelected}
      aria-labelledby={`${place}-name`}
      aria-describedby={`${place}-state`}
      aria-posinset={position}
      aria-setsize={count}
      {...(mayAsk ? drop : {})}
    >
      <Picture row={row} maySee={maySee} mayAsk={mayAsk} isActive={isActive} />
      <input
        type="checkbox"
        className="screen-select center surface pointer rounded-s no-margin"
        aria-label={text("select", { name })}
        tabIndex={isActive ? 0 : -1}
        checked={isSelected}
        onChange={() => undefined}
        onClick={(event: MouseEvent) => onSelect(id, event.shiftKey)}
      />
      <div className="screen-about stack gap-1 pad-3 shrink">
        <div className="screen-title row between gap-2 shrink">
          <h3 className="truncate shrink" id={`${place}-name`}>
            <Link
              to="/screens/$id"
              params={{ id } as never}
              id={place}
              className="screen-link plain-link ink"
              tabIndex={isActive ? 0 : -1}
              onFocus={() => onFocus(place)}
              onKeyDown={(event: KeyboardEvent) => onKeyDown(event, id)}
            >
              <bdi>{name}</bdi>
            </Link>
          </h3>
          <span id={`${place}-state`} className="badge screen-state" data-kind={kinds[state]}>
            {text(state)}
          </span>
        </div>
        {trouble === null ? (
          <p className="screen-plays small faint truncate">{playsText(row)}</p>
        ) : (
          <>
            <p className="screen-cause crop small break-words">{trouble.cause}</p>
            {trouble.remedy === "" ? null : <p className="screen-remedy small faint crop break-words">{trouble.remedy}</p>}
            {more > 0 && (state === "wrong" || state === "late") ? (
              <p className="screen-more small faint">{text("moreProblems", { count: more })}</p>
            ) : null}
          </>
        )}
        {tags.length === 0 ? null : (
          <ul className="screen-tags wrap gap-1 no-padding no-margin" aria-label={text("tag")}>
            {tags.slice(0, mostTags).map((tag) => (
              <li key={tag}>
                <bdi>{tag}</bdi>
              </li>
            ))}
            {tags.length > mostTags ? (
              <li title={tags.slice(mostTags).join(", ")}>{text("moreTags", { count: tags.length - mostTags })}</li>
            ) : null}
          </ul>
        )}
      </div>
    </article>
  );
});
