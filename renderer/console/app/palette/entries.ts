// The entries of the search: places, actions, and the team's screens, files, playlists and tags.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter, type AnyRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import { usePageActions } from "../../data/actions.ts";
import { client } from "../../data/client.ts";
import { signOut } from "../../data/sign-out.ts";
import { texts } from "../../i18n/texts.ts";
import type { IconName } from "../../ui/icon-paths.ts";
import { tellFailure } from "../../ui/toasts.tsx";
import { hasPage, placesOf } from "../places.ts";
import { chooseTheme, themes } from "../theme.ts";

const text = texts("palette");
const commonText = texts("common");

export interface Entry {
  id: string;
  title: string;
  /** The kind of the entry, in words. */
  kind: string;
  icon: IconName;
  words: string;
  /** The keys that do the same. */
  keys?: readonly string[];
  run: () => void;
}

/** Old enough to be read again when the search is opened, without reading 10,000 names at each change of a screen. */
const freshMs = 30_000;

/** All entries, those that need no request first. */
export function useEntries(): { entries: readonly Entry[]; isLoading: boolean } {
  const router = useRouter();
  const queries = useQueryClient();
  const pageActions = usePageActions();
  const { data, isLoading } = useQuery({ queryKey: ["palette"], queryFn: ({ signal }) => readNames(router, signal), staleTime: freshMs });
  const entries = useMemo(() => {
    const go = (to: string, more: object = {}) => void router.navigate({ to, ...more } as never);
    const actions = pageActions.map(({ id, title, icon, words = "", run }) => ({
      id: `action:${id}`,
      title,
      kind: text("action"),
      icon,
      words,
      run,
    }));
    const places = placesOf(router).map(({ to, name, icon, key }) => ({
      id: `place:${to}`,
      title: commonText(name),
      kind: text("goTo"),
      icon,
      words: "",
      ...(key === undefined ? {} : { keys: ["G", key.toUpperCase()] }),
      run: () => go(to),
    }));
    const looks = themes.map((theme) => ({
      id: `theme:${theme}`,
      title: text(themeNames[theme]),
      kind: commonText("theme"),
      icon: "settings" as const,
      words: text("themeWords"),
      run: () => chooseTheme(theme),
    }));
    const leave = {
      id: "sign-out",
      title: commonText("signOut"),
      kind: commonText("account"),
      icon: "key" as const,
      words: text("signOutWords"),
      run: () => tellFailure(signOut(queries)),
    };
    const content = (data ?? []).map(({ kind, icon, ...entry }) => ({
      ...entry,
      kind: text(kind),
      icon,
      run: () => go(entry.to, entry.more),
    }));
    return [...actions, ...places, ...content, ...looks, leave];
  }, [router, queries, pageActions, data]);
  return { entries, isLoading };
}

const themeNames = { system: "themeSystem", light: "themeLight", dark: "themeDark" } as const;

interface NamedEntry {
  id: string;
  title: string;
  kind: "screen" | "file" | "playlist" | "layout" | "calendar" | "tag";
  icon: IconName;
  words: string;
  to: string;
  more: object;
}

/** Reads the names of the team's things for which this build has a page. */
async function readNames(router: AnyRouter, signal: AbortSignal): Promise<readonly NamedEntry[]> {
  const entries: NamedEntry[] = [];
  const tags = new Set<string>();
  const init = { params: { query: { limit: 100 } }, signal };
  const inRows = { params: { query: { limit: 1_000 } }, signal };
  const hasScreens = hasPage(router, "/screens/$id");
  for await (const { id, name, tags: own } of client.pages("/api/v1/players/roster", inRows)) {
    for (const tag of own) tags.add(tag);
    if (hasScreens)
      entries.push({
        id,
        title: name,
        kind: "screen",
        icon: "screens",
        words: own.join(" "),
        to: "/screens/$id",
        more: { params: { id } },
      });
  }
  for (const tag of tags)
    entries.push({ id: `tag:${tag}`, title: tag, kind: "tag", icon: "screens", words: "", to: "/", more: { search: { tag } } });
  if (hasPage(router, "/playlists/$id"))
    for await (const { id, name } of client.pages("/api/v1/playlists", init))
      entries.push({ id, title: name, kind: "playlist", icon: "play", words: "", to: "/playlists/$id", more: { params: { id } } });
  if (hasPage(router, "/layouts/$id"))
    for await (const { id, name } of client.pages("/api/v1/layouts", init))
      entries.push({ id, title: name, kind: "layout", icon: "layout", words: "", to: "/layouts/$id", more: { params: { id } } });
  if (hasPage(router, "/calendars/$id"))
    for await (const { id, name } of client.pages("/api/v1/calendars", init))
      entries.push({ id, title: name, kind: "calendar", icon: "clock", words: "", to: "/calendars/$id", more: { params: { id } } });
  if (hasPage(router, "/library"))
    for await (const { id, name, tags: own } of client.pages("/api/v1/assets", init))
      entries.push({ id, title: name, kind: "file", icon: "image", words: own.join(" "), to: "/library", more: { search: { q: name } } });
  return entries;
}
