// The health of webhooks: warnings, pausing after days of failure, and the limit of the backlog.
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";
import { Receiver } from "./receiver.ts";
import { openTables } from "../tables-of.ts";

const loopback = { allowAddresses: ["127.0.0.0/8"] };
const pollOptions = { timeout: 30_000, interval: 20 };
const minute = 60_000;
const hour = 60 * minute;

async function createWebhook(api: TestService, url: string, events = ["*"]): Promise<string> {
  const answer = await api.call("POST", "webhooks", { name: "Board", url, events });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}

async function eventsOf(api: TestService, types: string): Promise<Record<string, unknown>[]> {
  return (await api.call("GET", `events?types=${types}`)).body.data;
}

test("[WHK14] a webhook shows its last success and when its failures began; after an hour an event warns, another one reports the recovery", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(Date.now());
  let isBroken = true;
  await using receiver = await Receiver.start((_request, response) => response.writeHead(isBroken ? 500 : 204).end());
  await using watcher = await Receiver.start();
  await using api = await TestService.start(folder.path, { ...loopback, clock });
  const id = await createWebhook(api, receiver.url);
  await createWebhook(api, watcher.url, ["webhook.failing", "webhook.recovered"]);
  const read = () => api.call("GET", `webhooks/${id}`);
  const fresh = await read();
  const healthy = { status: "enabled", last_success_at: null, failing_since: null, paused_at: null, paused_reason: null, warnings: [] };
  expect(fresh.body).toMatchObject(healthy);
  const failedAt = new Date(clock.now()).toISOString();
  await api.call("POST", "playlists", { name: "One" });
  await expect.poll(async () => (await read()).body.failing_since, pollOptions).toBe(failedAt);
  // The hour has not passed yet, and the ETag does not depend on the health.
  expect((await read()).body.warnings).toEqual([]);
  expect((await read()).headers.get("etag")).toBe(fresh.headers.get("etag"));
  await expect
    .poll(async () => {
      clock.advance(minute);
      return (await eventsOf(api, "webhook.failing")).length;
    }, pollOptions)
    .toBe(1);
  expect(clock.now() - Date.parse(failedAt)).toBeGreaterThanOrEqual(hour);
  const [warning] = (await read()).body.warnings;
  expect(warning).toMatchObject({ code: "failing", since: failedAt, detail: expect.stringContaining("500"), remedy: expect.any(String) });
  expect((await api.call("GET", "webhooks")).body.data.find((each: { id: string }) => each.id === id).warnings).toHaveLength(1);
  expect((await eventsOf(api, "webhook.failing"))[0]).toMatchObject({ data: { webhook_id: id, name: "Board", failing_since: failedAt } });
  await expect.poll(() => watcher.received.map(({ body }) => JSON.parse(body).type), pollOptions).toEqual(["webhook.failing"]);
  // It gets no events about itself.
  const own = (await api.call("GET", `webhooks/${id}/deliveries`)).body.data.map(({ type }: { type: string }) => type);
  expect(own).toEqual(["playlist.created"]);
  isBroken = false;
  await expect
    .poll(async () => {
      clock.advance(10 * minute);
      return (await eventsOf(api, "webhook.recovered")).length;
    }, pollOptions)
    .toBe(1);
  expect((await read()).body).toMatchObject({ ...healthy, last_success_at: expect.any(String) });
  expect(await eventsOf(api, "webhook.failing,webhook.paused")).toHaveLength(1);
});

test(
  "[WHK15] after five days of failures only, a webhook is paused; enabled again it gets new events, and a replay sends what it missed within a day",
  { timeout: 60_000 },
  async () => {
    await using folder = await temporaryFolder();
    const clock = new FakeClock(Date.now());
    let isBroken = true;
    await using receiver = await Receiver.start((_request, response) => response.writeHead(isBroken ? 503 : 204).end());
    await using api = await TestService.start(folder.path, { ...loopback, clock });
    const id = await createWebhook(api, receiver.url, ["playlist.created"]);
    const read = async () => (await api.call("GET", `webhooks/${id}`)).body;
    const startedAt = clock.now();
    await api.call("POST", "playlists", { name: "First" });
    await expect.poll(async () => (await read()).failing_since, pollOptions).not.toBeNull();
    let created = 1;
    await expect
      .poll(async () => {
        // Two events a day, so that there are always attempts.
        if (clock.now() - startedAt > created * 12 * hour) await api.call("POST", "playlists", { name: `${(created += 1)}` });
        clock.advance(2 * hour);
        return (await read()).status;
      }, pollOptions)
      .toBe("paused");
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(5 * 24 * hour);
    const paused = await read();
    expect(paused).toMatchObject({
      paused_at: expect.any(String),
      paused_reason: expect.stringContaining("5 days"),
      disabled_reason: null,
    });
    expect(paused.warnings.map(({ code }: { code: string }) => code)).toEqual(["paused"]);
    expect((await eventsOf(api, "webhook.paused"))[0]).toMatchObject({ data: { webhook_id: id, reason: paused.paused_reason } });
    expect((await api.call("GET", `webhooks/${id}/deliveries?status=pending`)).body.data).toEqual([]);
    // No deliveries are stored while it is paused, and a test is rejected with the remedy.
    await api.call("POST", "playlists", { name: "Missed" });
    expect((await api.call("POST", `webhooks/${id}/test`)).body.detail).toContain("enable");
    isBroken = false;
    const before = receiver.received.length;
    const enabled = await api.call("PATCH", `webhooks/${id}`, { status: "enabled" });
    expect(enabled.body).toMatchObject({ status: "enabled", paused_at: null, paused_reason: null, failing_since: null, warnings: [] });
    await api.call("POST", "playlists", { name: "New" });
    const names = () => receiver.received.slice(before).map(({ body }) => JSON.parse(body).data.name as string);
    await expect.poll(names, pollOptions).toEqual(["New"]);
    const since = new Date(clock.now() - 24 * hour).toISOString();
    const replay = await api.call("POST", `webhooks/${id}/replay`, { since });
    expect(replay.status).toBe(202);
    await expect.poll(() => names().includes("Missed"), pollOptions).toBe(true);
    await expect.poll(names, pollOptions).toHaveLength(1 + replay.body.count);
    // A second replay sends nothing again.
    expect((await api.call("POST", `webhooks/${id}/replay`, { since })).body.count).toBe(0);
  },
);

test("[WHK16] for a webhook that has failed for an hour at most ten thousand deliveries are stored; others are not affected, and a replay sends the rest", async () => {
  await using folder = await temporaryFolder();
  await using receiver = await Receiver.start();
  await using api = await TestService.start(folder.path, loopback);
  const full = await createWebhook(api, "http://127.0.0.1:9/closed", ["playlist.created"]);
  const other = await createWebhook(api, receiver.url, ["playlist.created"]);
  // Ten thousand deliveries that wait for their next attempt.
  using file = openTables(folder.path);
  file
    .prepare(
      `WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 10000)
       INSERT INTO webhook_deliveries (id, team_id, created_at, webhook_id, event_id, type, status, attempts, next_at, updated_at)
       SELECT 'dlv_' || n, (SELECT team_id FROM webhooks LIMIT 1), 1, ?, 'evt_' || n, 'playlist.created', 'pending', 3, 9e15, 1 FROM counted`,
    )
    .run(full);
  const count = () => file.prepare("SELECT count(*) AS n FROM webhook_deliveries WHERE webhook_id = ? AND created_at > 1").get(full);
  // The backlog of a webhook that has not failed for an hour is not limited.
  await api.call("POST", "playlists", { name: "Burst" });
  await expect.poll(() => receiver.received.length, pollOptions).toBe(1);
  expect(count()).toEqual({ n: 1 });
  file.prepare("UPDATE webhooks SET failing_since = ? WHERE id = ?").run(Date.now() - hour, full);
  await api.call("POST", "playlists", { name: "One" });
  await expect.poll(() => receiver.received.length, pollOptions).toBe(2);
  expect(count()).toEqual({ n: 1 });
  const read = async () => (await api.call("GET", `webhooks/${full}`)).body;
  expect((await read()).warnings).toMatchObject([{ code: "failing" }, { code: "backlog-full", remedy: expect.stringContaining("replay") }]);
  expect((await api.call("GET", `webhooks/${other}`)).body).toMatchObject({ warnings: [], last_success_at: expect.any(String) });
  file.prepare("DELETE FROM webhook_deliveries WHERE webhook_id = ? AND created_at = 1").run(full);
  const since = new Date(Date.now() - hour).toISOString();
  expect((await api.call("POST", `webhooks/${full}/replay`, { since })).body).toEqual({ count: 1 });
  expect((await read()).warnings).toMatchObject([{ code: "failing" }]);
});

test("[WHK17] the API description states what webhooks guarantee: delivery at least once, no order, an id that identifies repeats", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const { body } = await api.call("GET", "openapi.json");
  const { post } = body.webhooks.event;
  const paths = body.paths["/api/v1/webhooks"];
  for (const description of [post.description, paths.post.description]) {
    expect(description).toContain("at least once");
    expect(description).toContain("order is not guaranteed");
    expect(description).toContain("webhook-id");
  }
  const headers = post.parameters.map(({ name }: { name: string }) => name);
  expect(headers).toEqual(["webhook-id", "webhook-timestamp", "webhook-signature"]);
  expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(["2XX", "410"]));
});
