// The trigger socket: which requests of sensors are accepted, and which are rejected.
import { once } from "node:events";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { ScheduleFollower } from "../../../src/player/playback/schedule-follower.ts";
import { InterventionStore } from "../../../src/player/playback/intervention-store.ts";
import { serveTriggers, type TriggerTarget } from "../../../src/player/commands/triggers.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";

interface TriggerResponse {
  status: number;
  body: Record<string, unknown>;
}

async function open(folder: string) {
  const clock = new FakeClock(Date.UTC(2026, 4, 5));
  const follower = new ScheduleFollower(await InterventionStore.open(folder, silentLog), clock, silentLog, "UTC");
  const path = join(folder, "triggers", "socket");
  const end = new AbortController();
  let paired: TriggerTarget | null = follower;
  let onListening = () => undefined as void;
  const listening = new Promise<void>((resolve) => (onListening = resolve));
  const log = {
    ...silentLog,
    info: (_about: object, text: string) => text === "listening for triggers" && onListening(),
  } as typeof silentLog;
  const served = serveTriggers({ folder, player: () => paired, clock, log }, end.signal).catch(() => undefined);
  await listening;
  return {
    clock,
    path,
    unpair() {
      paired = null;
    },
    async call(method: string, url: string, body?: string): Promise<TriggerResponse> {
      const sent = request({ socketPath: path, method, path: url, headers: { "content-length": Buffer.byteLength(body ?? "") } });
      sent.end(body);
      const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
      return { status: response.statusCode!, body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown> };
    },
    set(args: unknown) {
      return this.call("POST", "/variables", JSON.stringify(args));
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await served;
    },
  };
}

test("[VAR9] with --triggers, a sensor sets variables over a socket that only the player's own user can open, even after a kill", async () => {
  await using folder = await temporaryFolder();
  {
    await using triggers = await open(folder.path);
    expect((await stat(join(folder.path, "triggers"))).mode & 0o777).toBe(0o700);
    const until = new Date(triggers.clock.now() + 30_000).toISOString();
    const response = await triggers.set({ variables: { door_open: true }, duration_ms: 30_000 });
    expect(response).toEqual({ status: 200, body: { until, variables: { door_open: true } } });
    await triggers.set({ variables: { queue: 3 } });
  }
  // The socket that a killed run leaves behind does not prevent the next start.
  await mkdir(join(folder.path, "triggers"), { recursive: true });
  await writeFile(join(folder.path, "triggers", "socket"), "");
  await using again = await open(folder.path);
  expect(await again.call("GET", "/variables")).toEqual({ status: 200, body: { variables: { door_open: true, queue: 3 } } });
  again.clock.advance(30_000);
  expect((await again.call("GET", "/variables")).body).toEqual({ variables: { queue: 3 } });
  again.unpair();
  expect((await again.set({ variables: { queue: 4 } })).status).toBe(503);
});

test("[VAR10] every request to the socket either sets its variables or is rejected with a reason and sets nothing", async () => {
  await using folder = await temporaryFolder();
  await using triggers = await open(folder.path);
  const bad = ["", "{", "null", "[]", '"x"', "{}", '{"variables":{}}', '{"variables":{"A":1}}', '{"variables":{"a":{}}}'];
  for (const body of [...bad, '{"variables":{"__proto__":1}}', '{"variables":{"a":1},"level":"emergency"}', "\u0000".repeat(100)]) {
    triggers.clock.advance(1_000);
    const { status, body: problem } = await triggers.call("POST", "/variables", body);
    expect([status, typeof problem["detail"]]).toEqual([422, "string"]);
  }
  expect((await triggers.call("POST", "/variables", `{"variables":{"a":"${"x".repeat(200_000)}"}}`)).status).toBe(413);
  expect((await triggers.call("GET", "/")).status).toBe(404);
  expect((await triggers.call("DELETE", "/variables")).status).toBe(405);
  // Data that is not HTTP and broken connections do not affect other clients.
  for (const rubbish of ["\u0016\u0003\u0001 rubbish\r\n\r\n", "POST /variables HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"]) {
    const socket = connect(triggers.path);
    socket.on("error", () => undefined);
    await new Promise<void>((resolve) => socket.write(rubbish, () => resolve()));
    socket.destroy();
  }
  triggers.clock.advance(10_000);
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`v${n}`, n]));
  expect((await triggers.set({ variables: many })).status).toBe(200);
  expect(await triggers.set({ variables: { one_more: 1 } })).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("100") },
  });
  expect((await triggers.call("GET", "/variables")).body).toEqual({ variables: many });
});

test("[VAR11] requests beyond the rate limit are rejected, to protect the disk, and accepted again a second later", async () => {
  await using folder = await temporaryFolder();
  await using triggers = await open(folder.path);
  const statuses: number[] = [];
  for (let n = 0; n < 40; n += 1) statuses.push((await triggers.set({ variables: { queue: n } })).status);
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), ...Array.from({ length: 20 }, () => 429)]);
  expect((await triggers.call("GET", "/variables")).body).toEqual({ variables: { queue: 19 } });
  triggers.clock.advance(1_000);
  for (let n = 0; n < 12; n += 1) statuses.push((await triggers.set({ variables: { queue: n } })).status);
  expect(statuses.slice(40)).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
});
