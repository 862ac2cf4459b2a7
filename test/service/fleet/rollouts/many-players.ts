// Writes many paired players with device tokens into the database of a stopped service: pairing each by its API takes too long.
import type { Clock } from "../../../../src/base/clock.ts";
import { hashSecret } from "../../../../src/service/people/token-secrets.ts";
import { newId } from "../../../support/states.ts";
import { Device, TestService } from "../../harness.ts";
import { openTables } from "../../tables-of.ts";

const tokenLifetimeMs = 3_600_000;

/** Copies one player that it pairs by the API. @returns devices, whose tokens last for an hour; set their `url` after the start. */
export async function writePlayers(folder: string, clock: Clock, count: number): Promise<Device[]> {
  let first: string;
  {
    await using api = await TestService.start(folder, { clock });
    first = (await api.pairDevice("Screen 0")).playerId;
  }
  using state = openTables(folder);
  const row = state.prepare("select * from players where id = ?").get(first)!;
  const columns = Object.keys(row);
  const insert = state.prepare(`insert into players (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`);
  const grant = state.prepare("insert into device_tokens (hash, player_id, expires_at) values (?, ?, ?)");
  const until = Math.trunc(clock.now()) + tokenLifetimeMs;
  const devices: Device[] = [];
  state.exec("begin");
  for (let index = 1; index <= count; index += 1) {
    const id = newId("plr");
    const token = `token-${id}`;
    const copy = { ...row, id, name: `Screen ${index}`, public_key: `key ${id}`, thumbprint: id };
    insert.run(...Object.values(copy));
    grant.run(hashSecret(token), id, until);
    const device = new Device("");
    devices.push(Object.assign(device, { access: { access_token: token, player_id: id } }));
  }
  state.prepare("delete from device_tokens where player_id = ?").run(first);
  state.prepare("delete from players where id = ?").run(first);
  state.exec("commit");
  return devices;
}
