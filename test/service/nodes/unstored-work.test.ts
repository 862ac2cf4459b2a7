// Work outside of the database whose result cannot be stored for a time: it is stored later, and not done again or given up.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type pg from "pg";
import { expect, test } from "vitest";
import { BackgroundQueue } from "../../../src/service/content/assets/background-queue.ts";
import { FakeClock } from "../../support/clock.ts";
import { createLog, type LogLine } from "../../support/recording-log.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { MailServer } from "../../support/network/mail-server.ts";
import { waitUntil } from "../../support/polling.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { smtpAt } from "../alerts/mail-fleet.ts";
import { Receiver } from "../events/receiver.ts";
import { picture, TestService } from "../harness.ts";
import { sharedPostgres } from "../test-database.ts";
import { connect, failWrites, mend } from "./faulty-database.ts";

const loopback = { allowAddresses: ["127.0.0.0/8"] };

/** Makes writes of rows fail for which `condition` holds, as with a full disk, until {@link mend}. */
const refuse = (client: pg.Client, table: string, condition: string) =>
  failWrites(client, table, `CASE WHEN ${condition} THEN '53100' ELSE '' END`);

async function startOnPostgres(folder: string, more: object) {
  await using opened = new AsyncDisposableStack();
  const database = await (await sharedPostgres()).createDatabase();
  const client = opened.use(await connect(database));
  const { log, lines } = createLog();
  const api = opened.use(await TestService.start(folder, { ...loopback, database, log, ...more }));
  const owned = opened.move();
  return { api, client, lines, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const count = (lines: readonly LogLine[], msg: string) => lines.filter((line) => line.msg === msg).length;

test("[DBE11] a webhook and a mail that were sent are stored when the database can, and not sent again", async () => {
  await using folder = await temporaryFolder();
  await using receiver = await Receiver.start();
  await using mails = await MailServer.start();
  await using service = await startOnPostgres(folder.path, { smtp: smtpAt(mails.port) });
  const { api, client, lines } = service;
  const webhook = (await api.call("POST", "webhooks", { name: "Test", url: receiver.url, events: ["playlist.created"] })).body;
  await refuse(client, "state.webhook_deliveries", "NEW.attempts <> OLD.attempts");
  await api.call("POST", "playlists", { name: "One" });
  await waitUntil("its result waits", () => count(lines, "a result waits for the database") > 1);
  await mend(client);
  const delivery = async () => (await api.call("GET", `webhooks/${webhook.id}/deliveries`)).body.data[0];
  await waitUntil("it is stored", async () => (await delivery()).status === "delivered");
  expect([(await delivery()).attempts, receiver.received.length]).toEqual([1, 1]);
  const waited = count(lines, "a result waits for the database");
  await refuse(client, "state.mails", "NEW.attempts <> OLD.attempts OR NEW.status <> OLD.status");
  expect((await api.call("PATCH", "alert-settings", { recipients: ["screens@example.com"] })).status).toBe(200);
  expect((await api.call("POST", "alert-settings/test-mail")).status).toBe(202);
  await waitUntil("its result waits", () => count(lines, "a result waits for the database") > waited + 1);
  await mend(client);
  await waitUntil("it is stored", async () => (await api.call("GET", "alert-settings")).body.mail.is === "ok");
  expect(mails.mails).toHaveLength(1);
});

test("[DBE11] a webhook whose attempt the database refuses to store is not sent again at once", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(Date.now());
  await using receiver = await Receiver.start();
  const { log, lines } = createLog();
  await using api = await TestService.start(folder.path, { ...loopback, clock, log, database: null });
  const webhook = (await api.call("POST", "webhooks", { name: "Test", url: receiver.url, events: ["playlist.created"] })).body;
  using file = new DatabaseSync(join(folder.path, "state.db"));
  file.exec("CREATE TRIGGER fails BEFORE UPDATE OF attempts ON webhook_deliveries BEGIN SELECT RAISE(ABORT, 'no'); END");
  await api.call("POST", "playlists", { name: "One" });
  const refusals = () => count(lines, "a webhook attempt could not be recorded");
  await waitUntil("it is refused", () => refusals() > 0);
  // Each commit makes the sender look for what is due.
  for (const name of ["Two", "Three"]) await api.call("POST", "layouts", { name, width: 1, height: 1, zones: [] });
  expect([receiver.received.length, refusals()]).toEqual([1, 1]);
  file.exec("DROP TRIGGER fails");
  clock.advance(60_000);
  const delivery = async () => (await api.call("GET", `webhooks/${webhook.id}/deliveries`)).body.data[0];
  await waitUntil("it is sent again and stored", async () => (await delivery()).status === "delivered");
  expect(receiver.received).toHaveLength(2);
});

test("[DBE12] an import and a thumbnail that cannot be stored are done when the database can", async () => {
  await using folder = await temporaryFolder();
  const bytes = await picture("png", 256);
  const server = createServer((_request, response) => void response.writeHead(200, { "content-type": "image/png" }).end(bytes));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  await using _closing = { [Symbol.asyncDispose]: async () => void server.close() };
  await using service = await startOnPostgres(folder.path, {});
  const { api, client, lines } = service;
  const asset = async (id: string) => (await api.call("GET", `assets/${id}`)).body;
  await refuse(client, "state.assets", "NEW.status IN ('processing', 'ready') AND NEW.status <> OLD.status");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`;
  const imported = (await api.call("POST", "assets/import", { url })).body.id as string;
  const failed = lines.length;
  await waitUntil("the import waits", () => lines.slice(failed).some(({ loop }) => loop === "imports"));
  const uploaded = (await api.upload(bytes, "image/png", "b.png")).body.id as string;
  await waitUntil("the thumbnail waits", () => count(lines, "a result waits for the database") > 2);
  expect([(await asset(imported)).status, (await asset(uploaded)).status]).toEqual(["importing", "processing"]);
  await mend(client);
  for (const id of [imported, uploaded]) {
    await waitUntil("it is ready", async () => (await asset(id)).status === "ready");
    expect((await api.call("GET", `assets/${id}/thumbnail`)).status).toBe(200);
  }
});

test("[DBE12] a queue of background work runs again after a row of it has failed", async () => {
  const clock = new FakeClock();
  const done: string[] = [];
  const pending = ["a", "b"];
  let isBroken = true;
  const queue = new BackgroundQueue<string>(clock, {
    maxAtOnce: 1,
    findNext: async () => pending[0],
    process: async (row) => {
      if (isBroken) throw new Error("it fails");
      done.push(row);
      pending.shift();
    },
  });
  await expect(queue.run(new AbortController().signal)).rejects.toThrow("it fails");
  isBroken = false;
  const stop = new AbortController();
  const running = queue.run(stop.signal).catch((error: unknown) => error);
  await waitUntil("both are done", () => done.length === 2);
  stop.abort();
  expect(await running).toMatchObject({ name: "AbortError" });
});

test("[DBE3] a service on SQLite whose disk is full answers with 503 and ends nothing; with room it goes on", async (context) => {
  await using disk = await smallDisk(32);
  if (disk === null) return context.skip("only root can mount a small disk");
  const { log, lines } = createLog();
  await using api = await TestService.start(join(disk.path, "data"), { log, database: null });
  const create = (name: string) => api.call("POST", "playlists", { name, items: [] }, { "idempotency-key": name });
  expect((await create("before")).status).toBe(201);
  await disk.fill();
  const answers: [number, string | null][] = [];
  // SQLite writes into the room that its log has already, until that is used up.
  for (let index = 0; !answers.some(([status]) => status !== 201); index += 1) {
    const { status, headers } = await create(`filling-${index}`);
    answers.push([status, headers.get("retry-after")]);
  }
  expect(answers.at(-1)).toEqual([503, "5"]);
  const last = `filling-${answers.length - 1}`;
  expect((await api.call("GET", "playlists")).status).toBe(200);
  await disk.free();
  expect((await create(last)).status).toBe(201);
  const { body } = await api.call("GET", "playlists?limit=100");
  expect((body.data as { name: string }[]).filter(({ name }) => name === last)).toHaveLength(1);
  expect(count(lines, "background loop failed")).toBe(0);
});
