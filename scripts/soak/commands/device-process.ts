// A player's command path in a process of its own, without a screen: the real connection, journal, outbox and runner. Each command
// that begins appends a line to a file. Usage: device-process.ts SERVER FOLDER EFFECTS
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { CorrectedClock, createSystemClock } from "../../../src/base/clock.ts";
import { runAll } from "../../../src/base/async/run-all.ts";
import { silentLog } from "../../../src/base/log.ts";
import { CommandRunner } from "../../../src/player/commands/command-runner.ts";
import { done, type CommandModule } from "../../../src/player/commands/command-module.ts";
import { CommandSet } from "../../../src/player/commands/command-set.ts";
import { AccessTokens } from "../../../src/player/link/access.ts";
import { Connection } from "../../../src/player/link/connection.ts";
import { createDeviceApiClient } from "../../../src/player/link/device-api-client.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { Outbox } from "../../../src/player/outbox/outbox.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import type { Heartbeat } from "../../../src/protocol/device/heartbeat.ts";

const [server = "", folder = "", effects = ""] = process.argv.slice(2);
const clock = new CorrectedClock(createSystemClock());
const disk = new DiskHealth(silentLog);
const identity = await Identity.open(folder, silentLog, disk);
if (identity.pairing === null) throw new Error(`${folder} has no pairing`);
const outbox = await Outbox.open(join(folder, "outbox"), clock, silentLog, disk);

const begin = (id: string): void => appendFileSync(effects, `${JSON.stringify({ id, at: Date.now() })}\n`);
const ping: CommandModule<"ping"> = {
  type: "ping",
  deadlineMs: 30_000,
  async run({ id }) {
    begin(id);
    return done();
  },
};
const identify: CommandModule<"identify"> = {
  type: "identify",
  deadlineMs: 30_000,
  async run({ id, args }, signal) {
    begin(id);
    await clock.wait(args.duration_ms, signal);
    return done();
  },
};
const restart: CommandModule<"restart"> = {
  type: "restart",
  deadlineMs: 30_000,
  async run({ id }) {
    begin(id);
    setTimeout(() => process.exit(0), 20);
    return { is: "later" };
  },
  outcomeAfterRestart: () => done({}),
};
const commands = await CommandRunner.open({
  folder,
  thumbprint: identity.thumbprint,
  serviceKey: identity.pairing.serviceKey,
  clock,
  outbox,
  commands: new CommandSet([ping, identify, restart]),
  log: silentLog,
  disk,
});

const api = new ServiceApi(() => server);
const accessTokens = new AccessTokens(api, identity, identity.pairing, clock, async () => undefined);
const connection = new Connection({
  api,
  accessTokens,
  clock,
  log: silentLog,
  createHeartbeat: async () => heartbeat(),
  onRevision: () => undefined,
  onCommand: (jws, signal) => commands.receive(jws, signal),
  onRevocation: async () => undefined,
});
const client = createDeviceApiClient(api, accessTokens);
process.stdout.write(`${JSON.stringify({ msg: "started" })}\n`);
await runAll([(end) => connection.run(end), (end) => outbox.run(client.sendOutboxMessage, end)], new AbortController().signal);

function heartbeat(): Heartbeat {
  return {
    boot_id: "chaos",
    sent_at_ms: clock.raw(),
    uptime_ms: Math.trunc(clock.monotonic()),
    player_version: "0.1.0",
    engine: "none",
    hardware: null,
    timezone: "UTC",
    resolution: null,
    content: { is: "empty", revision: null, applied_revision: null, ready_bytes: 0, total_bytes: 0, detail: null },
    now_playing: [],
    rendering: true,
    last_frame_at: null,
    memory_bytes: 1,
    cpu_load: 0,
    temperature_c: null,
    disk_free_bytes: null,
    clock_offset_ms: clock.offset.offsetMs,
    clock_error_ms: null,
  };
}
