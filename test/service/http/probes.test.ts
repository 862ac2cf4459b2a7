// Health checks and metrics, and how the service program starts and stops.
import { once } from "node:events";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { get } from "node:https";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { createSelfSignedCertificate } from "../../support/network/certificate.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Program, startService } from "../../support/programs/programs.ts";
import { withoutNode } from "./without-node.ts";
import { TestService, call } from "../harness.ts";
import { owner, createTokenFor } from "../people/people.ts";
import { Receiver } from "../events/receiver.ts";
import { createOlderData } from "../store/older.ts";
import { isOnPostgres } from "../test-database.ts";

/** The value of a metric with these labels; 0 if it has none yet. */
function valueOf(text: string, name: string, labels = ""): number {
  const line = text.split("\n").find((each) => each.startsWith(`${name}${labels === "" ? " " : labels}`));
  return Number(line?.split(" ").at(-1) ?? 0);
}

async function metricsOf(testService: TestService): Promise<string> {
  return withoutNode((await testService.call("GET", "/metrics")).body.toString());
}

test("[MON1] a running service is alive and ready; a stopping one is not ready", async () => {
  await using folder = await temporaryFolder();
  await using testService = await TestService.start(folder.path);
  const { url, port } = testService.service;
  expect((await call(url, "GET", "/healthz")).body).toEqual({ status: "ok" });
  expect((await call(url, "GET", "/readyz")).body).toEqual({ status: "ready" });
  // A socket that does not close delays the stop for the grace period.
  const device = await testService.pairDevice();
  const link = await device.connect();
  link.socket.removeAllListeners("close");
  link.socket.pause();
  const kept = connect(port, "127.0.0.1");
  await once(kept, "connect");
  const answers: string[] = [];
  kept.on("data", (part) => answers.push(part.toString()));
  const stopped = testService.service[Symbol.asyncDispose]();
  kept.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
  await expect.poll(() => answers.join("")).toMatch(/^HTTP\/1.1 503 .*The service is stopping/s);
  link.socket.terminate();
  kept.destroy();
  await stopped;
});

test("[NOD23] a node that is told to stop is not ready at once, sends its players away over the drain's time, and serves requests meanwhile", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock, drainMs: 30_000 });
  const links = [];
  for (const name of ["One", "Two", "Three"]) links.push(await (await api.pairDevice(name)).connect());
  const stopped = api[Symbol.asyncDispose]();
  for (const [at, link] of links.entries()) {
    expect(await link.closed).toBe(1012);
    // The others stay until it is their turn.
    for (const later of links.slice(at + 1)) expect(await later.receivesNo("goaway")).toBe(true);
    expect((await call(api.service.url, "GET", "/readyz")).status).toBe(503);
    expect((await api.call("POST", "playlists", { name: "while draining", items: [] })).status).toBe(201);
    clock.advance(10_000);
  }
  await stopped;
});

test("[MON2] metrics cover requests, commands, webhooks, sockets and the process, with labels of few values", async () => {
  await using folder = await temporaryFolder();
  await using receiver = await Receiver.start();
  await using testService = await TestService.start(folder.path, { allowAddresses: ["127.0.0.1/32"] });
  await testService.call("POST", "webhooks", { name: "W", url: receiver.url, events: ["command.queued"] });
  const device = await testService.pairDevice();
  const link = await device.connect();
  await testService.call("GET", `players/${device.playerId}`);
  await testService.call("GET", "players/plr_01jd3v8q6m9x2k4n7r5t1w0yzh");
  await testService.call("GET", "/nowhere/at/all");
  const listener = new WebSocket(`${testService.service.url.replace("http", "ws")}/api/v1/events`, "signage.events.v1", {
    headers: { authorization: `Bearer ${testService.token}` },
  });
  await once(listener, "open");
  await testService.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  await link.next("command");
  await expect.poll(() => receiver.received.length).toBe(1);
  await expect.poll(async () => valueOf(await metricsOf(testService), "signage_webhook_attempts_total", '{outcome="delivered"}')).toBe(1);
  await expect.poll(async () => valueOf(await metricsOf(testService), "signage_subscribers_connected")).toBe(1);
  await expect.poll(async () => valueOf(await metricsOf(testService), "signage_commands_total", '{status="delivered"}')).toBe(1);
  const text = await metricsOf(testService);
  expect(valueOf(text, "signage_requests_total", '{operation="getPlayer",status="200"}')).toBe(1);
  expect(valueOf(text, "signage_requests_total", '{operation="getPlayer",status="404"}')).toBe(1);
  expect(valueOf(text, "signage_requests_total", '{operation="other",status="404"}')).toBe(1);
  expect(valueOf(text, "signage_request_duration_seconds_count", '{operation="getPlayer"}')).toBe(2);
  const durations = [...text.matchAll(/^signage_request_duration_seconds_bucket\{le="(.+)",operation="getPlayer"\} (\d+)$/gm)];
  expect(durations.map(([, , count]) => Number(count))).toEqual(durations.map(([, , count]) => Number(count)).toSorted((a, b) => a - b));
  expect(durations.at(-1)?.slice(1)).toEqual(["+Inf", "2"]);
  // The Prometheus text format: a name, labels in braces, a number. Each name has its help text before its first value.
  const named = new Set<string>();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, name] = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line) ?? [];
    if (name !== undefined) named.add(name);
    if (line.startsWith("#")) continue;
    const [, sample] = /^(\w+)(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? -?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.exec(line) ?? [];
    expect(named, line).toContain(sample?.replace(/(?<=_seconds)_(?:bucket|sum|count)$/, ""));
  }
  expect(valueOf(text, "signage_commands_total", '{status="queued"}')).toBe(1);
  expect(valueOf(text, "signage_players_connected")).toBe(1);
  expect(valueOf(text, "signage_player_handshakes_total")).toBe(1);
  expect(valueOf(text, "process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
  expect(valueOf(text, "process_cpu_user_seconds_total")).toBeGreaterThan(0);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  // Labels contain no id, path or name.
  expect(text).not.toMatch(/plr_|cmd_|whk_|team_|nowhere/);
  link.socket.terminate();
  await expect.poll(async () => valueOf(await metricsOf(testService), "signage_players_connected")).toBe(0);
  listener.terminate();
});

test("[MON3] metrics can be read from the service's own machine, with a token with teams:read, or by anyone if configured", async () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === "IPv4" && !each.internal)?.address;
  await using folder = await temporaryFolder();
  // Requests over loopback come from this machine; requests over its external address do not count as local.
  await using testService = await TestService.start(join(folder.path, "a"), outside === undefined ? {} : { host: outside });
  const me = await owner(testService);
  const may = await createTokenFor(testService, me, ["teams:read"]);
  const mayNot = await createTokenFor(testService, me, ["players:read"]);
  const ask = (headers: Record<string, string>) => call(testService.service.url, "GET", "/metrics", undefined, headers);
  // Proxied requests do not count as local, even if the proxy runs on this machine.
  const far = { "x-forwarded-for": "203.0.113.9" };
  expect((await ask(far)).status).toBe(401);
  expect((await ask({ via: "1.1 proxy" })).status).toBe(401);
  expect((await ask({ ...far, authorization: mayNot.authorization })).status).toBe(403);
  expect((await ask({ ...far, authorization: may.authorization })).status).toBe(200);
  expect((await ask({})).status).toBe(outside === undefined ? 200 : 401);
  await using open = await TestService.start(join(folder.path, "b"), { metricsPublic: true });
  expect((await call(open.service.url, "GET", "/metrics", undefined, far)).status).toBe(200);
  await using near = await TestService.start(join(folder.path, "c"));
  expect((await call(near.service.url, "GET", "/metrics")).status).toBe(200);
});

test.skipIf(isOnPostgres)("[SRV4] the data folder of a newer version is rejected with one line and stays unchanged", async () => {
  await using folder = await temporaryFolder();
  for (const [name, step] of [
    ["telemetry.db", "9999-future"],
    ["plays.db", "0001-aaa"],
    ["state.db", "9999-future"],
  ] as const) {
    const data = join(folder.path, name);
    await (await TestService.start(data))[Symbol.asyncDispose]();
    const file = new DatabaseSync(join(data, name));
    file.prepare("INSERT INTO kysely_migration VALUES (?, ?)").run(step, "2027-01-01T00:00:00.000Z");
    file.close();
    const before = await readFile(join(data, "state.db"));
    const refusal = `was written by a newer version (${name} has ${step})`;
    await expect(TestService.start(data)).rejects.toThrow(refusal);
    expect((await readFile(join(data, "state.db"))).equals(before)).toBe(true);
    if (name !== "state.db") continue;
    await using program = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", data]);
    expect(await program.exitCode).toBe(1);
    expect(program.output.trim().split("\n")).toHaveLength(1);
    expect(program.output).toContain(refusal);
  }
});

test.skipIf(isOnPostgres)("[SRV7] a migration that fails changes nothing, and the next start migrates once the cause is gone", async () => {
  await using folder = await temporaryFolder();
  // The first statement of 0006-events succeeds; then `webhook_attempts` exists already.
  await createOlderData(folder.path, "0005-records", "CREATE TABLE webhook_attempts (x)");
  const inFile = <T>(read: (file: DatabaseSync) => T): T => {
    const file = new DatabaseSync(join(folder.path, "state.db"));
    try {
      return read(file);
    } finally {
      file.close();
    }
  };
  const tables = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE '%kysely_migration%' ORDER BY name";
  const schema = () => inFile((file) => file.prepare(tables).all());
  const before = schema();
  await expect(TestService.start(folder.path)).rejects.toThrow("webhook_attempts already exists");
  expect(schema()).toEqual(before);
  inFile((file) => file.exec("DROP TABLE webhook_attempts"));
  await using api = await TestService.start(folder.path);
  expect((await api.call("GET", "webhooks")).status).toBe(200);
});

test("[SRV5] a second signal ends a stopping program at once", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(folder.path);
  const { program, api } = service;
  // A request without its body delays the stop for the grace period.
  const { port } = new URL(api.url);
  const slow = connect(Number(port), "127.0.0.1");
  slow.on("error", () => undefined); // the service cuts the connection
  slow.write(`POST /api/v1/playlists HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.token}\r\nContent-Length: 9\r\n`);
  slow.write("Content-Type: application/json\r\n\r\n{");
  await once(slow, "connect");
  await api.ok("GET", "me");
  process.kill(program.pid, "SIGTERM");
  await program.line("stopping");
  const again = setInterval(() => process.kill(program.pid, "SIGTERM"), 100);
  void program.exitCode.finally(() => clearInterval(again));
  expect(await program.exitCode).toBe(1);
  clearInterval(again);
  expect(program.output).toContain("after a second request to stop");
  slow.destroy();
});

test("[SRV6] with a certificate the service accepts only TLS", async (context) => {
  await using folder = await temporaryFolder();
  const created = await createSelfSignedCertificate(folder.path);
  if (created === null) return context.skip("openssl is not installed");
  const { key, cert } = created;
  await mkdir(join(folder.path, "data"));
  const flags = ["--port", "0", "--data", join(folder.path, "data"), "--tls-cert", cert, "--tls-key", key];
  await using program = new Program(["src/main/cli.ts", "serve", ...flags]);
  const url = new URL(String((await program.line("listening"))["url"]));
  expect(url.protocol).toBe("https:");
  const ca = await readFile(cert);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    get({ host: "127.0.0.1", servername: "localhost", port: url.port, path: "/readyz", ca }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
  expect(status).toBe(200);
  // WebSockets use TLS too.
  const socket = new WebSocket(`wss://localhost:${url.port}/api/v1/device/ws`, "signage.device.v1", { ca });
  const [code] = (await once(socket, "close")) as [number];
  expect(code).toBe(4401);
  await expect(fetch(`http://127.0.0.1:${url.port}/healthz`)).rejects.toThrow();
  expect(await readdir(join(folder.path, "data"))).toContain("state.db");
});
