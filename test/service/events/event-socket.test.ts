// What a subscriber says at /events: every message is answered by its id, and a wrong one by what is wrong with it.
import { once } from "node:events";
import { expect, test } from "vitest";
import type { SubscriptionMessage } from "../../../src/protocol/operator/events.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";
import { messageValidators, EventSubscriber } from "../http/event-subscriber.ts";

const patience = { timeout: 10_000, interval: 20 };

type Answer = Extract<SubscriptionMessage, { id: string | null }>;

function answersOf(listener: EventSubscriber): Answer[] {
  return listener.heard.filter((message): message is Answer => "id" in message);
}

test("[SUB11] several messages in a row are each answered by their id, in order; the last subscription counts", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  using listener = new EventSubscriber(bench.service.url, bench.token);
  await once(listener.socket, "open");
  const say = (id: string, type: string, kinds?: string[]) =>
    listener.socket.send(JSON.stringify({ type, id, ...(kinds === undefined ? {} : { data: { kinds } }) }));
  for (let count = 0; count < 100; count += 1) say(`s${count}`, "subscribe", ["commands"]);
  say("wrong", "subscribe", ["everything"]);
  say("off", "unsubscribe");
  say("off again", "unsubscribe");
  say("last", "subscribe", ["playlist_updates"]);
  const ids = [...Array.from({ length: 100 }, (_, count) => `s${count}`), "wrong", "off", "off again", "last"];
  await expect.poll(() => answersOf(listener).map(({ id }) => id), patience).toEqual(ids);
  const types = answersOf(listener).map(({ type }) => type);
  expect(types.slice(99)).toEqual(["subscribed", "error", "unsubscribed", "unsubscribed", "subscribed"]);
  await bench.call("POST", "playlists", { name: "One" });
  expect((await listener.event("playlist.created")).data.data["name"]).toBe("One");
  const described = await messageValidators(bench.service.url);
  for (const message of listener.heard) expect(described.get(message.type)!(message), message.type).toBe(true);
});

test("[SUB11] after unsubscribe nothing is told; its answer says where to go on, and nothing is lost by then", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  using listener = new EventSubscriber(bench.service.url, bench.token);
  await listener.subscribe(["playlist_updates"]);
  await bench.call("POST", "playlists", { name: "One" });
  await listener.event("playlist.created");
  listener.socket.send(JSON.stringify({ type: "unsubscribe", id: "off" }));
  const { data } = await listener.next((message) => message.type === "unsubscribed");
  expect(data.seq).toBe(listener.events[0]!.seq);
  await bench.call("POST", "playlists", { name: "Two" });
  using other = new EventSubscriber(bench.service.url, bench.token);
  await other.subscribe(["playlist_updates"], { after: data });
  await other.event("playlist.created");
  expect(listener.events).toHaveLength(1);
  await listener.subscribe(["playlist_updates"], { after: data });
  await expect.poll(() => listener.events.map((event) => event.data.data["name"]), patience).toEqual(["One", "Two"]);
});

test("[SUB12] a message that is not understood is answered by its id, the field and what is allowed; the socket stays", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  using listener = new EventSubscriber(bench.service.url, bench.token);
  await once(listener.socket, "open");
  const said: [string | object, string | null, string, string | null][] = [
    [{ type: "subscribe", id: "a", data: { kinds: ["all"] } }, "a", "malformed", "/data/kinds/0"],
    [{ type: "subscribe", id: "b", data: { kinds: [], players: ["Lobby"] } }, "b", "malformed", "/data/players/0"],
    [{ type: "subscribe", id: "c", data: { kinds: [], after: { epoch: "x", seq: -1 } } }, "c", "malformed", "/data/after/seq"],
    [{ type: "subscribe", id: "d", data: { kinds: [], sort: "x" } }, "d", "malformed", "/data/sort"],
    [{ type: "subscribe", data: { kinds: [] } }, null, "malformed", "/id"],
    [{ type: "publish", id: "e" }, "e", "unsupported", "/type"],
    [{ id: "f" }, "f", "unsupported", "/type"],
    ["{", null, "malformed", null],
  ];
  for (const [message] of said) listener.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  const errors = () => listener.heard.flatMap((message) => (message.type === "error" ? [message] : []));
  await expect
    .poll(() => errors().map(({ id, data }) => [id, data.code, data.field]), patience)
    .toEqual(said.map(([, id, code, field]) => [id, code, field]));
  expect(errors()[0]!.data.detail).toContain("playlist_updates");
  expect(errors()[5]!.data.detail).toContain("subscribe");
  const described = await messageValidators(bench.service.url);
  for (const message of listener.heard) expect(described.get(message.type)!(message), message.type).toBe(true);
  expect((await listener.subscribe(["commands"])).resumed).toBe(false);
});
