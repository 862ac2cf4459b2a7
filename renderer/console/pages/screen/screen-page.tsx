// The page of one screen.
import "./screen.css";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { ProblemError } from "../../../../sdk/typescript/client.ts";
import { texts } from "../../i18n/texts.ts";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { playerQuery, rowQuery, useFreshScreen } from "./data.ts";
import { IdentifyButton } from "./identify-button.tsx";
import { MissingScreen } from "./missing-screen.tsx";
import { Overview } from "./overview/overview.tsx";
import { screenTabs, type ScreenTab } from "./routes.ts";
import { stateOf } from "./state-of.ts";
import { stateName } from "./state-words.ts";

const text = texts("screen");
const PreviewTab = lazy(async () => ({ default: (await import("./preview-tab.tsx")).PreviewTab }));
const HealthTab = lazy(async () => ({ default: (await import("./health/health-tab.tsx")).HealthTab }));
const LogTab = lazy(async () => ({ default: (await import("./log/log-tab.tsx")).LogTab }));
const CommandsTab = lazy(async () => ({ default: (await import("./commands/commands-tab.tsx")).CommandsTab }));
const SettingsTab = lazy(async () => ({ default: (await import("./settings/settings-tab.tsx")).SettingsTab }));

export function ScreenPage() {
  const { id = "" } = useParams({ strict: false });
  const { tab = "overview" } = useSearch({ strict: false });
  const navigate = useNavigate();
  useFreshScreen(id);
  const { data, error } = useQuery(playerQuery(id));
  const { data: row, error: rowError } = useQuery(rowQuery(id));
  // A screen that was there before and was deleted meanwhile is gone, too.
  const isGone = error instanceof ProblemError && (error.status === 404 || error.status === 422);
  if (isGone) return <MissingScreen id={id} />;
  if (data === undefined || row === undefined || row === null) return <ProblemMessage error={error ?? rowError} />;
  const { player } = data;
  const content: Readonly<Record<ScreenTab, React.ReactNode>> = {
    overview: <Overview player={player} row={row} />,
    preview: <PreviewTab key={id} player={player} />,
    health: <HealthTab player={player} />,
    log: <LogTab id={id} />,
    commands: <CommandsTab player={player} />,
    settings: <SettingsTab key={id} id={id} />,
  };
  const state = stateOf(row);
  return (
    <Page title={player.name} actions={<IdentifyButton player={player} />}>
      <ul className="screen-labels wrap gap-1 near-title">
        <li className="badge" data-kind={state.kind === "off" ? undefined : state.kind}>
          {stateName(state)}
        </li>
        {player.tags.map((tag) => (
          <li key={tag} className="badge">
            <span className="clip">{tag}</span>
          </li>
        ))}
      </ul>
      <Tabs
        label={text("tabs")}
        selected={tab}
        onSelect={(key) =>
          void navigate({ to: "/screens/$id", params: { id }, search: key === "overview" ? {} : { tab: key }, resetScroll: false })
        }
        tabs={screenTabs.map((key) => ({ key, title: text(key), content: <Suspense>{content[key]}</Suspense> }))}
      />
    </Page>
  );
}
