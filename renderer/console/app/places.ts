// The places of the console that navigation, search and keys lead to. Those whose page is not part of this build are left out.
import type { AnyRouter } from "@tanstack/react-router";
import type { IconName } from "../ui/icon-paths.ts";
import type { MessageKey } from "../i18n/catalogue.ts";

/** The groups of the main navigation, in their order. */
export const groups = ["groupNow", "groupContent", "groupPlan", "groupRecords"] as const;

export interface Place {
  to: string;
  name: MessageKey<"common">;
  icon: IconName;
  /** It is part of the main navigation, in this group. */
  group?: (typeof groups)[number];
  /** Pressed after `g`, it leads there. */
  key?: string;
}

const places: readonly Place[] = [
  { to: "/", name: "screens", icon: "screens", group: "groupNow", key: "s" },
  { to: "/show", name: "show", icon: "play", group: "groupNow", key: "h" },
  { to: "/takeover", name: "takeover", icon: "broadcast", group: "groupNow", key: "t" },
  { to: "/library", name: "library", icon: "library", group: "groupContent", key: "l" },
  { to: "/playlists", name: "playlists", icon: "playlist", group: "groupContent", key: "o" },
  { to: "/layouts", name: "layouts", icon: "layout", group: "groupContent", key: "y" },
  { to: "/schedules", name: "schedules", icon: "calendar", group: "groupPlan", key: "c" },
  { to: "/calendars", name: "calendars", icon: "clock", group: "groupPlan", key: "k" },
  { to: "/timeline", name: "timeline", icon: "timeline", group: "groupPlan", key: "i" },
  { to: "/drafts", name: "drafts", icon: "draft", group: "groupPlan", key: "d" },
  { to: "/versions", name: "versions", icon: "history", group: "groupRecords", key: "v" },
  { to: "/reports", name: "reports", icon: "chart", group: "groupRecords", key: "r" },
  { to: "/team", name: "team", icon: "team", group: "groupRecords", key: "m" },
  { to: "/pair", name: "pair", icon: "plus", key: "p" },
  { to: "/enrolment", name: "enrolment", icon: "key" },
  { to: "/import", name: "import", icon: "upload" },
  { to: "/account", name: "account", icon: "settings", key: "a" },
  { to: "/team/tokens", name: "tokens", icon: "key" },
  { to: "/team/webhooks", name: "webhooks", icon: "link" },
  { to: "/team/alerts", name: "alerts", icon: "warning" },
  { to: "/team/audit", name: "audit", icon: "activity" },
];

/** True if this build has a page at a path, written as in the routes: `/screens/$id`. */
export function hasPage(router: AnyRouter, path: string): boolean {
  return path in router.routesByPath;
}

/** All places that this build has. */
export function placesOf(router: AnyRouter): readonly Place[] {
  return places.filter(({ to }) => hasPage(router, to));
}
