// Alerts: the problems of screens, the people who take care of them, and the rules by which alerts are raised.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";
import { usePagedList } from "../../../data/paged.ts";
import { useMay, useSession } from "../../../data/session.ts";
import { useAct } from "../../../data/use-act.ts";
import { readable } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import type { Column } from "../../../ui/card-table.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { PagedTable } from "../../../ui/paged-table.tsx";
import { Section } from "../../../ui/section.tsx";
import { Select } from "../../../ui/select.tsx";
import { AlertSettings } from "./alert-settings.tsx";
import { kinds } from "./kinds.ts";
import "./alerts.css";

const text = texts("alerts");

type Alert = Schemas["Alert"];

export function AlertsPage() {
  const { team } = useSession();
  const mayChange = useMay("players:write");
  const { kind, state = "open" } = useSearch({ from: "/shell/team/alerts" });
  const navigate = useNavigate();
  const search = (change: { kind: Alert["kind"] | undefined; state: "closed" | undefined }): void =>
    void navigate({ to: "/team/alerts", search: change, replace: true });
  const list = usePagedList(
    ["alerts", team.id, state, kind],
    async (cursor) => {
      const query = { limit: 50, state, ...(kind === undefined ? {} : { kind }), ...(cursor === undefined ? {} : { cursor }) };
      return (await client.get("/api/v1/alerts", { params: { query } })).data;
    },
    { isKeptFresh: true },
  );
  const acknowledging = useAct({
    run: ({ id }: Alert) => client.post("/api/v1/alerts/{id}/acknowledge", { params: { path: { id } } }),
    changes: ["alerts", "audit"],
    toast: (_result, { player_name }) => ({ message: text("acknowledged", { name: player_name }) }),
  });
  const columns: readonly Column<Alert>[] = [
    {
      name: text("screen"),
      is: "main",
      cell: ({ player_id, player_name, site }) => (
        <span className="person-names">
          <Link to="/screens/$id" params={{ id: player_id }} className="team-link inline-row tap bold">
            {player_name}
          </Link>
          {site === null ? null : <span className="faint small">{site}</span>}
        </span>
      ),
    },
    {
      name: text("what"),
      is: "text",
      cell: (alert) => (
        <div className="alert-what wrap top">
          <span className="badge" data-kind={alert.kind === "dark" || alert.kind === "wrong" ? "bad" : "warn"}>
            {text(alert.kind)}
          </span>
          <span>
            {readable(alert.detail)}
            {alert.state === "open" ? <span className="faint small block">{readable(alert.remedy)}</span> : null}
          </span>
        </div>
      ),
    },
    { name: text("since"), cell: ({ since }) => <Age time={since} /> },
    state === "open"
      ? {
          name: text("care"),
          is: "text",
          cell: ({ acknowledged_by }) => acknowledged_by?.name ?? <span className="faint">{text("nobody")}</span>,
        }
      : {
          name: text("until"),
          cell: ({ closed_at, close_reason }) => (
            <>
              {closed_at === null ? null : <Age time={closed_at} />}
              {close_reason === null ? null : <span className="faint small block">{text(close_reason)}</span>}
            </>
          ),
        },
  ];
  const actions: Column<Alert> = {
    name: text("actions"),
    isNameHidden: true,
    is: "actions",
    cell: (alert) =>
      alert.acknowledged_at === null ? (
        <Button
          size="small"
          aria-label={text("acknowledgeFor", { name: alert.player_name })}
          isPending={acknowledging.isPending && acknowledging.variables.id === alert.id}
          onPress={() => acknowledging.mutate(alert)}
        >
          {text("acknowledge")}
        </Button>
      ) : null,
  };
  const empty =
    kind !== undefined ? (
      <EmptyState icon="search" title={text("noneTitle")} text={text("noneText")} />
    ) : state === "open" ? (
      <EmptyState icon="check" title={text("emptyTitle")} text={text("emptyText")} />
    ) : (
      <EmptyState icon="clock" title={text("emptyClosedTitle")} text={text("emptyClosedText")} />
    );
  return (
    <>
      <Section title={text("title")} text={text("intro")}>
        <search className="filters wrap bottom gap-3">
          <Select
            label={text("shown")}
            options={[
              { id: "open", name: text("open") },
              { id: "closed", name: text("closed") },
            ]}
            selectedKey={state}
            onSelectionChange={(choice) => search({ kind, state: choice === "closed" ? choice : undefined })}
          />
          <Select
            label={text("kind")}
            options={[{ id: "all" as const, name: text("allKinds") }, ...kinds.map((id) => ({ id, name: text(id) }))]}
            selectedKey={kind ?? "all"}
            onSelectionChange={(choice) =>
              search({ kind: choice === "all" ? undefined : choice, state: state === "closed" ? state : undefined })
            }
          />
        </search>
        <PagedTable
          label={text("title")}
          list={list}
          columns={mayChange && state === "open" ? [...columns, actions] : columns}
          keyOf={({ id }) => id}
          empty={empty}
        />
      </Section>
      <AlertSettings />
    </>
  );
}
