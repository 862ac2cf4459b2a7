// The webhooks of the team.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../../data/client.ts";
import { usePagedList } from "../../../data/paged.ts";
import { useMay, useSession } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import type { Column } from "../../../ui/card-table.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { PagedTable } from "../../../ui/paged-table.tsx";
import { Section } from "../../../ui/section.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { eventsText, WebhookStatus, type Webhook } from "./webhook-status.tsx";
import "./webhooks.css";

const text = texts("webhooks");

const columns: readonly Column<Webhook>[] = [
  {
    name: text("name"),
    is: "main",
    cell: ({ id, name, url }) => (
      <span className="person-names">
        <Link to="/team/webhooks/$id" params={{ id }} className="team-link inline-row tap bold">
          {name}
        </Link>
        <span className="faint mono">{url}</span>
      </span>
    ),
  },
  { name: text("status"), cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  { name: text("events"), cell: ({ events }) => eventsText(events) },
  {
    name: text("lastSuccess"),
    cell: ({ last_success_at }) =>
      last_success_at === null ? <span className="faint">{text("never")}</span> : <Age time={last_success_at} />,
  },
];

export function WebhooksPage() {
  const { team } = useSession();
  const mayChange = useMay("webhooks:write");
  const [isAdding, setIsAdding] = useState(false);
  const list = usePagedList(["webhooks", team.id], async (cursor) => {
    const query = { limit: 50, ...(cursor === undefined ? {} : { cursor }) };
    return (await client.get("/api/v1/webhooks", { params: { query } })).data;
  });
  const add = mayChange ? (
    <Button kind="primary" onPress={() => setIsAdding(true)}>
      <Icon name="plus" />
      {text("create")}
    </Button>
  ) : undefined;
  const empty = <EmptyState icon="broadcast" title={text("emptyTitle")} text={text("emptyText")} />;
  return (
    <Section title={text("title")} text={text("intro")} actions={add}>
      <PagedTable label={text("title")} list={list} columns={columns} keyOf={({ id }) => id} empty={empty} />
      {isAdding ? <WebhookDialog webhook={null} onClose={() => setIsAdding(false)} /> : null}
    </Section>
  );
}
