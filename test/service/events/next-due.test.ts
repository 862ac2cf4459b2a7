// When the senders of webhooks and mails look again, on a real store, with a clock that moves on between two readings.
import { expect, test } from "vitest";
import { createSystemClock, type Clock } from "../../../src/base/clock.ts";
import { ignoreAbort } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import { queueMail } from "../../../src/service/alerts/mail/mail-queue.ts";
import { MailSender } from "../../../src/service/alerts/mail/mail-sender.ts";
import { createOutboundClients } from "../../../src/service/content/outbound-clients.ts";
import { EventJournal } from "../../../src/service/events/event-journal.ts";
import { Deliveries } from "../../../src/service/events/webhooks/deliveries.ts";
import { clearedHealth } from "../../../src/service/events/webhooks/health.ts";
import { WebhookSender } from "../../../src/service/events/webhooks/sender.ts";
import { LoneNode } from "../../../src/service/nodes/lone-node.ts";
import { createIds } from "../../../src/service/store/ids.ts";
import { openStore, type Store } from "../../../src/service/store/store.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { copyMigratedDatabases } from "../migrated-databases.ts";

const start = Date.UTC(2026, 10, 29, 12);
const due = start + 1;
const teamId = "team_1";

/** A clock of which each reading is a millisecond later than the one before. `waited` is how long its first wait would take, in ms. */
function movingClock(): { clock: Clock; waited: Promise<number> } {
  const { promise: waited, resolve } = Promise.withResolvers<number>();
  const machine = createSystemClock();
  let readings = 0;
  const wait: Clock["wait"] = (ms, signal) => {
    resolve(ms);
    return machine.wait(Infinity, signal);
  };
  return { clock: { ...machine, wait, now: () => start + readings++ }, waited };
}

function parts(store: Store, clock: Clock) {
  const log = silentLog;
  const nodes = new LoneNode("node_1", { clock, log });
  const makeId = createIds(createSystemClock());
  return { store, clock, log, nodes, makeId };
}

async function mailSender(store: Store, clock: Clock) {
  const { makeId, ...dependencies } = parts(store, clock);
  const text = { subject: "Subject", text: "Text", html: "<p>Text</p>" };
  const about = { teamId, recipients: ["a@example.com"], thread: null };
  await store.write((db) => queueMail(db, about, text, { makeId, now: due }));
  const smtp = {
    host: "127.0.0.1",
    port: 25,
    security: "none",
    user: null,
    passwordFile: null,
    from: "b@example.com",
    caFile: null,
  } as const;
  return new MailSender({ ...dependencies, smtp });
}

async function webhookSender(store: Store, clock: Clock) {
  const { makeId, ...dependencies } = parts(store, clock);
  const named = { id: "whk_1", team_id: teamId, name: "Hook", url: "https://hook.example.com/", events: '["*"]', secrets: "[]" };
  const row = { ...named, ...clearedHealth, status: "enabled", last_success_at: null, created_at: start, updated_at: start };
  const event = { id: "evt_1", type: "webhook.test", created_at: new Date(start).toISOString(), data: {} } as const;
  const deliveries = new Deliveries({ ...clock, now: () => due }, makeId);
  await store.write(async (db) => {
    await db.insertInto("webhooks").values(row).execute();
    await deliveries.add(db, teamId, "whk_1", event);
  });
  const events = new EventJournal("epoch", clock, makeId, dependencies.nodes);
  return new WebhookSender({ ...dependencies, deliveries, events, http: createOutboundClients([]).webhooks });
}

test.for([
  ["a mail", mailSender],
  ["a delivery", webhookSender],
] as const)("[WHK19] %s that becomes due while its sender looks for what is due is not left until another is queued", async ([, open]) => {
  await using folder = await temporaryFolder();
  await copyMigratedDatabases(folder.path);
  await using store = await openStore(folder.path);
  const team = { id: teamId, name: "Team", safe_asset_id: null, approval: "none", created_at: start, updated_at: start, deleted_at: null };
  await store.db.insertInto("teams").values(team).execute();
  const { clock, waited } = movingClock();
  const sender = await open(store, clock);
  const stop = new AbortController();
  const running = sender.run(stop.signal).catch(ignoreAbort);
  expect(await waited).toBeLessThanOrEqual(1);
  stop.abort();
  await running;
});
