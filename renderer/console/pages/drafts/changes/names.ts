// The names of resources that content refers to by ids. Those that were made in the draft itself are named by its changes.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useRoster } from "../../../data/roster.ts";
import { layoutNamesQuery } from "../../../data/layout-names.ts";
import { texts } from "../../../i18n/texts.ts";
import { playlistNamesQuery } from "../../layouts/playlist-names.ts";
import { calendarsQuery } from "../../../data/calendars.ts";
import type { Content } from "../drafts.ts";

const text = texts("changes");

/** The name of a layout, a playlist, a calendar or a screen by its id. */
export type NameOf = (id: string) => string;

export interface Compared {
  id: string;
  name: string;
  before: Content | null;
  after: Content | null;
}

export function useNames(changes: readonly Compared[]): NameOf {
  const { data: layouts } = useQuery(layoutNamesQuery);
  const { data: playlists } = useQuery(playlistNamesQuery);
  const { data: calendars } = useQuery(calendarsQuery);
  const { rows: screens } = useRoster();
  return useMemo(() => {
    const names = new Map<string, string>();
    for (const { id, name } of [...(layouts ?? []), ...(playlists ?? []), ...(calendars ?? []), ...screens, ...changes])
      names.set(id, name);
    return (id) => names.get(id) ?? text("gone");
  }, [layouts, playlists, calendars, screens, changes]);
}
