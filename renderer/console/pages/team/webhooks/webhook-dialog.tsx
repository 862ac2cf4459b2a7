// Adds or changes a webhook; a new one then shows its secret, once.
import { useState } from "react";
import { client } from "../../../data/client.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { formOf } from "../../../ui/form.ts";
import { TextField } from "../../../ui/text-field.tsx";
import { EventField } from "./event-field.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import type { Webhook } from "./webhook-status.tsx";

const text = texts("webhooks");
const words = texts("common");

/** @param webhook to change; null: a new one */
export function WebhookDialog({ webhook, onClose }: { webhook: Webhook | null; onClose: () => void }) {
  const [name, setName] = useState(webhook?.name ?? "");
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState<Webhook["events"]>(webhook?.events ?? ["*"]);
  const [secret, setSecret] = useState<string | null>(null);
  const [isIncomplete, setIsIncomplete] = useState(false);
  const saving = useAct({
    run: async () => {
      const body = { name: name.trim(), url: url.trim(), events };
      if (webhook === null) return (await client.post("/api/v1/webhooks", { body })).data.secret;
      await client.patch("/api/v1/webhooks/{id}", { params: { path: { id: webhook.id } }, body });
      return null;
    },
    changes: ["webhooks", "audit"],
    after: (newSecret) => (newSecret === null ? onClose() : setSecret(newSecret)),
    showsErrors: true,
  });
  if (secret !== null) return <SecretDialog title={text("createdTitle", { name: name.trim() })} secret={secret} onClose={onClose} />;
  const form = formOf(saving, ["name", "url"], () => {
    setIsIncomplete(events.length === 0);
    if (events.length > 0) saving.mutate();
  });
  const isNew = webhook === null;
  return (
    <FormDialog title={text(isNew ? "create" : "editTitle")} action={isNew ? text("create") : words("save")} form={form} onClose={onClose}>
      <TextField
        label={text("name")}
        description={text("nameHint")}
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        maxLength={200}
        error={form.errors.name}
      />
      <TextField
        label={text("url")}
        description={text("urlHint")}
        type="url"
        value={url}
        onChange={setUrl}
        isRequired
        maxLength={2_000}
        error={form.errors.url}
      />
      <EventField value={events} onChange={setEvents} />
      {isIncomplete && events.length === 0 ? (
        <p className="field-error" role="alert">
          {text("chooseOne")}
        </p>
      ) : null}
    </FormDialog>
  );
}
