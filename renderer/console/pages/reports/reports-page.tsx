// The frame of the reports: their kinds, and the links by which others read them.
import { Outlet } from "@tanstack/react-router";
import { useSession, type Session } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Page } from "../../ui/page.tsx";
import { PageTabs, type PageTab } from "../../ui/page-tabs.tsx";
import "./reports.css";

const text = texts("reports");

const tabs: readonly (PageTab & { scope: Session["scopes"][number] })[] = [
  { to: "/reports/plays", name: text("plays"), keepsSearch: true, scope: "play_events:read" },
  { to: "/reports/uptime", name: text("uptime"), keepsSearch: true, scope: "players:read" },
  { to: "/reports/planned", name: text("planned"), keepsSearch: true, scope: "play_events:read" },
  { to: "/reports/links", name: text("links"), keepsSearch: true, scope: "report_links:read" },
];

export function ReportsPage() {
  const { scopes } = useSession();
  return (
    <Page title={text("title")}>
      <PageTabs label={text("parts")} tabs={tabs.filter(({ scope }) => scopes.includes(scope))} />
      <Outlet />
    </Page>
  );
}
