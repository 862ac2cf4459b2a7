// Webhooks: where a team has its events sent.
import { z } from "zod";
import { isFault } from "../../../base/fault.ts";
import type { Event } from "../../../protocol/operator/events.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { Delivery, NewWebhook, Webhook, WebhookChange, webhookPromise, WebhookWithSecret } from "../../../protocol/operator/webhooks.ts";
import { id } from "../../../protocol/common.ts";
import { pageOf } from "../../http/paging.ts";
import { invalidField } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";
import type { WebhookRow } from "../../store/event-tables.ts";
import { clearedHealth, webhookWarnings } from "../../events/webhooks/health.ts";
import { validSecrets, rotateSecrets } from "../../events/webhooks/secrets.ts";
import { change, found, NoContent, operation, type Operation, type OperatorContext, type Parts } from "../operation.ts";
import { showDelivery, webhookDeliveryOperations } from "./webhook-deliveries.ts";

// A name server that takes longer is told as such: nobody waits for it at a change.
const lookupLimitMs = 5_000;
const params = z.strictObject({ id: id("whk") });
const example = { name: "Status board", url: "https://hooks.example.com/signage", events: ["player.offline", "command.failed"] };

export const webhookOperations: readonly Operation[] = [
  operation({
    name: "createWebhook",
    tag: "webhooks",
    method: "POST",
    path: "/webhooks",
    summary: "Have events sent to an address",
    description: `By Standard Webhooks 1.0: verify \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` with the \`secret\`, which is shown this once. Answer 2xx within 15 s. Anything else is tried again, ten times over 75 hours; \`Retry-After\` is heeded; 410 disables the webhook; redirects are not followed. ${webhookPromise}

After an hour in which nothing arrived the event \`webhook.failing\` warns, at \`/events\` and to other webhooks; after five days the webhook is paused (\`webhook.paused\`). For one that has failed for an hour at most 10,000 deliveries wait.`,
    caller: "operator",
    scope: "webhooks:write",
    body: NewWebhook,
    example,
    status: 201,
    output: WebhookWithSecret,
    errors: ["invalid"],
    // Without the secret, as the webhook is read later.
    version: (webhook) => version(Webhook.parse(webhook)),
    async run(context, { body }) {
      const { parts, teamId } = context;
      await checkUrl(context, body.url);
      return change(context, async (db) => {
        const now = Math.trunc(parts.clock.now());
        const secrets = rotateSecrets({ secrets: "[]" }, now);
        const row: WebhookRow = {
          id: parts.makeId("whk"),
          team_id: teamId,
          name: body.name,
          url: body.url,
          events: JSON.stringify(body.events),
          secrets: JSON.stringify(secrets),
          ...clearedHealth,
          status: "enabled",
          last_success_at: null,
          created_at: now,
          updated_at: now,
        };
        await db.insertInto("webhooks").values(row).execute();
        return { result: { ...show(parts, row), secret: secrets[0]!.secret } };
      });
    },
  }),
  operation({
    name: "listWebhooks",
    tag: "webhooks",
    method: "GET",
    path: "/webhooks",
    summary: "List webhooks",
    description: "Newest first. `warnings` say what is wrong with each.",
    caller: "operator",
    scope: "webhooks:read",
    query: PageQuery,
    status: 200,
    output: page(Webhook),
    errors: ["invalid"],
    async run({ parts, teamId }, { query }) {
      const rows = parts.store.db.selectFrom("webhooks").selectAll().where("team_id", "=", teamId);
      return pageOf(rows, query, (row) => show(parts, row));
    },
  }),
  operation({
    name: "getWebhook",
    tag: "webhooks",
    method: "GET",
    path: "/webhooks/{id}",
    summary: "Read a webhook",
    description: "Its secrets show as hints.",
    caller: "operator",
    scope: "webhooks:read",
    params,
    status: 200,
    output: Webhook,
    errors: ["not-found"],
    version,
    run: (context, input) => read(context, input.params),
  }),
  operation({
    name: "updateWebhook",
    tag: "webhooks",
    method: "PATCH",
    path: "/webhooks/{id}",
    summary: "Change a webhook",
    description:
      "Disabling calls off what waits for it; `status: enabled` takes up again, also after a pause, with what happens from then on. What was missed within 24 hours is sent by `POST /webhooks/{id}/replay`.",
    caller: "operator",
    scope: "webhooks:write",
    params,
    body: WebhookChange,
    example: { events: ["*"] },
    status: 200,
    output: Webhook,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: async (context, given) => version(await read(context, given)),
    async run(context, { params: { id: webhookId }, body }) {
      const { parts, teamId } = context;
      if (body.url !== undefined) await checkUrl(context, body.url);
      return change(context, async (db) => {
        const row = found(await find(db, teamId, webhookId), "webhook");
        const isMended = (body.status ?? row.status) !== row.status || (body.url ?? row.url) !== row.url;
        // Another address gives no leave to send again what was paused.
        const { disabled_reason, paused_at, paused_reason } = body.status === undefined ? row : clearedHealth;
        const next: WebhookRow = {
          ...row,
          ...(isMended ? clearedHealth : {}),
          name: body.name ?? row.name,
          url: body.url ?? row.url,
          events: body.events === undefined ? row.events : JSON.stringify(body.events),
          status: body.status ?? row.status,
          disabled_reason,
          paused_at,
          paused_reason,
          updated_at: Math.trunc(parts.clock.now()),
        };
        await db.updateTable("webhooks").set(next).where("id", "=", row.id).execute();
        if (next.status === "disabled") await parts.deliveries.cancelAll(db, row.id);
        return { result: show(parts, next) };
      });
    },
  }),
  operation({
    name: "deleteWebhook",
    tag: "webhooks",
    method: "DELETE",
    path: "/webhooks/{id}",
    summary: "Delete a webhook",
    description: "With its deliveries.",
    caller: "operator",
    scope: "webhooks:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "precondition-failed"],
    current: async (context, given) => version(await read(context, given)),
    async run(context, { params: { id: webhookId } }) {
      await change(context, async (db) => {
        const row = found(await find(db, context.teamId, webhookId), "webhook");
        const its = db.selectFrom("webhook_deliveries").select("id").where("webhook_id", "=", row.id);
        await db.deleteFrom("webhook_attempts").where("delivery_id", "in", its).execute();
        await db.deleteFrom("webhook_deliveries").where("webhook_id", "=", row.id).execute();
        await db.deleteFrom("webhooks").where("id", "=", row.id).execute();
        return { result: undefined };
      });
    },
  }),
  operation({
    name: "rotateWebhookSecret",
    tag: "webhooks",
    method: "POST",
    path: "/webhooks/{id}/rotate",
    summary: "Give a webhook a new secret",
    description: "The new `secret` is shown this once. For 24 hours messages are signed with both, so that the receiver can change over.",
    caller: "operator",
    scope: "webhooks:write",
    params,
    status: 200,
    output: WebhookWithSecret,
    errors: ["not-found"],
    async run(context, { params: { id: webhookId } }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        const row = found(await find(db, teamId, webhookId), "webhook");
        const now = Math.trunc(parts.clock.now());
        const secrets = rotateSecrets(row, now);
        const next = { ...row, secrets: JSON.stringify(secrets), updated_at: now };
        await db.updateTable("webhooks").set(next).where("id", "=", row.id).execute();
        return { result: { ...show(parts, next), secret: secrets[0]!.secret } };
      });
    },
  }),
  operation({
    name: "testWebhook",
    tag: "webhooks",
    method: "POST",
    path: "/webhooks/{id}/test",
    summary: "Send a test event",
    description:
      "A `webhook.test` event to this webhook alone, whatever types it wants. How it went is in its delivery. Like all, it may come twice, under the same `webhook-id`.",
    agent: "Use it after creating or changing a webhook; then read how it went in list_webhook_deliveries.",
    caller: "operator",
    scope: "webhooks:write",
    params,
    status: 202,
    output: Delivery,
    errors: ["not-found", "invalid"],
    async run(context, { params: { id: webhookId } }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        const row = found(await find(db, teamId, webhookId), "webhook");
        if (row.status !== "enabled") throw invalidField("/status", `the webhook is ${row.status}: enable it first`);
        const event: Event = {
          id: parts.makeId("evt"),
          type: "webhook.test",
          created_at: new Date(parts.clock.now()).toISOString(),
          data: { webhook_id: row.id, name: row.name },
        };
        return { result: showDelivery(await parts.deliveries.add(db, teamId, row.id, event)) };
      });
    },
  }),
  ...webhookDeliveryOperations,
];

async function find(db: Db, teamId: string, webhookId: string): Promise<WebhookRow | undefined> {
  return db.selectFrom("webhooks").selectAll().where("team_id", "=", teamId).where("id", "=", webhookId).executeTakeFirst();
}

async function read({ parts, teamId }: OperatorContext, { id: webhookId }: { id: string }): Promise<Webhook> {
  return show(parts, found(await find(parts.store.db, teamId, webhookId), "webhook"));
}

/** Refuses an address that would not be called; each delivery looks again, at the address that it connects to. */
async function checkUrl({ parts: { clock, webhookHttp }, signal }: OperatorContext, url: string): Promise<void> {
  const over = new AbortController();
  const late = clock.wait(lookupLimitMs, AbortSignal.any([signal, over.signal])).then(
    () => over.abort(),
    () => undefined,
  );
  try {
    const checked = webhookHttp.checkUrl(url);
    // An https hostname is resolved only by each delivery: a rejection here would reveal which internal names exist.
    if (checked.protocol === "http:") await webhookHttp.checkAddresses(checked, AbortSignal.any([signal, over.signal]));
  } catch (error) {
    if (isFault(error, "refused")) throw invalidField("/url", error.message);
    throw error;
  } finally {
    over.abort();
    await late;
  }
}

/** What its ETag stands for: not how it fares, which changes with every delivery. */
function version({ last_success_at: _success, failing_since: _failing, warnings: _warnings, ...settled }: Webhook): unknown {
  return settled;
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function show(parts: Parts, row: WebhookRow): Webhook {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: JSON.parse(row.events) as Webhook["events"],
    status: row.status as Webhook["status"],
    disabled_reason: row.disabled_reason,
    last_success_at: iso(row.last_success_at),
    failing_since: iso(row.failing_since),
    paused_at: iso(row.paused_at),
    paused_reason: row.paused_reason,
    warnings: webhookWarnings(row, parts.clock.now()),
    secrets: validSecrets(row, parts.clock.now()).map(({ secret, expires_at }) => ({
      hint: secret.slice(-4),
      expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
    })),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
