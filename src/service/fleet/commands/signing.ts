// Creates commands, signed for the device of their player.
import { decodeJwt } from "jose/jwt/decode";
import type { DeviceCommand } from "../../../protocol/device/command-request.ts";
import type { SignedCommand } from "../../../protocol/device/commands.ts";
import type { MakeId } from "../../store/ids.ts";
import type { CommandRow, PlayerRow } from "../../store/tables/fleet.ts";
import type { Signer } from "../devices/signer.ts";
import { historyLine } from "./history.ts";

/** The wave to which a command belongs. */
export interface CommandWave {
  batchId: string;
  /** Counted from 0. */
  wave: number;
}

export async function createCommand(
  { makeId, signer }: { makeId: MakeId; signer: Signer },
  player: PlayerRow,
  request: DeviceCommand,
  now: number,
  batch: CommandWave | null,
): Promise<CommandRow> {
  // A JWS has whole seconds. Round up here, so that the row and the JWS have the same expiry.
  const expiresAt = (Math.ceil(now / 1_000) + request.ttl_s) * 1_000;
  const id = makeId("cmd");
  const jws = await signer.signCommand({
    sub: player.thumbprint,
    jti: id,
    iat: Math.trunc(now / 1_000),
    exp: expiresAt / 1_000,
    made_at: now,
    type: request.type,
    args: request.args,
  });
  return {
    id,
    team_id: player.team_id,
    player_id: player.id,
    type: request.type,
    args: JSON.stringify(request.args),
    status: "queued",
    result: null,
    error: null,
    jws,
    created_at: now,
    updated_at: now,
    expires_at: expiresAt,
    history: historyLine("queued", now),
    cancel_requested_at: null,
    batch_id: batch?.batchId ?? null,
    wave: batch?.wave ?? null,
  };
}

/** The id inside a command that this service signed. */
export function commandIdIn(jws: string): string {
  return decodeJwt<SignedCommand>(jws).jti;
}
