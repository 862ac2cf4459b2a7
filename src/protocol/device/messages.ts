// Messages between service and device: pairing, tokens, and the WebSocket.
import { z } from "zod";
import { dayMs } from "../../base/time.ts";
import { Heartbeat, HeartbeatAnswer } from "./heartbeat.ts";
import { DesiredState } from "./desired-state.ts";
import { HeartbeatDelta, heartbeatDeltaFeature } from "./heartbeat-delta.ts";
import { findJsonExcess } from "../json-bounds.ts";
import { describeRefusal } from "../refusal.ts";
import { deviceText } from "../text.ts";
import { Count, id, LifetimeSeconds, RawInstant } from "../common.ts";

const PublicKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be a raw Ed25519 public key in base64url");

/** `POST /device/pairing-requests`: a device requests a pairing code. */
export const PairingRequest = z
  .strictObject({
    public_key: PublicKey,
    player_version: deviceText(64),
    hardware: deviceText(200).nullable(),
    timezone: deviceText(64),
    resolution: z.strictObject({ width: z.int().min(0).max(65_535), height: z.int().min(0).max(65_535) }).nullable(),
  })
  .meta({ id: "PairingRequest" });
export type PairingRequest = z.infer<typeof PairingRequest>;

/** The response, with the names of RFC 8628, section 3.2. `verification_uri` is null when the service has no public address. */
export const PairingGrant = z
  .object({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string().nullable(),
    verification_uri_complete: z.string().nullable(),
    expires_in: LifetimeSeconds.describe("Seconds"),
    interval: LifetimeSeconds.describe("Seconds between polls"),
  })
  .meta({ id: "PairingGrant" });
export type PairingGrant = z.infer<typeof PairingGrant>;

/** `POST /device/nonce`: a nonce that the next token request must sign, within a minute. */
export const Nonce = z.object({ nonce: z.string(), expires_in: LifetimeSeconds }).meta({ id: "Nonce" });

/** `typ` of the JWS that proves possession of the device's key. Its payload is {@link TokenProof}. */
export const tokenProofJwsType = "signage-token-proof+jws";
export const TokenProof = z.object({
  nonce: z.string(),
  aud: z.string().describe("`device_code` or the player's id"),
});

/**
 * `POST /device/token`: a device code (first time) or a player's id (renewal), and the proof by the device's key.
 * With `Prefer: wait=25` (RFC 7240) the service holds back a pending response until the code is claimed.
 */
export const TokenRequest = z
  .union([
    z.strictObject({
      grant_type: z.literal("urn:ietf:params:oauth:grant-type:device_code"),
      device_code: z.string().max(128),
      proof: z.string().max(2_048),
    }),
    z.strictObject({
      grant_type: z.literal("urn:signage:device-key"),
      player_id: id("plr"),
      proof: z.string().max(2_048),
    }),
  ])
  .meta({ id: "TokenRequest" });
export type TokenRequest = z.infer<typeof TokenRequest>;

/** A granted token. The first one pins `service_key`, which must sign all later commands and revocations. */
export const TokenGrant = z
  .object({
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: LifetimeSeconds.describe("Seconds"),
    player_id: id("plr"),
    player_name: z.string(),
    service_key: PublicKey,
  })
  .meta({ id: "TokenGrant" });
export type TokenGrant = z.infer<typeof TokenGrant>;

/**
 * A refused token (400, with the errors of RFC 8628, section 3.5). Only a `revocation` signed by the pinned key unpairs
 * the player; `error` alone never does.
 */
export const TokenRefusal = z
  .object({
    error: z.enum(["authorization_pending", "slow_down", "expired_token", "access_denied", "invalid_grant", "invalid_request"]),
    error_description: z.string().optional(),
    revocation: z.string().optional().describe("Signed revocation"),
    service_key: PublicKey.optional().describe("Lets a player notice that the service uses another key. Older services do not send it"),
  })
  .meta({ id: "TokenRefusal" });
export type TokenRefusal = z.infer<typeof TokenRefusal>;

/** Subprotocol of the WebSocket at `GET /device/ws`. */
export const deviceSubprotocol = "signage.device.v1";
/** Close codes of the device WebSocket. */
export const closeCodes = {
  revoked: 4403,
  replaced: 4409,
  /** Another device uses the same identity and is connected. The player polls. */
  identityShared: 4410,
  restarting: 1012,
  tooSlow: 1013,
  badToken: 4401,
} as const;
/** Maximum message size in both directions. Larger data goes over HTTP. */
export const longestMessageBytes = 65_536;
/** The entry in `hello` of a device that takes states in `state.changed`. */
export const statePushFeature = "state-push";

const Seq = z.int().min(1).max(1e15);
// A day. A player that waits longer would seem lost.
const longestWaitMs = dayMs;

const envelope = {
  id: deviceText(64),
  ts: RawInstant.describe("Sender's wall clock, ms since the epoch"),
};
const fromDevice = {
  ...envelope,
  ack: Count.optional().describe("The highest `seq` handled, with all before it"),
};
const toDevice = {
  ...envelope,
  seq: Seq.optional().describe("Position in the device's journal. Messages without it are not replayed"),
};

const spreadMs = z
  .int()
  .min(0)
  .max(longestWaitMs)
  .describe("After losing the connection, the player waits a random part of this before its first attempt");

/** A message from a device. */
export const DeviceMessage = z.discriminatedUnion("type", [
  z.object({
    ...fromDevice,
    type: z.literal("hello"),
    data: z.object({
      epoch: deviceText(64).nullable().describe("The journal that the device knows; null at first"),
      last_seq: Count,
      revision: deviceText(64).nullable(),
      heartbeat: Heartbeat,
      features: z
        .array(deviceText(64))
        .max(64)
        .optional()
        .describe(`What this device understands beyond the first protocol: \`${statePushFeature}\`. Older devices do not send it`),
    }),
  }),
  z.object({ ...fromDevice, type: z.literal("heartbeat"), data: Heartbeat }),
  z
    .object({ ...fromDevice, type: z.literal("heartbeat.delta"), data: HeartbeatDelta })
    .describe("Only to a service whose `welcome` lists this feature. Answered like `heartbeat`, or by `heartbeat.wanted`"),
  z.object({ ...fromDevice, type: z.literal("ack"), data: z.object({}) }),
  z.object({ ...fromDevice, type: z.literal("unsupported"), data: z.object({ type: deviceText(64) }) }),
]);
export type DeviceMessage = z.infer<typeof DeviceMessage>;

/** A message from the service. `state.changed` is only a hint: the device fetches `GET /device/state`, unless it contains the state. */
export const ServiceMessage = z.discriminatedUnion("type", [
  z.object({
    ...toDevice,
    type: z.literal("welcome"),
    data: z.object({
      session_id: z.string(),
      epoch: z.string().describe("The journal to which `seq` belongs"),
      resumed: z
        .boolean()
        .describe("False: the service does not know which messages were missed. Fetch the state and take all pending commands"),
      heartbeat_ms: z.int().min(100).max(longestWaitMs),
      reconnect_spread_ms: spreadMs,
      answer: HeartbeatAnswer,
      features: z
        .array(deviceText(64))
        .max(64)
        .optional()
        .describe(`What this service understands beyond the first protocol: \`${heartbeatDeltaFeature}\`. Older services do not send it`),
    }),
  }),
  z.object({
    ...toDevice,
    type: z.literal("heartbeat.answer"),
    // Repeated, because the fleet may have grown since the welcome. Older services do not send it.
    data: HeartbeatAnswer.extend({ reconnect_spread_ms: spreadMs.optional() }),
  }),
  z
    .object({ ...toDevice, type: z.literal("heartbeat.wanted"), data: z.object({}) })
    .describe("A `heartbeat.delta` does not fit the last heartbeat that the service has: send a whole one now"),
  z.object({
    ...toDevice,
    type: z.literal("state.changed"),
    data: z.object({
      revision: z.string(),
      // One that cannot be read counts as not sent: the fetch reports its fault.
      state: DesiredState.optional()
        .catch(undefined)
        .describe(
          `The state of this revision, for a device whose \`hello\` lists \`${statePushFeature}\`. Without it, as when it is too long for a message, the device fetches it`,
        ),
    }),
  }),
  z.object({
    ...toDevice,
    type: z.literal("command"),
    data: z.object({ command: z.string().describe("Signed command") }),
  }),
  z.object({
    ...toDevice,
    type: z.literal("revoked"),
    data: z.object({ revocation: z.string().describe("Signed revocation") }),
  }),
  z.object({
    ...toDevice,
    type: z.literal("goaway"),
    data: z.object({ reconnect_after_ms: z.int().min(0).max(longestWaitMs) }),
  }),
]);
export type ServiceMessage = z.infer<typeof ServiceMessage>;
/** The fields common to all messages, for a type that is not known. */
const UnknownMessage = z.object({ type: deviceText(64), seq: Seq.optional() });

/** A parsed message. Of an unknown one only type and `seq` are read, if it has them; it is ignored and counted. */
export type ParsedMessage<T> =
  | { is: "known"; message: T }
  | { is: "unknown"; type: string | undefined; seq: number | undefined; reason: string };

/** Parses a message by the schema of the other side's messages. */
export function parseMessage<T>(schema: z.ZodType<T>, text: string): ParsedMessage<T> {
  const excess = findJsonExcess(text);
  if (excess !== null) return { is: "unknown", type: undefined, seq: undefined, reason: excess.detail };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { is: "unknown", type: undefined, seq: undefined, reason: "not JSON" };
  }
  const message = schema.safeParse(json);
  if (message.success) return { is: "known", message: message.data };
  const envelopeFields = UnknownMessage.safeParse(json).data;
  return { is: "unknown", type: envelopeFields?.type, seq: envelopeFields?.seq, reason: describeRefusal(message.error) };
}
