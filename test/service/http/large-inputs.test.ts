// What is too large is refused before it is examined, and an answer lists few of many errors.
import { once } from "node:events";
import { expect, test } from "vitest";
import { z } from "zod";
import { reasonOf } from "../../../src/base/fault.ts";
import { parseSetupToml } from "../../../src/main/setup/file/toml.ts";
import { DeviceMessage, parseMessage } from "../../../src/protocol/device/messages.ts";
import { mostJsonDepth, mostJsonEntries } from "../../../src/protocol/json-bounds.ts";
import type { SubscriptionMessage } from "../../../src/protocol/operator/events.ts";
import { describeRefusals, mostErrors } from "../../../src/protocol/refusal.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { HostileProvider } from "../../support/network/hostile-provider.ts";
import { Browser } from "../people/browser.ts";
import { begin, startWithSso } from "../people/sso/sso.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";
import { Agent } from "../mcp/agent.ts";
import { errorPointers, type ApiResponse } from "../harness.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

/** The most that a refusal may take. The requests below have up to a megabyte. */
const mostAnswerBytes = 200_000;
const bytesOf = ({ body }: ApiResponse): number => Buffer.byteLength(JSON.stringify(body));
const fields = (count: number): Record<string, number> => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 0]));
const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

test("[ERR5] of many errors an answer lists the first hundred, says how many more there are, and cuts long names", async () => {
  const api = await shared.newTeam();
  const few = await api.call("POST", "playlists", { name: "P", ...fields(mostErrors) });
  expect([few.status, few.body.errors.length, few.body.more_errors]).toEqual([422, mostErrors, undefined]);
  const many = await api.call("POST", "playlists", { name: "P", ...fields(5_000) });
  expect([many.status, many.body.errors.length, many.body.more_errors]).toEqual([422, mostErrors, 5_000 - mostErrors]);
  expect(many.body.detail).toMatch(/^\/f0: unknown field; \/f1: .*; and 4,990 more$/);
  const wrong = await api.call("POST", "players/bulk/delete", { target: { player_ids: Array.from({ length: 9_000 }, () => "x") } });
  expect([wrong.status, wrong.body.errors.length, wrong.body.more_errors]).toEqual([422, mostErrors, 9_000 - mostErrors]);
  const long = await api.call("POST", "playlists", { name: "P", ["x".repeat(900_000)]: 1, type: "y".repeat(90_000) });
  expect([long.status, long.body.errors.length]).toEqual([422, 2]);
  for (const each of [few, many, wrong, long]) expect(bytesOf(each)).toBeLessThan(mostAnswerBytes);
});

test("[ERR5] tools and messages of subscribers list few of many errors too", async () => {
  const api = await shared.newTeam();
  await using agent = await Agent.connect(api.service.url, api.token, "2026");
  const { isError, text } = await agent.call("create_playlist", { name: "P", ...fields(5_000) });
  expect([isError, text]).toEqual([true, expect.stringContaining("and 4,990 more")]);
  expect(text.length).toBeLessThan(20_000);
  using listener = new EventSubscriber(api.service.url, api.token);
  await once(listener.socket, "open");
  const isRefusal = (message: SubscriptionMessage) => message.type === "error";
  listener.socket.send(JSON.stringify({ type: "subscribe", id: "a", data: { kinds: [], ...fields(3_000) } }));
  listener.socket.send(`{"type":"subscribe","id":"b","data":${nested(30_000)}}`);
  await listener.next((message): message is SubscriptionMessage => isRefusal(message) && message.id === null);
  const [many, deep] = listener.received.filter(isRefusal);
  expect(many!.data).toMatchObject({ code: "malformed", detail: expect.stringMatching(/; and 2,990 more\. See/) });
  expect(deep!.data).toMatchObject({ code: "malformed", detail: expect.stringContaining(`more than ${mostJsonDepth} deep`) });
  for (const each of [many, deep]) expect(JSON.stringify(each).length).toBeLessThan(2_000);
});

test("[ERR6] a message of a player that is nested too deeply is ignored, and its socket stays open", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const link = await device.connect();
  link.send(`{"type":"heartbeat","id":"1","ts":1,"data":${nested(30_000)}}`);
  const command = await api.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  expect(command.status).toBe(202);
  await link.next("command");
  expect(parseMessage(DeviceMessage, nested(30_000))).toMatchObject({
    is: "unknown",
    reason: expect.stringContaining(`more than ${mostJsonDepth} deep`),
  });
});

test("[ERR7] an answer of a provider of single sign-on that has more than a megabyte is refused", async () => {
  await using folder = await temporaryFolder();
  await using provider = await HostileProvider.listen();
  await using api = await startWithSso(folder.path, provider.issuer);
  provider.lies = { metadata: { padding: "x".repeat(1_100_000) } };
  const refused = await new Browser(api.service.url).call("POST", "sign-in/sso", {});
  expect(refused.status).toBe(503);
  await using otherFolder = await temporaryFolder();
  await using other = await startWithSso(otherFolder.path, provider.issuer);
  provider.lies = { metadata: { padding: "x".repeat(900_000) } };
  expect(await begin(new Browser(other.service.url))).toContain(provider.issuer);
});

test("[ERR5] the errors of programs and logs name the first ten of many faults, each cut", () => {
  const settings = Array.from({ length: 3_000 }, (_, at) => `f${at} = 1`).join("\n");
  const refuse = (): string => {
    try {
      parseSetupToml(settings, "signage.toml");
    } catch (error) {
      return reasonOf(error);
    }
    throw new Error("the settings were accepted");
  };
  const reason = refuse();
  expect(reason).toMatch(/^signage\.toml, line 1: there is no setting “f0”.*; and 2,990 more$/);
  expect(reason.length).toBeLessThan(5_000);
  const { error } = z.array(z.int()).safeParse(Array.from({ length: 5_000 }, () => "x".repeat(1_000)));
  expect(describeRefusals(error!)).toMatch(/^0: .*; and 4,990 more$/);
  expect(describeRefusals(z.strictObject({}).safeParse(fields(9_000)).error!).length).toBeLessThan(400);
});

test("[ERR6] JSON that is nested too deeply, or has too many entries, is refused before it is examined, and the error names the limit", async () => {
  const api = await shared.newTeam();
  const send = (text: string) => api.call("POST", "playlists", Buffer.from(text), { "content-type": "application/json" });
  const refused = [
    [nested(mostJsonDepth + 1), "", `is nested more than ${mostJsonDepth} deep`],
    [nested(400_000), "", `is nested more than ${mostJsonDepth} deep`],
    [JSON.stringify({ name: "P", ...fields(80_000) }), "", "has more than 10,000 fields: send fewer at a time"],
    [
      JSON.stringify({ name: "P", items: Array.from({ length: mostJsonEntries + 1 }, () => 0) }),
      "/items",
      "has more than 10,000 entries: send fewer at a time",
    ],
    [
      JSON.stringify({ name: "P", a: Array.from({ length: 50 }, () => Array.from({ length: 4_000 }, () => 0)) }),
      "",
      "has more than 100,000 values in all: send fewer at a time",
    ],
  ] as const;
  for (const [text, pointer, detail] of refused) {
    const answer = await send(text);
    expect([answer.status, answer.body.errors]).toEqual([422, [{ pointer, detail: expect.stringContaining(detail) }]]);
  }
  expect((await send(`{"a\\"b":[{"x":"],[","items":[${"0,".repeat(mostJsonEntries)}0]}]}`)).body.errors[0].pointer).toBe('/a\\"b/0/items');
  // At the limits it is examined like any other body.
  const [deep, wide, long] = [
    await send(`{"name":"P","x":${nested(mostJsonDepth - 1)}}`),
    await send(JSON.stringify(fields(mostJsonEntries))),
    await send(JSON.stringify({ name: "P", x: Array.from({ length: mostJsonEntries }, () => 0) })),
  ];
  expect(deep.body.errors).toEqual([{ pointer: "/x", detail: "unknown field" }]);
  expect([wide.body.errors.length, wide.body.more_errors]).toEqual([mostErrors, mostJsonEntries + 1 - mostErrors]);
  expect(errorPointers(long)).toEqual(["/x"]);
});
