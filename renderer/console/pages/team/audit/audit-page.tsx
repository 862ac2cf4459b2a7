// The audit log: whether its chain holds, and its entries with filters in the address.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";
import { useMembers } from "../../../data/members.ts";
import { usePagedList } from "../../../data/paged.ts";
import { useSession } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import type { Column } from "../../../ui/card-table.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { PagedTable } from "../../../ui/paged-table.tsx";
import { Section } from "../../../ui/section.tsx";
import type { AuditSearch } from "../routes.ts";
import { actionName } from "./action-name.ts";
import { AuditFilters } from "./audit-filters.tsx";
import { ChainStatus } from "./chain-status.tsx";
import { EntryDialog } from "./entry-dialog.tsx";
import "./audit.css";

const text = texts("audit");

type Entry = Schemas["AuditEntry"];

export function AuditPage() {
  const { team } = useSession();
  const { user, action, resource } = useSearch({ from: "/shell/team/audit" });
  const navigate = useNavigate();
  const { nameOf } = useMembers();
  const [openEntry, setOpenEntry] = useState<Entry | null>(null);
  const list = usePagedList(["audit", team.id, { user, action, resource }], async (cursor) => {
    const query = {
      limit: 50,
      ...(user === undefined ? {} : { user_id: user }),
      ...(action === undefined ? {} : { action }),
      ...(resource === undefined ? {} : { resource_id: resource }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    return (await client.get("/api/v1/audit", { params: { query } })).data;
  });
  const search = (change: AuditSearch): void => void navigate({ to: "/team/audit", search: change, replace: true });
  const columns: readonly Column<Entry>[] = [
    { name: text("what"), is: "main", cell: (entry) => <strong className="audit-what">{actionName(entry.action)}</strong> },
    { name: text("who"), is: "text", cell: ({ user_id }) => nameOf(user_id) },
    { name: text("when"), cell: ({ created_at }) => <Age time={created_at} /> },
    { name: text("resource"), cell: ({ resource_id }) => (resource_id === null ? null : <span className="mono">{resource_id}</span>) },
    { name: text("address"), cell: ({ address }) => <span className="mono">{address}</span> },
    {
      name: text("details"),
      isNameHidden: true,
      is: "actions",
      cell: (entry) => (
        <Button kind="quiet" size="small" aria-label={text("detailsOf", { seq: entry.seq })} onPress={() => setOpenEntry(entry)}>
          {text("details")}
        </Button>
      ),
    },
  ];
  const isFiltered = user !== undefined || action !== undefined || resource !== undefined;
  const empty = isFiltered ? (
    <EmptyState icon="search" title={text("nothingTitle")} text={text("nothingText")}>
      <Button onPress={() => search({})}>{text("clear")}</Button>
    </EmptyState>
  ) : (
    <EmptyState icon="activity" title={text("emptyTitle")} text={text("emptyText")} />
  );
  return (
    <Section title={text("title")} text={text("intro")}>
      <ChainStatus />
      <AuditFilters value={{ user, action, resource }} onChange={search} />
      <PagedTable label={text("title")} list={list} columns={columns} keyOf={({ id }) => id} empty={empty} />
      {openEntry === null ? null : <EntryDialog entry={openEntry} person={nameOf(openEntry.user_id)} onClose={() => setOpenEntry(null)} />}
    </Section>
  );
}
