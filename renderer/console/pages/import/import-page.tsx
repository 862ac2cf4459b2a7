// Brings along content from elsewhere: playlists and schedules from tables, files from folders and addresses.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { AddressImport } from "./address-import.tsx";
import { FolderImport } from "./folder-import.tsx";
import { importKinds, type ImportKind } from "./routes.ts";
import { PlaylistTable, ScheduleTable } from "./tables.tsx";
import "./import.css";

const text = texts("imports");

export function ImportPage() {
  const { of = "playlists" } = useSearch({ strict: false }) as { of?: ImportKind };
  const navigate = useNavigate();
  const may = { playlists: useMay("playlists:write"), schedules: useMay("schedules:write"), media: useMay("assets:write") };
  const content = {
    playlists: <PlaylistTable />,
    schedules: <ScheduleTable />,
    media: (
      <div className="import-part stack gap-5">
        <FolderImport />
        <AddressImport />
      </div>
    ),
  };
  return (
    <Page title={text("title")}>
      <Tabs
        label={text("tabs")}
        selected={of}
        onSelect={(kind) => void navigate({ to: "/import", search: { of: kind }, replace: true })}
        tabs={importKinds.map((key) => ({
          key,
          title: text(key),
          content: may[key] ? content[key] : <p className="faint">{text("notAllowedWrite")}</p>,
        }))}
      />
    </Page>
  );
}
