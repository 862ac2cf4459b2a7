// Events, webhooks and long polls on two nodes of one service.
import pg from "pg";
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { createLog } from "../../support/recording-log.ts";
import { waitUntil } from "../../support/polling.ts";
import { EventJournal } from "../../../src/service/events/event-journal.ts";
import { createIds } from "../../../src/service/store/ids.ts";
import { openPostgresStore } from "../../../src/service/store/postgres/postgres-store.ts";
import { picture } from "../harness.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";
import { Receiver } from "../events/receiver.ts";
import { startNode, testClock } from "./test-nodes.ts";
import { useTwoServices } from "./two-services.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();
// Its time does not pass, so no wait, attempt or claim ends because the machine is slow.
const clock = new FakeClock(Date.now());
const two = useTwoServices(postgres, () => ({ allowAddresses: ["127.0.0.1/32"], clock }));

test("[NOD17] subscribers of each node get the events of all in one order without gaps, and resume on the other", async () => {
  const { a, b } = two;
  using onA = new EventSubscriber(a.service.url, a.token);
  using onB = new EventSubscriber(b.service.url, a.token);
  const start = await onA.subscribe(["playlist_updates"]);
  await onB.subscribe(["playlist_updates"]);
  const create = (node: typeof a, name: string) => node.call("POST", "playlists", { name, items: [] });
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all([create(a, `a ${round}`), create(b, `b ${round}`), create(a, `c ${round}`)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  }
  const seqsOf = ({ received }: EventSubscriber) => received.flatMap((message) => (message.type === "event" ? [message.seq] : []));
  await waitUntil("both have all", () => seqsOf(onA).length >= 30 && seqsOf(onB).length >= 30);
  const expected = Array.from({ length: 30 }, (_, at) => start.seq + 1 + at);
  expect(seqsOf(onA)).toEqual(expected);
  expect(seqsOf(onB)).toEqual(expected);
  // From a place that the other node has sent.
  using resumed = new EventSubscriber(b.service.url, a.token);
  const after = { epoch: start.epoch, seq: start.seq + 12 };
  expect(await resumed.subscribe(["playlist_updates"], { after })).toMatchObject({ resumed: true });
  await waitUntil("the rest is sent", () => seqsOf(resumed).length >= 18);
  expect(seqsOf(resumed)).toEqual(expected.slice(12));
});

test("[NOD18] a long poll on one node ends with an event of the other", async () => {
  const { a, b } = two;
  const { next } = (await b.call("GET", "events?after=now")).body as { next: string };
  const waiting = b.call("GET", `events?after=${encodeURIComponent(next)}&wait_seconds=30`);
  await a.call("POST", "playlists", { name: "P", items: [] });
  expect((await waiting).body.data).toMatchObject([{ type: "playlist.created" }]);
});

test("[NOD19] events are numbered in the order of their commits, without gaps, also when a writer commits late or rolls back", async () => {
  const database = await postgres.createDatabase();
  await using one = await startNode(database);
  await using two = await startNode(database);
  const team = "team_01jd3v8q6m9x2k4n7r5t1w0yzh";
  await one.store.db
    .insertInto("teams")
    .values({ id: team, name: "T", safe_asset_id: null, approval: "none", created_at: 0, updated_at: 0, deleted_at: null })
    .execute();
  const journals = [one, two].map(({ nodes }) => new EventJournal("evt_test", testClock, createIds(testClock), nodes));
  const write = (which: 0 | 1, name: string, holdMs: number, fails = false) =>
    [one, two][which]!.store.write(async (db) => {
      const event = { teamId: team, type: "playlist.created" as const, data: { name }, players: [] };
      await journals[which]!.append(db, [event]);
      await testClock.wait(holdMs);
      if (fails) throw new Error("the write fails");
    });
  // A reader that goes on from the last number that it has seen, as a subscriber does: it must never see a number before it later.
  const seen: number[] = [];
  const reading = new AbortController();
  await using reader = await openPostgresStore(database, createLog().log);
  const read = (async () => {
    while (!reading.signal.aborted) {
      for (const { seq } of await journals[0]!.readAfter(reader.db, team, seen.at(-1) ?? 0, 500)) seen.push(seq);
    }
  })();
  const writes: Promise<unknown>[] = [];
  for (let n = 0; n < 25; n += 1) {
    writes.push(write(0, `one ${n}`, (n * 7) % 20), write(1, `two ${n}`, (n * 11) % 25));
    if (n % 5 === 0) writes.push(write(1, `failing ${n}`, 5, true).catch(() => undefined));
  }
  await Promise.all(writes);
  await waitUntil("the reader has all", () => seen.length >= 50);
  reading.abort();
  await read;
  expect(seen).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
});

test("[NOD20] both nodes send webhooks, each event once, and the deliveries of a node that died are sent by the other with the same ids", async () => {
  await using receiver = await Receiver.start();
  const { a, b, database } = two;
  const webhook = (await a.call("POST", "webhooks", { name: "W", url: receiver.url, events: ["playlist.created"] })).body as { id: string };
  for (let n = 0; n < 20; n += 1) await Promise.all([a, b].map((node) => node.call("POST", "playlists", { name: `P ${n}`, items: [] })));
  await waitUntil("all are delivered", () => new Set(receiver.ids).size === 40);
  await waitUntil("all are recorded", async () => {
    const { body } = await a.call("GET", `webhooks/${webhook.id}/deliveries?status=pending`);
    return body.data.length === 0;
  });
  expect(receiver.ids).toHaveLength(40);
  // As a node leaves it that dies while it sends: claimed, until the claim ends.
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client.query<{ event_id: string }>(
    `UPDATE state.webhook_deliveries SET status = 'pending', attempts = 0, next_at = $1
      WHERE id = (SELECT max(id) FROM state.webhook_deliveries) RETURNING event_id`,
    [clock.now() + 3_000],
  );
  await client.query("DELETE FROM state.webhook_attempts");
  await client.end();
  await waitUntil("it is sent again", () => {
    clock.advance(1_000);
    return receiver.ids.length > 40;
  });
  expect(receiver.ids.at(-1)).toBe(rows[0]!.event_id);
});

test("[NOD25] what is uploaded at one node is processed by the one that has the duties", async () => {
  const { a, b } = two;
  for (const node of [a, b]) {
    const { id } = (await node.upload(await picture())).body as { id: string };
    await waitUntil("it is ready", async () => {
      // The node with the duties looks for what the other has stored.
      clock.advance(1_000);
      return (await node.call("GET", `assets/${id}`)).body.status === "ready";
    });
  }
});

test("[NOD26] a node that joins another while both keep their files to themselves says what is missing", async () => {
  const warnings = ({ a, b }: typeof two.lines) => [a, b].map((lines) => lines.filter(({ msg }) => msg.includes("--blobs")).length);
  expect(warnings(two.lines)).toEqual([0, 1]);
});
