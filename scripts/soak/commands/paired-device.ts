// Pairs the folder of a device process with a service, before its first start.
import { fileURLToPath } from "node:url";
import { CorrectedClock, createSystemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { CommandJournal } from "../../../src/player/commands/command-journal.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { Device } from "../../../test/service/harness.ts";
import { type Api, Program } from "../../../test/support/programs/programs.ts";

/** @returns the id of the new player. */
export async function pairFolder(api: Api, folder: string, name: string): Promise<string> {
  const disk = new DiskHealth(silentLog);
  const identity = await Identity.open(folder, silentLog, disk);
  const device = Object.assign(new Device(api.url), { keys: identity.keys });
  const { user_code } = await device.askForCode();
  await api.ok("POST", "players/pair", { code: user_code, name });
  const { player_id: playerId, player_name: playerName, service_key: serviceKey } = await device.firstToken();
  await CommandJournal.create({ folder, serviceKey, clock: new CorrectedClock(createSystemClock()), log: silentLog, disk });
  await identity.pair({ server: `${api.url}/`, playerId, playerName, serviceKey });
  return playerId;
}

/** Starts the process of a paired folder. */
export function startDevice(server: string, folder: string, effects: string): Program {
  return new Program([fileURLToPath(new URL("device-process.ts", import.meta.url)), server, folder, effects]);
}
