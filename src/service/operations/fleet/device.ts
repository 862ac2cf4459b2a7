// What devices ask: a code, a token, their state, its files; and what they tell: heartbeats and results.
import { z } from "zod";
import { CommandUpdate } from "../../../protocol/device/commands.ts";
import { DesiredState } from "../../../protocol/device/desired-state.ts";
import { Heartbeat, HeartbeatAnswer } from "../../../protocol/device/heartbeat.ts";
import { id, Sha256 } from "../../../protocol/common.ts";
import { Nonce, PairingGrant, PairingRequest, TokenGrant, TokenRefusal, TokenRequest } from "../../../protocol/device/messages.ts";
import type { StoredAssetRow } from "../../content/asset-rows.ts";
import { handleHeartbeat } from "../../fleet/devices/heartbeats.ts";
import { mediaTypes } from "../../media/media-info.ts";
import type { TokenResult } from "../../fleet/pairing.ts";
import { FileResponse, found, NoContent, operation, JsonResponse, type Contexts, type Operation } from "../operation.ts";
import { deviceScreenshot } from "./device-screenshot.ts";

const longestWaitS = 30;
const assetParams = z.strictObject({ sha256: Sha256 });

export const deviceOperations: readonly Operation[] = [
  operation({
    name: "requestPairing",
    tag: "device",
    method: "POST",
    path: "/device/pairing-requests",
    summary: "Ask for a pairing code",
    description: "RFC 8628, section 3.2. An earlier unclaimed code of the same key ends.",
    caller: "anyone",
    body: PairingRequest,
    example: {
      public_key: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
      player_version: "0.1.0",
      hardware: "Raspberry Pi 5",
      timezone: "Europe/London",
      resolution: { width: 1920, height: 1080 },
    },
    status: 201,
    output: PairingGrant,
    errors: ["invalid", "too-many"],
    run: ({ parts, address }, { body }) => parts.pairing.requestCode(body, address),
  }),
  operation({
    name: "createNonce",
    tag: "device",
    method: "POST",
    path: "/device/nonce",
    summary: "Get a nonce to sign",
    description: "Good once, for a minute.",
    caller: "anyone",
    status: 201,
    output: Nonce,
    errors: [],
    run: async ({ parts }) => parts.access.createNonce(),
  }),
  operation({
    name: "createDeviceToken",
    tag: "device",
    method: "POST",
    path: "/device/token",
    summary: "Get an access token by proof of the device's key",
    description:
      "A refusal has the body of RFC 8628, section 3.5. Only its signed `revocation` unpairs a device; an `error` alone never does.",
    caller: "anyone",
    body: TokenRequest,
    status: 200,
    output: TokenGrant,
    others: { 400: { description: "Refused, or not claimed yet", schema: TokenRefusal } },
    errors: ["invalid"],
    headers: { Prefer: "`wait=25` holds a pending answer back until the code is claimed (RFC 7240)" },
    async run(context, { body }) {
      const waitS = waitOf(context.header("prefer"));
      const answer =
        "device_code" in body
          ? await context.parts.pairing.requestToken(body.device_code, body.proof, waitS * 1_000, context.signal)
          : await renew(context, body.player_id, body.proof);
      if (answer.is === "granted") return new JsonResponse(200, answer.grant, { "Cache-Control": "no-store" });
      const applied: Record<string, string> = waitS > 0 ? { "Preference-Applied": `wait=${waitS}` } : {};
      const refusal = { ...answer.refusal, service_key: context.parts.access.serviceKey };
      return new JsonResponse(400, refusal, { ...applied, "Cache-Control": "no-store" });
    },
  }),
  operation({
    name: "getDeviceState",
    tag: "device",
    method: "GET",
    path: "/device/state",
    summary: "Read what the screen should show",
    description: "The truth; the socket only hints that it changed. The ETag is the revision.",
    caller: "device",
    status: 200,
    output: DesiredState,
    others: { 304: { description: "It is the revision of If-None-Match" } },
    errors: [],
    headers: { "If-None-Match": "The ETag of the state at hand" },
    async run({ parts, player, header }) {
      const desired = await parts.desired.read(parts.store.db, player);
      const headers = { ETag: `"${desired.revision}"`, "Cache-Control": "private, no-cache" };
      const held = (header("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
      return held.includes(headers.ETag) ? new JsonResponse(304, undefined, headers) : new JsonResponse(200, desired, headers);
    },
  }),
  operation({
    name: "sendHeartbeat",
    tag: "device",
    method: "POST",
    path: "/device/heartbeat",
    summary: "Send a heartbeat where sockets are blocked",
    description: "The answer holds all that a device needs to catch up, as the socket's does.",
    caller: "device",
    body: Heartbeat,
    status: 200,
    output: HeartbeatAnswer,
    errors: ["invalid"],
    run: ({ parts, player }, { body }) => handleHeartbeat(parts, player.id, body, parts.clock.now(), "poll"),
  }),
  operation({
    name: "updateCommand",
    tag: "device",
    method: "POST",
    path: "/device/commands/{id}/status",
    summary: "Tell how a command fares",
    description: "Repeats are harmless; a status never moves back.",
    caller: "device",
    params: z.strictObject({ id: id("cmd") }),
    body: CommandUpdate,
    example: { status: "succeeded", result: { screenshot_id: "shot_01jd3v8q6m9x2k4n7r5t1w0yzh" } },
    status: 204,
    output: NoContent,
    errors: ["not-found", "invalid"],
    async run({ parts, player }, { params, body }) {
      await parts.commands.update(player, params.id, body);
    },
  }),
  deviceScreenshot,
  operation({
    name: "getDeviceAsset",
    tag: "device",
    method: "GET",
    path: "/device/assets/{sha256}",
    summary: "Download a file of the state",
    description: "The bytes, whole or by `Range`; the ETag is their SHA-256.",
    caller: "device",
    params: assetParams,
    status: 200,
    output: NoContent,
    file: mediaTypes,
    errors: ["not-found", "range-not-satisfiable"],
    headers: { Range: "One range of bytes", "If-None-Match": "Answers 304 to the ETag of the bytes" },
    async run({ parts, player }, { params }) {
      const row = await parts.store.db
        .selectFrom("assets")
        .selectAll()
        .where("team_id", "=", player.team_id)
        .where("sha256", "=", params.sha256)
        .$narrowType<StoredAssetRow>()
        .limit(1)
        .executeTakeFirst();
      return new FileResponse(found(row, "file"));
    },
  }),
];

/** Gives a paired device a new token, or the proof that it was removed. */
async function renew({ parts }: Contexts["anyone"], playerId: string, proof: string): Promise<TokenResult> {
  const player = await parts.store.db.selectFrom("players").selectAll().where("id", "=", playerId).executeTakeFirst();
  if (player === undefined || !parts.access.isValidProof(proof, player.public_key, playerId)) {
    const revocation = player === undefined ? null : await parts.access.revocationForFormerDevice(playerId, proof);
    if (revocation !== null) {
      const why = "The player has another box now";
      return { is: "refused", refusal: { error: "access_denied", error_description: why, revocation } };
    }
    const why = "There is no such player, or the proof does not match its key and a fresh nonce";
    return { is: "refused", refusal: { error: "invalid_grant", error_description: why } };
  }
  if (player.removed_at === null) return { is: "granted", grant: await parts.access.issueToken(player) };
  const revocation = parts.access.revocation(player);
  return { is: "refused", refusal: { error: "access_denied", error_description: "The player was removed", revocation } };
}

/** Seconds of a `Prefer: wait=` header, bounded. */
function waitOf(prefer: string | undefined): number {
  const match = /(?:^|[,;\s])wait=(\d{1,4})(?:$|[,;\s])/i.exec(prefer ?? "");
  return match === null ? 0 : Math.min(Number(match[1]), longestWaitS);
}
