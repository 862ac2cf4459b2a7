// The delivery log of a webhook, with ways to send something again.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../../data/client.ts";
import { usePagedList } from "../../../data/paged.ts";
import { useMay } from "../../../data/session.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import type { Column } from "../../../ui/card-table.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { PagedTable } from "../../../ui/paged-table.tsx";
import { Section } from "../../../ui/section.tsx";
import { Select } from "../../../ui/select.tsx";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { useReplay } from "./send-now.ts";
import { DeliveryBadge, type Delivery, type Webhook } from "./webhook-status.tsx";

const text = texts("webhooks");

const filters = ["every", "pending", "delivered", "failed", "cancelled"] as const;

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { status } = useSearch({ from: "/shell/team/webhooks/$id" });
  const navigate = useNavigate();
  const mayChange = useMay("webhooks:write");
  const [openDelivery, setOpenDelivery] = useState<Delivery | null>(null);
  const [isReplayingAll, setIsReplayingAll] = useState(false);
  const replaying = useReplay(webhook);
  const list = usePagedList(["webhooks", "deliveries", webhook.id, status], async (cursor) => {
    const query = { limit: 50, ...(status === undefined ? {} : { status }), ...(cursor === undefined ? {} : { cursor }) };
    return (await client.get("/api/v1/webhooks/{id}/deliveries", { params: { path: { id: webhook.id }, query } })).data;
  });
  const columns: readonly Column<Delivery>[] = [
    { name: text("event"), is: "main", cell: ({ type }) => <strong className="mono">{type}</strong> },
    { name: text("status"), cell: (delivery) => <DeliveryBadge status={delivery.status} /> },
    { name: text("result"), cell: (delivery) => resultOf(delivery) },
    { name: text("attempts"), cell: ({ attempts }) => attempts },
    {
      name: text("nextAttempt"),
      cell: ({ next_attempt_at }) => (next_attempt_at === null ? null : <Age time={next_attempt_at} />),
    },
    { name: text("time"), cell: ({ created_at }) => <Age time={created_at} /> },
    {
      name: text("actions"),
      isNameHidden: true,
      is: "actions",
      cell: (delivery) => (
        <>
          {mayChange && delivery.status !== "pending" ? (
            <Button
              size="small"
              aria-label={text("replayOf", { type: delivery.type })}
              isPending={replaying.isPending && replaying.variables.id === delivery.id}
              onPress={() => replaying.mutate(delivery)}
            >
              {text("replay")}
            </Button>
          ) : null}
          <Button
            kind="quiet"
            size="small"
            aria-label={text("detailsOf", { type: delivery.type, time: formatDateTime(new Date(delivery.created_at)) })}
            onPress={() => setOpenDelivery(delivery)}
          >
            {text("details")}
          </Button>
        </>
      ),
    },
  ];
  const empty =
    status === undefined ? (
      <EmptyState icon="broadcast" title={text("emptyDeliveriesTitle")} text={text("emptyDeliveriesText")} />
    ) : (
      <EmptyState icon="search" title={text("noneTitle")} text={text("noneText")} />
    );
  const actions = (
    <>
      <Select
        label={text("filter")}
        isLabelHidden
        options={filters.map((id) => ({ id, name: text(id) }))}
        selectedKey={status ?? "every"}
        onSelectionChange={(choice) =>
          void navigate({
            to: "/team/webhooks/$id",
            params: { id: webhook.id },
            search: { status: choice === "every" ? undefined : choice },
            replace: true,
          })
        }
      />
      {mayChange ? <Button onPress={() => setIsReplayingAll(true)}>{text("replayAll")}</Button> : null}
    </>
  );
  return (
    <Section title={text("deliveries")} text={text("deliveriesText")} actions={actions}>
      <PagedTable label={text("deliveries")} list={list} columns={columns} keyOf={({ id }) => id} empty={empty} />
      {openDelivery === null ? null : <DeliveryDialog webhook={webhook} delivery={openDelivery} onClose={() => setOpenDelivery(null)} />}
      {isReplayingAll ? <ReplayDialog webhook={webhook} onClose={() => setIsReplayingAll(false)} /> : null}
    </Section>
  );
}

/** The receiver's last answer, or the reason why it could not be reached. */
function resultOf({ last_response_status, last_error, attempts }: Delivery): string {
  if (last_response_status !== null) return text("statusCode", { status: last_response_status });
  return last_error ?? (attempts === 0 ? text("notYet") : "");
}
