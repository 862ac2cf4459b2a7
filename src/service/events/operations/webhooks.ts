// Operations for webhooks, which send a team's events to a URL.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import type { OutboundHttp } from "../../../base/http/outbound-http.ts";
import { id } from "../../../protocol/common.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { NewWebhook, Webhook, WebhookChange, deliveryGuarantees, WebhookWithSecret } from "../../../protocol/operator/webhooks.ts";
import type { Deliveries } from "../webhooks/deliveries.ts";
import { clearedHealth } from "../webhooks/health.ts";
import { rotateSecrets } from "../webhooks/secrets.ts";
import { checkWebhookUrl } from "../webhooks/webhook-url.ts";
import { findWebhook, showWebhook } from "../webhooks/webhook-resource.ts";
import { pageOf } from "../../http/paging.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { webhookDeliveryOperations } from "./webhook-deliveries.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import type { WebhookRow } from "../../store/tables/events.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Store } from "../../store/store.ts";
import { insertTeamRow, selectTeamRows, updateTeamRow } from "../../store/tables/team-rows.ts";
import { deleteWebhooks } from "../webhooks/store.ts";

interface WebhookDependencies {
  closing: AbortSignal;
  clock: Clock;
  deliveries: Deliveries;
  makeId: MakeId;
  nodes: Nodes;
  store: Store;
  webhookHttp: OutboundHttp;
}

const params = z.strictObject({ id: id("whk") });
const example = { name: "Status board", url: "https://hooks.example.com/signage", events: ["player.offline", "command.failed"] };

const operation = operationsWith<WebhookDependencies>();

export const webhookOperations: readonly Operation<WebhookDependencies>[] = [
  operation({
    name: "createWebhook",
    tag: "webhooks",
    method: "POST",
    path: "/webhooks",
    summary: "Create a webhook",
    description: `Sends events to a URL, as in Standard Webhooks 1.0: verify \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` with the \`secret\`, which is shown only once. Respond with 2xx within 15 s. Other deliveries are retried: ten attempts finished 75 hours. \`Retry-After\` is honoured; 410 disables the webhook; redirects are not followed. ${deliveryGuarantees}

If no delivery succeeds for an hour, the event \`webhook.failing\` is sent at \`/events\` and to other webhooks; after five days the webhook is paused (\`webhook.paused\`). A webhook that has failed for an hour has at most 10,000 pending deliveries.`,
    caller: "operator",
    scope: "webhooks:write",
    body: NewWebhook,
    example,
    status: 201,
    output: WebhookWithSecret,
    errors: ["invalid"],
    // The ETag does not cover the secret, since later reads do not return it.
    version: (webhook) => version(Webhook.parse(webhook)),
    async run(dependencies, context, { body }, unitOfWork) {
      const { teamId } = context;
      await checkWebhookUrl(dependencies, body.url, context.signal);
      return unitOfWork.write(async (db) => {
        const now = Math.trunc(dependencies.clock.now());
        const secrets = rotateSecrets({ secrets: "[]" }, now);
        const row: WebhookRow = {
          id: dependencies.makeId("whk"),
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
        await insertTeamRow(db, "webhooks", row);
        return { result: { ...showWebhook(row, now), secret: secrets[0]!.secret } };
      });
    },
  }),
  operation({
    name: "listWebhooks",
    tag: "webhooks",
    method: "GET",
    path: "/webhooks",
    summary: "List webhooks",
    description: "Newest first. `warnings` lists what is wrong with each.",
    caller: "operator",
    scope: "webhooks:read",
    query: PageQuery,
    status: 200,
    output: page(Webhook),
    errors: ["invalid"],
    run: ({ clock, store }, { teamId }, { query }) =>
      pageOf(selectTeamRows(store.db, "webhooks", teamId), query, (row) => showWebhook(row, clock.now())),
  }),
  operation({
    name: "getWebhook",
    tag: "webhooks",
    method: "GET",
    path: "/webhooks/{id}",
    summary: "Read a webhook",
    description: "Its secrets are shown as hints only.",
    caller: "operator",
    scope: "webhooks:read",
    params,
    status: 200,
    output: Webhook,
    errors: ["not-found"],
    version,
    run: (dependencies, context, input) => read(dependencies, context, input.params),
  }),
  operation({
    name: "updateWebhook",
    tag: "webhooks",
    method: "PATCH",
    path: "/webhooks/{id}",
    summary: "Change a webhook",
    description:
      "Disabling it cancels its pending deliveries. `status: enabled` resumes it, also after a pause, with new events only. `POST /webhooks/{id}/replay` sends the events missed within the last 24 hours.",
    caller: "operator",
    scope: "webhooks:write",
    params,
    body: WebhookChange,
    example: { events: ["*"] },
    status: 200,
    output: Webhook,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: async (dependencies, context, given) => version(await read(dependencies, context, given)),
    async run(dependencies, context, { params: { id: webhookId }, body }, unitOfWork) {
      const { teamId } = context;
      if (body.url !== undefined) await checkWebhookUrl(dependencies, body.url, context.signal);
      return unitOfWork.write(async (db) => {
        const row = await findWebhook(db, teamId, webhookId);
        const isReset = (body.status ?? row.status) !== row.status || (body.url ?? row.url) !== row.url;
        // A new URL alone does not resume a paused webhook.
        const { disabled_reason, paused_at, paused_reason } = body.status === undefined ? row : clearedHealth;
        const next: WebhookRow = {
          ...row,
          ...(isReset ? clearedHealth : {}),
          name: body.name ?? row.name,
          url: body.url ?? row.url,
          events: body.events === undefined ? row.events : JSON.stringify(body.events),
          status: body.status ?? row.status,
          disabled_reason,
          paused_at,
          paused_reason,
          updated_at: Math.trunc(dependencies.clock.now()),
        };
        await updateTeamRow(db, "webhooks", row.id, next);
        if (next.status === "disabled") await dependencies.deliveries.cancelAll(db, row.id);
        return { result: showWebhook(next, dependencies.clock.now()) };
      });
    },
  }),
  operation({
    name: "deleteWebhook",
    tag: "webhooks",
    method: "DELETE",
    path: "/webhooks/{id}",
    summary: "Delete a webhook",
    description: "Also deletes its deliveries.",
    caller: "operator",
    scope: "webhooks:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "precondition-failed"],
    current: async (dependencies, context, given) => version(await read(dependencies, context, given)),
    async run(_dependencies, context, { params: { id: webhookId } }, unitOfWork) {
      await unitOfWork.write(async (db) => {
        const row = await findWebhook(db, context.teamId, webhookId);
        await deleteWebhooks(db, { webhookId: row.id });
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
    description:
      "The new `secret` is shown only once. For 24 hours messages are signed with both secrets, so that the receiver can switch.",
    caller: "operator",
    scope: "webhooks:write",
    session: { proof: true },
    params,
    status: 200,
    output: WebhookWithSecret,
    errors: ["not-found"],
    async run(dependencies, { teamId }, { params: { id: webhookId } }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const row = await findWebhook(db, teamId, webhookId);
        const now = Math.trunc(dependencies.clock.now());
        const secrets = rotateSecrets(row, now);
        const next = { ...row, secrets: JSON.stringify(secrets), updated_at: now };
        await updateTeamRow(db, "webhooks", row.id, next);
        return { result: { ...showWebhook(next, now), secret: secrets[0]!.secret } };
      });
    },
  }),
  ...webhookDeliveryOperations,
];

async function read(dependencies: WebhookDependencies, { teamId }: OperatorContext, { id: webhookId }: { id: string }): Promise<Webhook> {
  return showWebhook(await findWebhook(dependencies.store.db, teamId, webhookId), dependencies.clock.now());
}

/** The part that the ETag covers: not the delivery status, which changes with every delivery. */
function version({ last_success_at: _success, failing_since: _failing, warnings: _warnings, ...settled }: Webhook): unknown {
  return settled;
}
