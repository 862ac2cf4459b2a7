// Runs a player's commands on real files: signed as by a service, executed by a counting executor, with the reports for the service.
import { createPrivateKey, sign } from "node:crypto";
import { join } from "node:path";
import { CorrectedClock } from "../../src/base/clock.ts";
import { createKeyPair, type KeyPair, thumbprint } from "../../src/base/jws.ts";
import { silentLog } from "../../src/base/log.ts";
import { DiskHealth } from "../../src/player/storage/disk-health.ts";
import { CommandJournal } from "../../src/player/commands/command-journal.ts";
import { CommandRunner } from "../../src/player/commands/command-runner.ts";
import type { CommandModule } from "../../src/player/commands/command-module.ts";
import { CommandSet } from "../../src/player/commands/command-set.ts";
import { Outbox } from "../../src/player/outbox/outbox.ts";
import type { OutboxMessage } from "../../src/player/outbox/outbox-message.ts";
import { DeviceCommand } from "../../src/protocol/device/command-request.ts";
import { type CommandUpdate, commandJwsType } from "../../src/protocol/device/commands.ts";
import type { FakeClock } from "./clock.ts";
import { newId } from "./states.ts";

export const service = createKeyPair();
const device = createKeyPair();

export type CommandExecutor = CommandModule["run"];

/** All commands, each carried out by `execute`. A restart has succeeded once the player runs again. */
export function commandSet(execute: CommandExecutor): CommandSet {
  const modules = DeviceCommand.options.map(({ shape }): CommandModule => {
    const module: CommandModule = { type: shape.type.value, deadlineMs: 60_000, run: execute };
    return shape.type.value === "restart" ? { ...module, outcomeAfterRestart: () => ({ is: "done", result: {} }) } : module;
  });
  return new CommandSet(modules);
}

/** Starts the journal and opens the commands, as a player does after its first pairing. */
export async function pairedCommands(folder: string, clock: FakeClock, execute: CommandExecutor | CommandSet, keys: KeyPair = service) {
  await CommandJournal.create({
    folder,
    serviceKey: keys.publicKey,
    clock: new CorrectedClock(clock),
    log: silentLog,
    disk: new DiskHealth(silentLog),
  });
  return openCommands(folder, clock, execute, { keys });
}

/** Opens the commands stored in `folder`, as a paired player does when it starts. */
export async function openCommands(
  folder: string,
  clock: FakeClock,
  execute: CommandExecutor | CommandSet,
  /** How far the service's clock is ahead of the machine's; null if the service's time is unknown. */
  { aheadMs = 0, keys = service }: { aheadMs?: number | null; keys?: KeyPair } = {},
) {
  const corrected = new CorrectedClock(clock);
  const learn = (byMs: number): void => {
    const at = corrected.raw();
    corrected.learn({ t0: at, t1: at + byMs, t2: at + byMs, t3: at });
  };
  const disk = new DiskHealth(silentLog);
  const outbox = await Outbox.open(join(folder, "outbox"), corrected, silentLog, disk);
  const about = { thumbprint: thumbprint(device.publicKey), serviceKey: keys.publicKey, log: silentLog, disk };
  const commands = await CommandRunner.open({
    folder,
    ...about,
    clock: corrected,
    outbox,
    commands: execute instanceof CommandSet ? execute : commandSet(execute),
  });
  if (aheadMs !== null) learn(aheadMs);
  return { commands, outbox, disk, learn };
}

/** A command as the service signs it at `issuedAt`, or now. */
export function signedCommand(
  clock: Pick<FakeClock, "now">,
  about: { id?: string; type?: string; args?: object; ttlS?: number; sub?: string; issuedAt?: number } = {},
  keys = service,
  typ: string = commandJwsType,
): string {
  const { id = newId("cmd"), type = "identify", args = {}, ttlS = 600, sub = thumbprint(device.publicKey), issuedAt = clock.now() } = about;
  const iat = Math.trunc(issuedAt / 1_000);
  return jwsOf(typ, { sub, jti: id, iat, exp: iat + ttlS, made_at: issuedAt, type, args }, keys);
}

/** A compact JWS by RFC 7515 alone: the library that signs for the service has no part in it. */
function jwsOf(typ: string, payload: object, { publicKey, privateKey }: KeyPair): string {
  const text = [{ alg: "EdDSA", typ }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const key = createPrivateKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: publicKey, d: privateKey } });
  return `${text}.${sign(null, Buffer.from(text), key).toString("base64url")}`;
}

/** The updates in the outbox, in the order in which the service would receive them. */
export async function updatesIn(outbox: Outbox): Promise<CommandUpdate[]> {
  const updates: CommandUpdate[] = [];
  const done = new AbortController();
  const deliver = async (message: OutboxMessage): Promise<null> => {
    if (message.is === "command-status") updates.push(message.update);
    if (outbox.length <= 1) done.abort();
    return null;
  };
  if (outbox.length === 0) return [];
  await outbox.run(deliver, done.signal).catch(() => undefined);
  return updates;
}

/** The statuses of these updates. */
export async function statusesIn(outbox: Outbox): Promise<string[]> {
  return (await updatesIn(outbox)).map(({ status }) => status);
}

/** An executor that only records the ids of the commands. */
export function countingExecutor() {
  const runs: string[] = [];
  const execute: CommandExecutor = async (command) => {
    runs.push(command.id);
    return { is: "done", result: null };
  };
  return { runs, execute };
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
