// Finds the player that a device or its machine has already, and decides whether it may take it.
import type { EnrolmentWarning } from "../../../protocol/device/enrolment.ts";
import type { Db } from "../../store/store.ts";
import type { EnrolmentKeyRow, EnrolmentRow, PlayerRow } from "../../store/tables/fleet.ts";
import type { Presence } from "../presence/presence.ts";
import { isSameMachine, type MachineIdentity } from "./machine-identity.ts";

/** A player counts as possibly alive for this long after its last sign of life: twice as long as it counts as online. */
export const quietMs = 180_000;
// Enough to see that a serial is shared.
const maxRows = 20;

/** The player that a device or its machine was before. */
export type EarlierPlayer =
  | { is: "none"; warnings: EnrolmentWarning[] }
  /** The device's key is that of this player. */
  | { is: "same-device"; player: PlayerRow }
  /** The machine was this player, and it is silent. */
  | { is: "same-machine"; player: PlayerRow }
  /** The machine was this player, which may still run on another machine with the same serial. */
  | { is: "undecided"; player: PlayerRow; waitMs: number };

/** The player of a device's key in the key's team; else that of its machine, if the key allows that. */
export async function findEarlierPlayer(
  db: Db,
  presence: Presence,
  key: EnrolmentKeyRow,
  device: MachineIdentity & { publicKey: string },
  now: number,
): Promise<EarlierPlayer> {
  const rows = await db
    .selectFrom("players")
    .selectAll()
    .where("public_key", "=", device.publicKey)
    .where("team_id", "=", key.team_id)
    .orderBy("id", "desc")
    .execute();
  const own = rows.find(({ removed_at }) => removed_at === null);
  if (own !== undefined) return { is: "same-device", player: own };
  const [deleted] = rows;
  const warnings = deleted === undefined ? [] : [deletedWarning(deleted)];
  if (key.replace_by_serial !== 1) return { is: "none", warnings };
  const byMachine = await playerOfMachine(db, presence, key, device, now);
  return byMachine.is === "none" ? { is: "none", warnings: [...warnings, ...byMachine.warnings] } : byMachine;
}

async function playerOfMachine(
  db: Db,
  presence: Presence,
  key: EnrolmentKeyRow,
  machine: MachineIdentity,
  now: number,
): Promise<EarlierPlayer> {
  const similar = await similarEnrolments(db, key.id, machine);
  const same = similar.filter((row) => isSameMachine(row, machine));
  const [match] = same;
  if (match === undefined) {
    const other = machine.serial === null ? undefined : similar.find(({ serial }) => serial === machine.serial);
    return { is: "none", warnings: other === undefined ? [] : [sharedWarning(machine.serial!, other)] };
  }
  const online = same.find(({ player_id }) => presence.isOnline(player_id));
  if (online !== undefined) return { is: "none", warnings: [inUseWarning(online)] };
  if (same.length > 1) return { is: "none", warnings: [ambiguousWarning(same)] };
  const player = await db.selectFrom("players").selectAll().where("id", "=", match.player_id).executeTakeFirstOrThrow();
  const aliveAt = Math.max(match.enrolled_at, presence.lastSeenAt(player.id) ?? 0);
  // A clock that was set back must not make the device wait for longer.
  const waitMs = Math.min(aliveAt + quietMs - now, quietMs);
  return waitMs > 0 ? { is: "undecided", player, waitMs } : { is: "same-machine", player };
}

/** The enrolments by the key, of players that were not deleted, with the same serial or MAC address. The newest come first. */
async function similarEnrolments(db: Db, keyId: string, { serial, mac }: MachineIdentity): Promise<(EnrolmentRow & { name: string })[]> {
  if (serial === null && mac === null) return [];
  return db
    .selectFrom("enrolments")
    .innerJoin("players", "players.id", "enrolments.player_id")
    .selectAll("enrolments")
    .select("players.name")
    .where("enrolments.key_id", "=", keyId)
    .where("players.removed_at", "is", null)
    .where((row) =>
      row.or([
        ...(serial === null ? [] : [row("enrolments.serial", "=", serial)]),
        ...(mac === null ? [] : [row("enrolments.mac", "=", mac)]),
      ]),
    )
    .orderBy("enrolments.player_id", "desc")
    .limit(maxRows)
    .execute();
}

function inUseWarning({ player_id, name }: { player_id: string; name: string }): EnrolmentWarning {
  const message = `“${name}” (${player_id}) has the same serial number or MAC address and is online, so this is another machine: it became a new screen`;
  return { code: "machine-in-use", message };
}

function ambiguousWarning(rows: readonly { player_id: string }[]): EnrolmentWarning {
  const ids = rows.slice(0, 3).map(({ player_id }) => player_id);
  const message = `Several screens have this serial number or MAC address (${ids.join(", ")}): it became a new screen. To give it one of them, use POST /players/{id}/replace`;
  return { code: "machine-ambiguous", message };
}

function sharedWarning(serial: string, { player_id, name }: { player_id: string; name: string }): EnrolmentWarning {
  const message = `“${name}” (${player_id}) has the same serial number (${serial}) but another MAC address: it became a new screen. If it is the same machine with another network adapter, use POST /players/{id}/replace`;
  return { code: "serial-shared", message };
}

function deletedWarning({ id, name, erased_at }: PlayerRow): EnrolmentWarning {
  const where = erased_at === null ? "it is in the bin, from where it can be restored" : "it was deleted for good";
  const message = `This device was “${name}” (${id}) before: ${where}. It became a new screen`;
  return { code: "earlier-player-deleted", message };
}
