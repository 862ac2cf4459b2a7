// The subject of a report: its period, its time zone, and its limit.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { client } from "../../data/client.ts";
import { layoutNamesQuery } from "../../data/layout-names.ts";
import { useRoster } from "../../data/roster.ts";
import type { MessageKey } from "../../i18n/catalogue.ts";
import { texts } from "../../i18n/texts.ts";
import { ComboBox, type Choice } from "../../ui/combo-box.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import { LongComboBox } from "../../ui/long-combo-box.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useIsPhone } from "../../ui/use-media.ts";
import { customDays, zoneOf } from "./period.ts";
import { limitFor, limits, limitsOf, periods, type Limit, type Period, type ReportKind, type ReportSearch } from "./search.ts";

const text = texts("reports");
const everything = "everything";
const limitNames = {
  player_id: "onlyPlayer",
  tag: "onlyTag",
  layout_id: "onlyLayout",
  schedule_id: "onlySchedule",
  asset_id: "onlyAsset",
} as const satisfies Record<Limit, MessageKey<"reports">>;
const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((id) => id !== "UTC")].map((id) => ({ id, name: id }));

interface FiltersProps {
  kind: ReportKind;
  search: ReportSearch;
  nowMs: number;
  onChange: (change: Partial<ReportSearch>) => void;
}

/** On a phone they are folded, and their button names the choices. */
export function Filters({ kind, search, nowMs, onChange }: FiltersProps) {
  const isPhone = useIsPhone();
  const { period = "last30" } = search;
  const days = customDays(search, nowMs);
  const limit = limitFor(kind, search);
  const limitName = limits.find((each) => search[each] !== undefined && limitsOf[kind].includes(each)) ?? null;
  const limitTo = (by: Limit | null, id: string | undefined): void => {
    const none = Object.fromEntries(limits.map((each) => [each, undefined])) as Partial<ReportSearch>;
    onChange({ ...none, ...(by === null ? {} : { [by]: id }) });
  };
  const summary = [text(period), text(limitName === null ? everything : limitNames[limitName]), zoneOf(search)].join(" · ");
  const fields = (
    <div className="report-filters grid bottom gap-3">
      <Select<Period>
        label={text("period")}
        options={periods.map((id) => ({ id, name: text(id) }))}
        selectedKey={period}
        onSelectionChange={(next) =>
          onChange(next === "custom" ? { period: next, ...days } : { period: next, from: undefined, to: undefined })
        }
      />
      {period === "custom" ? (
        <>
          <TextField label={text("from")} type="date" value={days.from} onChange={(from) => onChange({ from: from || undefined })} />
          <TextField label={text("to")} type="date" value={days.to} onChange={(to) => onChange({ to: to || undefined })} />
        </>
      ) : null}
      <Only kind={kind} limit={limitName} id={limit?.id ?? null} onChange={limitTo} />
      <ComboBox label={text("zone")} choices={zones} value={zoneOf(search)} onChange={(zone) => onChange({ zone: zone ?? undefined })} />
    </div>
  );
  return (
    <search className="card report-search" aria-label={text("filters")}>
      {isPhone ? (
        <Disclosure title={summary} level={2}>
          {fields}
        </Disclosure>
      ) : (
        fields
      )}
    </search>
  );
}

interface OnlyProps {
  kind: ReportKind;
  limit: Limit | null;
  id: string | null;
  onChange: (by: Limit | null, id: string | undefined) => void;
}

function Only({ kind, limit, id, onChange }: OnlyProps) {
  const [first, setFirst] = useState<Limit | null>(null);
  const by = limit ?? first;
  return (
    <>
      <Select<Limit | typeof everything>
        label={text("only")}
        options={[
          { id: everything, name: text("everything") },
          ...limitsOf[kind].map((each) => ({ id: each, name: text(limitNames[each]) })),
        ]}
        selectedKey={by ?? everything}
        onSelectionChange={(next) => {
          setFirst(next === everything ? null : next);
          if (limit !== null) onChange(null, undefined);
        }}
      />
      {by === null ? null : <Which key={by} by={by} id={id} onChange={(next) => onChange(next === null ? null : by, next ?? undefined)} />}
    </>
  );
}

function Which({ by, id, onChange }: { by: Limit; id: string | null; onChange: (id: string | null) => void }) {
  const { rows } = useRoster();
  const { data: layouts } = useQuery({ ...layoutNamesQuery, enabled: by === "layout_id" });
  const { data: schedules } = useQuery({ ...scheduleNamesQuery, enabled: by === "schedule_id" });
  const { data: assets } = useQuery({ ...assetNamesQuery, enabled: by === "asset_id" });
  const own = useMemo((): readonly Choice[] | undefined => {
    switch (by) {
      case "player_id":
        return rows.map((row) => ({ id: row.id, name: row.name }));
      case "tag":
        return [...new Set(rows.flatMap(({ tags }) => tags))].toSorted().map((tag) => ({ id: tag, name: tag }));
      case "layout_id":
        return layouts;
      case "schedule_id":
        return schedules;
      case "asset_id":
        return assets;
    }
  }, [by, rows, layouts, schedules, assets]);
  // A field whose choices come later would not show the one that the address names.
  if (own === undefined || own.length === 0) return null;
  return <LongComboBox label={text("which")} choices={own} value={id} onChange={onChange} placeholder={text("choose")} />;
}

const scheduleNamesQuery = queryOptions({
  queryKey: ["schedules", "names"],
  queryFn: async () => {
    const names: Choice[] = [];
    for await (const { id, name } of client.pages("/api/v1/schedules", { params: { query: { limit: 100 } } })) names.push({ id, name });
    return names.toSorted((one, other) => one.name.localeCompare(other.name));
  },
});

const assetNamesQuery = queryOptions({
  queryKey: ["assets", "names"],
  queryFn: async () => {
    const names: Choice[] = [];
    for await (const { id, name } of client.pages("/api/v1/assets", { params: { query: { limit: 100 } } })) names.push({ id, name });
    return names.toSorted((one, other) => one.name.localeCompare(other.name));
  },
});
