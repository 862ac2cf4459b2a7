// One webhook: whether it works, its settings, and its deliveries.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../../data/client.ts";
import { useMay } from "../../../data/session.ts";
import { useAct } from "../../../data/use-act.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { MenuButton } from "../../../ui/menu-button.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { Section } from "../../../ui/section.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { Deliveries } from "./deliveries.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { useTest } from "./send-now.ts";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { eventsText, WebhookStatus, type Webhook } from "./webhook-status.tsx";
import "./webhooks.css";

const text = texts("webhooks");

export function WebhookPage() {
  const { id } = useParams({ from: "/shell/team/webhooks/$id" });
  const { data: webhook, error } = useQuery({
    queryKey: ["webhooks", "one", id],
    queryFn: async () => (await client.get("/api/v1/webhooks/{id}", { params: { path: { id } } })).data,
    staleTime: 0,
  });
  return (
    <>
      <p>
        <Link to="/team/webhooks" className="team-link inline-row tap">
          {text("back")}
        </Link>
      </p>
      <ProblemMessage error={error} />
      {webhook === undefined ? null : <WebhookView key={webhook.id} webhook={webhook} />}
    </>
  );
}

function WebhookView({ webhook }: { webhook: Webhook }) {
  const mayChange = useMay("webhooks:write");
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"edit" | "rotate" | "delete" | null>(null);
  const close = (): void => setDialog(null);
  const path = { path: { id: webhook.id } };
  const testing = useTest(webhook);
  const [newSecret, setNewSecret] = useState<string | null>(null);
  const rotating = useAct({
    run: async () => (await client.post("/api/v1/webhooks/{id}/rotate", { params: path })).data,
    changes: ["webhooks", "audit"],
    after: ({ secret }) => setNewSecret(secret),
    showsErrors: true,
  });
  const deleting = useAct({
    run: () => client.delete("/api/v1/webhooks/{id}", { params: path }),
    changes: ["audit"],
    toast: () => ({ message: text("deleted", { name: webhook.name }) }),
    after: () => void navigate({ to: "/team/webhooks" }),
    showsErrors: true,
  });
  const actions = (
    <>
      <Button isPending={testing.isPending} isDisabled={webhook.status !== "enabled"} onPress={() => testing.mutate()}>
        {text(testing.isPending ? "testing" : "test")}
      </Button>
      <Button onPress={() => setDialog("edit")}>{text("edit")}</Button>
      <MenuButton
        label={text("moreFor", { name: webhook.name })}
        actions={[
          { name: text("rotate"), run: () => setDialog("rotate") },
          { name: text("delete"), kind: "danger", run: () => setDialog("delete") },
        ]}
      />
    </>
  );
  return (
    <>
      <Section title={webhook.name} actions={mayChange ? actions : undefined}>
        <div className="card webhook-card stack gap-4">
          <dl className="facts stack gap-2">
            <div>
              <dt className="faint">{text("status")}</dt>
              <dd className="break-words cluster gap-2-4">
                <WebhookStatus webhook={webhook} />
                {mayChange ? <StatusSwitch webhook={webhook} /> : null}
              </dd>
            </div>
            <div>
              <dt className="faint">{text("url")}</dt>
              <dd className="mono break-words">{webhook.url}</dd>
            </div>
            <div>
              <dt className="faint">{text("events")}</dt>
              <dd className="break-words">{eventsText(webhook.events)}</dd>
            </div>
            <div>
              <dt className="faint">{text("lastSuccess")}</dt>
              <dd className="break-words">{webhook.last_success_at === null ? text("never") : <Age time={webhook.last_success_at} />}</dd>
            </div>
            <div>
              <dt className="faint">{text("secret")}</dt>
              <dd className="break-words">
                {webhook.secrets.map(({ hint, expires_at }) => (
                  <div key={hint}>
                    {expires_at === null
                      ? text("secretHint", { hint })
                      : text("secretUntil", { hint, time: formatDateTime(new Date(expires_at)) })}
                  </div>
                ))}
              </dd>
            </div>
          </dl>
          {webhook.disabled_reason === null ? null : <p className="faint">{webhook.disabled_reason}</p>}
          {webhook.warnings.map(({ code, detail, remedy }) => (
            <div key={code} className="problem">
              <Icon name="warning" />
              <div>
                <p>{detail}</p>
                <p>{remedy}</p>
              </div>
            </div>
          ))}
        </div>
      </Section>
      <Deliveries webhook={webhook} />
      {dialog === "edit" ? <WebhookDialog webhook={webhook} onClose={close} /> : null}
      {newSecret === null ? null : <SecretDialog title={text("rotatedTitle")} secret={newSecret} onClose={() => setNewSecret(null)} />}
      <ConfirmDialog
        title={text("rotateTitle")}
        action={text("rotate")}
        isOpen={dialog === "rotate"}
        onClose={close}
        run={() => rotating.mutateAsync()}
      >
        <p>{text("rotateText")}</p>
      </ConfirmDialog>
      <ConfirmDialog
        title={text("deleteTitle", { name: webhook.name })}
        action={text("delete")}
        isOpen={dialog === "delete"}
        onClose={close}
        run={() => deleting.mutateAsync()}
      >
        <p>{text("deleteText", { url: webhook.url })}</p>
      </ConfirmDialog>
    </>
  );
}

/** Switches the webhook on or off. Off cancels waiting deliveries. */
function StatusSwitch({ webhook: { id, name, status } }: { webhook: Webhook }) {
  const switching = useAct({
    run: (isOn: boolean) =>
      client.patch("/api/v1/webhooks/{id}", { params: { path: { id } }, body: { status: isOn ? "enabled" : "disabled" } }),
    changes: ["webhooks", "audit"],
    toast: (_result, isOn) => ({ message: text(isOn ? "switchedOn" : "switchedOff", { name }) }),
  });
  return (
    <Switch isSelected={status === "enabled"} isDisabled={switching.isPending} onChange={(isOn) => switching.mutate(isOn)}>
      {text("switchOn")}
    </Switch>
  );
}
