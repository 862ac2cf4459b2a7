// The messages of a subscriber at /events: each is answered by its id, an invalid one with an error.
import { once } from "node:events";
import { expect, test } from "vitest";
import type { SubscriptionMessage } from "../../../src/protocol/operator/events.ts";

import { messageValidators, EventSubscriber } from "./event-subscriber.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

type Answer = Extract<SubscriptionMessage, { id: string | null }>;

function answersOf(listener: EventSubscriber): Answer[] {
  return listener.received.filter((message): message is Answer => "id" in message);
}

test("[SUB11] several messages in a row are each answered by their id, in order; the last subscription is active", async () => {
  const api = await shared.newTeam();
  using listener = new EventSubscriber(api.service.url, api.token);
  await once(listener.socket, "open");
  const send = (id: string, type: string, kinds?: string[]) =>
    listener.socket.send(JSON.stringify({ type, id, ...(kinds === undefined ? {} : { data: { kinds } }) }));
  for (let count = 0; count < 100; count += 1) send(`s${count}`, "subscribe", ["commands"]);
  send("wrong", "subscribe", ["everything"]);
  send("off", "unsubscribe");
  send("off again", "unsubscribe");
  send("last", "subscribe", ["playlist_updates"]);
  const ids = [...Array.from({ length: 100 }, (_, count) => `s${count}`), "wrong", "off", "off again", "last"];
  await expect.poll(() => answersOf(listener).map(({ id }) => id)).toEqual(ids);
  const types = answersOf(listener).map(({ type }) => type);
  expect(types.slice(99)).toEqual(["subscribed", "error", "unsubscribed", "unsubscribed", "subscribed"]);
  await api.call("POST", "playlists", { name: "One" });
  expect((await listener.event("playlist.created")).data.data["name"]).toBe("One");
  const described = await messageValidators(api.service.url);
  for (const message of listener.received) expect(described.get(message.type)!(message), message.type).toBe(true);
});

test("[SUB11] after unsubscribe no events are sent; a subscription from the position in its answer misses none", async () => {
  const api = await shared.newTeam();
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe(["playlist_updates"]);
  await api.call("POST", "playlists", { name: "One" });
  await listener.event("playlist.created");
  listener.socket.send(JSON.stringify({ type: "unsubscribe", id: "off" }));
  const { data } = await listener.next((message) => message.type === "unsubscribed");
  expect(data.seq).toBe(listener.events[0]!.seq);
  await api.call("POST", "playlists", { name: "Two" });
  using other = new EventSubscriber(api.service.url, api.token);
  await other.subscribe(["playlist_updates"], { after: data });
  await other.event("playlist.created");
  expect(listener.events).toHaveLength(1);
  await listener.subscribe(["playlist_updates"], { after: data });
  await expect.poll(() => listener.events.map((event) => event.data.data["name"])).toEqual(["One", "Two"]);
});

test("[SUB12] the error for an invalid message contains the message's id, the field and the allowed values; the socket stays open", async () => {
  const api = await shared.newTeam();
  using listener = new EventSubscriber(api.service.url, api.token);
  await once(listener.socket, "open");
  const messages: [string | object, string | null, string, string | null][] = [
    [{ type: "subscribe", id: "a", data: { kinds: ["all"] } }, "a", "malformed", "/data/kinds/0"],
    [{ type: "subscribe", id: "b", data: { kinds: [], players: ["Lobby"] } }, "b", "malformed", "/data/players/0"],
    [{ type: "subscribe", id: "c", data: { kinds: [], after: { epoch: "x", seq: -1 } } }, "c", "malformed", "/data/after/seq"],
    [{ type: "subscribe", id: "d", data: { kinds: [], sort: "x" } }, "d", "malformed", "/data/sort"],
    [{ type: "subscribe", data: { kinds: [] } }, null, "malformed", "/id"],
    [{ type: "publish", id: "e" }, "e", "unsupported", "/type"],
    [{ id: "f" }, "f", "unsupported", "/type"],
    ["{", null, "malformed", null],
  ];
  for (const [message] of messages) listener.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  const errors = () => listener.received.flatMap((message) => (message.type === "error" ? [message] : []));
  await expect
    .poll(() => errors().map(({ id, data }) => [id, data.code, data.field]))
    .toEqual(messages.map(([, id, code, field]) => [id, code, field]));
  expect(errors()[0]!.data.detail).toContain("playlist_updates");
  expect(errors()[5]!.data.detail).toContain("subscribe");
  const described = await messageValidators(api.service.url);
  for (const message of listener.received) expect(described.get(message.type)!(message), message.type).toBe(true);
  expect((await listener.subscribe(["commands"])).resumed).toBe(false);
});
