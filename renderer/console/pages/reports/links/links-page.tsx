// The links by which people without an account read reports: until when, how often they were opened, and their end.
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";
import { usePagedList } from "../../../data/paged.ts";
import { useMay, useSession } from "../../../data/session.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import type { Column } from "../../../ui/card-table.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { PagedTable } from "../../../ui/paged-table.tsx";
import { showToast } from "../../../ui/toasts.tsx";
import { kindInWords, periodInWords } from "./link-content.ts";

const text = texts("reports");

type ReportLink = Schemas["ReportLink"];
const statusKinds = { active: "good", expired: "off", revoked: "off" } as const;

export function LinksPage() {
  const { team } = useSession();
  const queries = useQueryClient();
  const mayEnd = useMay("report_links:write");
  const [ending, setEnding] = useState<ReportLink | null>(null);
  const list = usePagedList<ReportLink>(["report-links", team.id], async (cursor) => {
    const query = { limit: 50, ...(cursor === undefined ? {} : { cursor }) };
    return (await client.get("/api/v1/report-links", { params: { query } })).data;
  });
  const columns: readonly Column<ReportLink>[] = [
    {
      name: text("linkName"),
      is: "main",
      cell: ({ name, hint }) => (
        <span className="break-words">
          <strong>{name}</strong> <span className="faint mono">{text("hint", { hint })}</span>
        </span>
      ),
    },
    {
      name: text("linkStatus"),
      cell: ({ status }) => (
        <span className="badge" data-kind={statusKinds[status]}>
          {text(status)}
        </span>
      ),
    },
    {
      name: text("content"),
      is: "text",
      cell: ({ report }) => (
        <>
          {kindInWords(report)}
          <br />
          <span className="faint">{periodInWords(report)}</span>
        </>
      ),
    },
    { name: text("until"), cell: ({ expires_at, revoked_at }) => formatDateTime(new Date(revoked_at ?? expires_at)) },
    {
      name: text("opened"),
      cell: ({ opened_count: count, last_opened_at: last }) =>
        last === null ? text("neverOpened") : text.rich("openedTimes", { count, time: <Age key="time" time={last} /> }),
    },
    {
      name: text("actions"),
      isNameHidden: true,
      is: "actions",
      cell: (link) =>
        mayEnd && link.status === "active" ? (
          <Button size="small" aria-label={text("endNamed", { name: link.name })} onPress={() => setEnding(link)}>
            {text("end")}
          </Button>
        ) : null,
    },
  ];
  const empty = (
    <EmptyState icon="link" title={text("linksEmptyTitle")} text={text("linksEmptyText")}>
      <Link to="/reports/plays" search className="button">
        {text("toPlays")}
      </Link>
    </EmptyState>
  );
  return (
    <div className="stack gap-4 shrink">
      <p className="soft">{text("linksText")}</p>
      <PagedTable label={text("links")} list={list} columns={columns} keyOf={({ id }) => id} empty={empty} />
      {ending === null ? null : (
        <ConfirmDialog
          isOpen
          title={text("endTitle", { name: ending.name })}
          action={text("end")}
          onClose={() => setEnding(null)}
          run={async () => {
            await client.post("/api/v1/report-links/{id}/revoke", { params: { path: { id: ending.id } } });
            showToast({ message: text("ended", { name: ending.name }) });
            await queries.invalidateQueries({ queryKey: ["report-links"] });
          }}
        >
          <p>{text("endText")}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
