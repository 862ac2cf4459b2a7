// Operations for players: pairing, tokens, desired state, files, heartbeats and command results.
import { z } from "zod";
import { id, Sha256 } from "../../../../protocol/common.ts";
import { CommandUpdate } from "../../../../protocol/device/commands.ts";
import { DesiredState } from "../../../../protocol/device/desired-state.ts";
import { Heartbeat, HeartbeatAnswer } from "../../../../protocol/device/heartbeat.ts";
import { Nonce, PairingGrant, PairingRequest, TokenGrant, TokenRefusal, TokenRequest } from "../../../../protocol/device/messages.ts";
import type { DeviceAccess } from "../device-access.ts";
import { handleHeartbeat, type HeartbeatDependencies } from "../../heartbeats/heartbeats.ts";
import type { Pairing, TokenResult } from "../../pairing/pairing.ts";
import type { DesiredStates } from "../../state/desired-states.ts";
import { found } from "../../../http/problem.ts";
import { mediaTypes } from "../../../media/media-info.ts";
import { deviceLog, type DeviceLogDependencies } from "./device-log.ts";
import { deviceScreenshot, type DeviceScreenshotDependencies } from "./device-screenshot.ts";
import { NoContent, operationsWith, type Operation } from "../../../operations/operation.ts";
import { FileResponse, JsonResponse } from "../../../operations/responses.ts";
import { findFile } from "../../../content/store.ts";
import { findAnyPlayer } from "../../store.ts";

interface DeviceDependencies extends HeartbeatDependencies, DeviceScreenshotDependencies, DeviceLogDependencies {
  access: DeviceAccess;
  desired: DesiredStates;
  pairing: Pairing;
}

const longestWaitS = 30;
const assetParams = z.strictObject({ sha256: Sha256 });

const operation = operationsWith<DeviceDependencies>();

export const deviceOperations: readonly Operation<DeviceDependencies>[] = [
  operation({
    name: "requestPairing",
    tag: "device",
    method: "POST",
    path: "/device/pairing-requests",
    summary: "Request a pairing code",
    description: "RFC 8628, section 3.2. An earlier unclaimed code of the same key becomes invalid.",
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
    run: ({ pairing }, { address }, { body }) => pairing.requestCode(body, address),
  }),
  operation({
    name: "createNonce",
    tag: "device",
    method: "POST",
    path: "/device/nonce",
    summary: "Get a nonce to sign",
    description: "Valid once, for one minute.",
    caller: "anyone",
    status: 201,
    output: Nonce,
    errors: [],
    run: async ({ access }) => access.createNonce(),
  }),
  operation({
    name: "createDeviceToken",
    tag: "device",
    method: "POST",
    path: "/device/token",
    summary: "Get an access token with a proof of the device's key",
    description:
      "An error has the body of RFC 8628, section 3.5. Only a signed `revocation` in it unpairs a device; an `error` alone never does.",
    caller: "anyone",
    body: TokenRequest,
    status: 200,
    output: TokenGrant,
    others: { 400: { description: "Rejected, or not claimed yet", schema: TokenRefusal } },
    errors: ["invalid"],
    headers: { Prefer: "`wait=25` delays the response until the code is claimed, at most 25 s (RFC 7240)" },
    async run(dependencies, context, { body }) {
      const waitS = waitOf(context.header("prefer"));
      const result =
        "device_code" in body
          ? await dependencies.pairing.requestToken(body.device_code, body.proof, waitS * 1_000, context.signal)
          : await renew(dependencies, body.player_id, body.proof);
      if (result.is === "granted") return new JsonResponse(200, result.grant, { "Cache-Control": "no-store" });
      const applied: Record<string, string> = waitS > 0 ? { "Preference-Applied": `wait=${waitS}` } : {};
      const refusal = { ...result.refusal, service_key: dependencies.access.serviceKey };
      return new JsonResponse(400, refusal, { ...applied, "Cache-Control": "no-store" });
    },
  }),
  operation({
    name: "getDeviceState",
    tag: "device",
    method: "GET",
    path: "/device/state",
    summary: "Read the desired state",
    description: "What the screen should show. The WebSocket only announces changes of it. The ETag is the revision.",
    caller: "device",
    status: 200,
    output: DesiredState,
    others: { 304: { description: "The revision is the one in If-None-Match" } },
    errors: [],
    headers: { "If-None-Match": "The ETag of the state that the player has" },
    async run({ desired }, { player, header }) {
      const { revision, render } = await desired.document(player);
      const headers = { ETag: `"${revision}"`, "Cache-Control": "private, no-cache" };
      const cachedTags = (header("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
      return cachedTags.includes(headers.ETag) ? new JsonResponse(304, undefined, headers) : new JsonResponse(200, render(), headers);
    },
  }),
  operation({
    name: "sendHeartbeat",
    tag: "device",
    method: "POST",
    path: "/device/heartbeat",
    summary: "Send a heartbeat without a WebSocket",
    description: "For networks that block WebSockets. The response has everything that the player needs to catch up.",
    caller: "device",
    body: Heartbeat,
    status: 200,
    output: HeartbeatAnswer,
    errors: ["invalid"],
    async run(dependencies, { player }, { body }) {
      return (await handleHeartbeat(dependencies, player.id, body, dependencies.clock.now(), "poll")).answer;
    },
  }),
  operation({
    name: "updateCommand",
    tag: "device",
    method: "POST",
    path: "/device/commands/{id}/status",
    summary: "Report the status of a command",
    description: "Repeated reports change nothing; a status never goes back.",
    caller: "device",
    params: z.strictObject({ id: id("cmd") }),
    body: CommandUpdate,
    example: { status: "succeeded", result: { screenshot_id: "shot_01jd3v8q6m9x2k4n7r5t1w0yzh" } },
    status: 204,
    output: NoContent,
    errors: ["not-found", "invalid"],
    async run({ commands }, { player }, { params, body }) {
      await commands.update(player, params.id, body);
    },
  }),
  deviceScreenshot,
  deviceLog,
  operation({
    name: "getDeviceAsset",
    tag: "device",
    method: "GET",
    path: "/device/assets/{sha256}",
    summary: "Download a file of the desired state",
    description: "The bytes, whole or one `Range`; the ETag is their SHA-256.",
    caller: "device",
    params: assetParams,
    status: 200,
    output: NoContent,
    file: mediaTypes,
    errors: ["not-found", "range-not-satisfiable"],
    headers: {
      Range: "One range of bytes",
      "If-None-Match": "The response is 304 if this is the ETag of the bytes",
      Prefer: "`redirect`: the response may be 307 to where the bytes are. Without it the service sends them",
    },
    async run({ store }, { player }, { params }) {
      return new FileResponse(found(await findFile(store.db, player.team_id, params.sha256), "file"));
    },
  }),
];

/** Issues a new token to a paired device, or returns the signed proof that it was removed. */
async function renew({ access, store }: DeviceDependencies, playerId: string, proof: string): Promise<TokenResult> {
  const player = await findAnyPlayer(store.db, playerId);
  if (player === undefined || !(await access.isValidProof(proof, player.public_key, playerId))) {
    const revocation = player === undefined ? null : await access.revocationForFormerDevice(playerId, proof);
    if (revocation !== null) {
      const error_description = "The screen has been moved to another device";
      return { is: "refused", refusal: { error: "access_denied", error_description, revocation } };
    }
    const error_description = "There is no such screen, or the proof does not match its key and a fresh nonce";
    return { is: "refused", refusal: { error: "invalid_grant", error_description } };
  }
  if (player.removed_at === null) return { is: "granted", grant: await access.issueToken(player) };
  const revocation = await access.revocation(player);
  return { is: "refused", refusal: { error: "access_denied", error_description: "The screen was removed", revocation } };
}

/** The seconds in a `Prefer: wait=` header, limited. */
function waitOf(prefer: string | undefined): number {
  const match = /(?:^|[,;\s])wait=(\d{1,4})(?:$|[,;\s])/i.exec(prefer ?? "");
  return match === null ? 0 : Math.min(Number(match[1]), longestWaitS);
}
