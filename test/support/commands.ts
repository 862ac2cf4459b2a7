// Commands on real files for tests: signs them, counts how often they run, and reads what the service would receive.
import { join } from "node:path";
import { CorrectedClock } from "../../src/base/clock.ts";
import { createKeyPair, type KeyPair, signJws, thumbprint } from "../../src/base/jws.ts";
import { silentLog } from "../../src/base/log.ts";
import { CommandJournal } from "../../src/player/commands/command-journal.ts";
import { CommandRunner, type CommandExecutor } from "../../src/player/commands/command-runner.ts";
import { type OutboxMessage, Outbox } from "../../src/player/proof/outbox.ts";
import { type CommandUpdate, commandJwsType } from "../../src/protocol/device/commands.ts";
import type { FakeClock } from "./clock.ts";
import { newId } from "./states.ts";

export const service = createKeyPair();
const device = createKeyPair();

/** Creates and opens the journal, like a player that is paired for the first time. */
export async function pairedCommands(folder: string, clock: FakeClock, execute: CommandExecutor, keys: KeyPair = service) {
  await CommandJournal.create({ folder, serviceKey: keys.publicKey, clock: new CorrectedClock(clock), log: silentLog });
  return openCommands(folder, clock, execute, { keys });
}

/** Opens the journal in `folder`, like a paired player that starts. */
export async function openCommands(
  folder: string,
  clock: FakeClock,
  execute: CommandExecutor,
  /** How far the service's clock is ahead of the device's; null: the service has not told the time yet. */
  { aheadMs = 0, keys = service }: { aheadMs?: number | null; keys?: KeyPair } = {},
) {
  const corrected = new CorrectedClock(clock);
  const learn = (byMs: number): void => {
    const at = corrected.raw();
    corrected.learn({ t0: at, t1: at + byMs, t2: at + byMs, t3: at });
  };
  const outbox = await Outbox.open(join(folder, "outbox"), corrected, silentLog);
  const about = { thumbprint: thumbprint(device.publicKey), serviceKey: keys.publicKey, log: silentLog };
  const commands = await CommandRunner.open({ folder, ...about, clock: corrected, outbox, execute });
  if (aheadMs !== null) learn(aheadMs);
  return { commands, outbox, learn };
}

/** A command that the service signs at `issuedAt`, by default now. */
export function signedCommand(
  clock: FakeClock,
  about: { id?: string; type?: string; args?: object; ttlS?: number; sub?: string; issuedAt?: number } = {},
  keys = service,
  typ: string = commandJwsType,
): string {
  const { id = newId("cmd"), type = "identify", args = {}, ttlS = 600, sub = thumbprint(device.publicKey), issuedAt = clock.now() } = about;
  const iat = Math.trunc(issuedAt / 1_000);
  return signJws(typ, { sub, jti: id, iat, exp: iat + ttlS, made_at: issuedAt, type, args }, keys);
}

/** The updates in the outbox, in the order in which the service would receive them. */
export async function updatesIn(outbox: Outbox): Promise<CommandUpdate[]> {
  const updates: CommandUpdate[] = [];
  const done = new AbortController();
  const deliver = async (message: OutboxMessage): Promise<void> => {
    if (message.is === "command-status") updates.push(message.update);
    if (outbox.length <= 1) done.abort();
  };
  if (outbox.length === 0) return [];
  await outbox.run(deliver, done.signal).catch(() => undefined);
  return updates;
}

/** Only the statuses. */
export async function statusesIn(outbox: Outbox): Promise<string[]> {
  return (await updatesIn(outbox)).map(({ status }) => status);
}

/** An executor that records the ids of the commands that it runs. */
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
