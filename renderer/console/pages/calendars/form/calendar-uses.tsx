// The resources that refer to a calendar, with links.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { texts } from "../../../i18n/texts.ts";
import type { CalendarUses } from "../data.ts";

const text = texts("calendars");

/** True if something refers to it, also in the bin. */
export function isUsed({ schedules, playlists, player_count: count }: CalendarUses): boolean {
  return schedules.length + playlists.length + count > 0;
}

export function UsesText({ uses }: { uses: CalendarUses }) {
  const { schedules, playlists, players, player_count: count } = uses;
  if (!isUsed(uses)) return <p className="faint">{text("unused")}</p>;
  return (
    <div className="stack gap-4">
      <Part title={text("usedSchedules")} to="/schedules/$id" of={schedules} />
      <Part
        title={text("usedPlaylists")}
        to="/playlists/$id"
        of={playlists.map((each) => ({ ...each, name: text("usedItems", { name: each.name, count: each.item_count }) }))}
      />
      <Part title={text("usedScreens")} to="/screens/$id" of={players}>
        {count > players.length ? <li className="faint">{text("more", { count: count - players.length })}</li> : null}
      </Part>
    </div>
  );
}

interface PartProps {
  title: string;
  to: "/schedules/$id" | "/playlists/$id" | "/screens/$id";
  of: readonly { id: string; name: string; in_bin: boolean }[];
  children?: ReactNode;
}

function Part({ title, to, of, children }: PartProps) {
  if (of.length === 0) return null;
  return (
    <section className="stack gap-2">
      <h3 className="small soft">{title}</h3>
      <ul className="wrap gap-2">
        {of.map(({ id, name, in_bin: isInBin }) => (
          <li className="shrink" key={id}>
            {isInBin ? (
              <span className="faint">{text("inBin", { name })}</span>
            ) : (
              <Link to={to} params={{ id }} className="pill">
                <bdi>{name}</bdi>
              </Link>
            )}
          </li>
        ))}
        {children}
      </ul>
    </section>
  );
}
