// Imports a table: it is checked as soon as it is there, and the result is shown beside the faults.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../data/client.ts";
import { useAct } from "../../data/use-act.ts";
import { ownTimeZone } from "../../data/zones.ts";
import { texts } from "../../i18n/texts.ts";
import { ComboBox } from "../../ui/combo-box.tsx";
import { useDebounced } from "../../ui/stable-values.ts";
import { Segments } from "../../ui/segments.tsx";
import { TableImport, type Found } from "./table-import.tsx";

const text = texts("imports");
const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")].map((id) => ({ id, name: id.replaceAll("_", " ") }));

// A long table is not sent with each letter.
const settleMs = 400;

/** The result of the service's check of the table. */
function useChecked<R>(key: readonly unknown[], csv: string, check: (signal: AbortSignal) => Promise<R>) {
  return useQuery({
    queryKey: ["imports", ...key, csv],
    queryFn: ({ signal }) => check(signal),
    enabled: csv.trim() !== "",
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

type WhenExists = "create" | "append" | "replace";

export function PlaylistTable() {
  const [csv, setCsv] = useState("");
  const [when_exists, setWhenExists] = useState<WhenExists>("create");
  const [timezone, setTimezone] = useState(ownTimeZone);
  const body = { csv: useDebounced(csv, settleMs), when_exists, timezone, skip_faulty: true };
  const check = useChecked(["playlists", when_exists, timezone], body.csv, async (signal) => {
    const { data } = await client.post("/api/v1/playlists/import", { params: { query: { dry_run: "true" } }, body, signal });
    return data;
  });
  const importing = useAct({
    run: async () => (await client.post("/api/v1/playlists/import", { body })).data,
    changes: ["playlists"],
    toast: ({ playlists }) => ({ message: text("imported", { count: playlists.length }) }),
    showsErrors: true,
  });
  const rowsOf = (result: NonNullable<typeof check.data>, isDone: boolean): Found[] =>
    result.playlists.map(({ id, name, action, item_count }) => ({
      key: id,
      name: isDone ? (
        <Link to="/playlists/$id" params={{ id }}>
          {name}
        </Link>
      ) : (
        name
      ),
      note: `${text("items", { count: item_count })} · ${text(action)}`,
    }));
  const result = importing.data ?? check.data;
  return (
    <TableImport
      of="playlists"
      csv={csv}
      onCsv={(next) => {
        importing.reset();
        setCsv(next);
      }}
      isChecking={check.isFetching || body.csv !== csv}
      error={importing.error ?? check.error}
      matches={result === undefined ? null : rowsOf(result, importing.data !== undefined)}
      faults={result}
      isDone={importing.data !== undefined}
      isImporting={importing.isPending}
      onImport={() => importing.mutate()}
    >
      <div className="import-options wrap bottom gap-2-4">
        <Segments
          label={text("whenExists")}
          options={(["create", "append", "replace"] as const).map((id) => ({ id, name: text(id) }))}
          value={when_exists}
          onChange={setWhenExists}
        />
        <ComboBox label={text("zone")} choices={zones} value={timezone} onChange={(id) => setTimezone(id ?? ownTimeZone)} />
      </div>
    </TableImport>
  );
}

export function ScheduleTable() {
  const [csv, setCsv] = useState("");
  const body = { csv: useDebounced(csv, settleMs), skip_faulty: true };
  const check = useChecked(["schedules"], body.csv, async (signal) => {
    const { data } = await client.post("/api/v1/schedules/import", { params: { query: { dry_run: "true" } }, body, signal });
    return data;
  });
  const importing = useAct({
    run: async () => (await client.post("/api/v1/schedules/import", { body })).data,
    changes: ["schedules", "players"],
    toast: ({ schedules }) => ({ message: text("importedSchedules", { count: schedules.length }) }),
    showsErrors: true,
  });
  const result = importing.data ?? check.data;
  return (
    <TableImport
      of="schedules"
      csv={csv}
      onCsv={(next) => {
        importing.reset();
        setCsv(next);
      }}
      isChecking={check.isFetching || body.csv !== csv}
      error={importing.error ?? check.error}
      matches={result === undefined ? null : result.schedules.map(({ id, name, summary }) => ({ key: id, name, note: summary }))}
      faults={result}
      isDone={importing.data !== undefined}
      isImporting={importing.isPending}
      onImport={() => importing.mutate()}
    />
  );
}
