// Creates commands, signed for the device of their player.
import type { DeviceCommand } from "../../protocol/device/command-request.ts";
import type { MakeId } from "../store/ids.ts";
import type { CommandRow, PlayerRow } from "../store/tables.ts";
import type { Signer } from "./devices/signer.ts";

export function createCommand(
  { makeId, signer }: { makeId: MakeId; signer: Signer },
  player: PlayerRow,
  request: DeviceCommand,
  now: number,
): CommandRow {
  // A JWS has whole seconds. Round up here, so that the row and the JWS have the same expiry.
  const expiresAt = (Math.ceil(now / 1_000) + request.ttl_s) * 1_000;
  const id = makeId("cmd");
  const jws = signer.signCommand({
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
  };
}

/** The id inside a command that this service signed. */
export function commandIdIn(jws: string): string {
  const payload = JSON.parse(Buffer.from(jws.split(".")[1]!, "base64url").toString()) as { jti: string };
  return payload.jti;
}
