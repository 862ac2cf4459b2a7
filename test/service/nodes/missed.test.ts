// A node that has missed announcements takes over what they were about: two whole services on a real PostgreSQL.
import pg from "pg";
import { expect, test } from "vitest";
import { waitUntil } from "../../support/polling.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";
import type { TestService } from "../harness.ts";
import { connectTo, startTwoServices } from "./two-services.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

test("[NOD30] a node that has missed announcements sends its players and subscribers what they were about, and ends what has ended", async () => {
  await using two = await startTwoServices(postgres);
  const { a, b } = two;
  const [device, commanded, deleted] = [await a.pairDevice("One"), await a.pairDevice("Two"), await a.pairDevice("Three")];
  const links = { device: await connectTo(b, device), commanded: await connectTo(b, commanded), deleted: await connectTo(b, deleted) };
  const token = (await a.call("POST", "tokens", { name: "T", scopes: ["players:read", "events:read"] })).body;
  using ended = new EventSubscriber(b.service.url, token.secret);
  await ended.subscribe(["playlist_updates"]);
  using watcher = new EventSubscriber(b.service.url, b.token);
  await watcher.subscribe(["playlist_updates"]);
  // An announcement that B reads late would make it send all events that are stored by then.
  const heard = (await a.call("POST", "playlists", { name: "Heard", items: [] })).body as { id: string };
  await waitUntil("B has heard what was announced", () => JSON.stringify(watcher.received).includes(heard.id));
  const database = new pg.Client(two.database);
  await database.connect();
  try {
    // What is announced from here on is deleted before anybody reads it, as if B had been away for longer than it is kept.
    await database.query(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN DELETE FROM state.announcements WHERE id = NEW.id; RETURN NULL; END'`);
    await database.query("CREATE TRIGGER lose AFTER INSERT ON state.announcements FOR EACH ROW EXECUTE FUNCTION lose()");
    const polled = watcher.received.length;
    await a.call("PATCH", `players/${device.playerId}`, { name: "Renamed" });
    const command = (await a.call("POST", `players/${commanded.playerId}/commands`, { type: "identify" })).body as { id: string };
    expect((await a.call("DELETE", `players/${deleted.playerId}`)).status).toBe(204);
    expect((await a.call("DELETE", `tokens/${token.id}`)).status).toBe(204);
    const playlist = (await a.call("POST", "playlists", { name: "P", items: [] })).body as { id: string };
    await database.query("DROP TRIGGER lose ON state.announcements");
    expect(await resynchronized(b)).toBe(0);
    expect(watcher.received.length).toBe(polled);
    await database.query(`INSERT INTO state.meta (key, value)
      SELECT 'announcements-trimmed-id', last_value::text FROM state.announcements_id_seq ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
    await waitUntil("B has read everything anew", async () => (await resynchronized(b)) === 1);
    await links.device.next("state.changed");
    const sent = (await links.commanded.next("command")).data.command;
    const { jti } = JSON.parse(Buffer.from(sent.split(".")[1]!, "base64url").toString()) as { jti: string };
    expect(jti).toBe(command.id);
    await links.deleted.next("revoked");
    expect(await links.deleted.closed).toBe(4403);
    expect((await ended.closed).code).toBe(4403);
    await waitUntil("the subscriber has the event", () => JSON.stringify(watcher.received).includes(playlist.id));
    // And it hears what follows.
    const next = (await a.call("POST", "playlists", { name: "Q", items: [] })).body as { id: string };
    await waitUntil("the subscriber has the next", () => JSON.stringify(watcher.received).includes(next.id));
  } finally {
    await database.end();
  }
});

async function resynchronized(node: TestService): Promise<number> {
  const text = await (await fetch(`${node.service.url}/metrics`)).text();
  return Number(/^signage_node_resynchronized_total\{.*\} (\d+)$/m.exec(text)![1]);
}
