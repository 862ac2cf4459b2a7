// The API schemas of passkeys (WebAuthn). The objects of browsers have the names of the Web Authentication standard.
import { z } from "zod";
import { Name, Timestamp, id } from "../common.ts";

/** Bytes as browsers write them in JSON: base64url without padding. */
function bytes(maxLength: number) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[A-Za-z0-9_-]+$/, "must be base64url without padding")
    .meta({ examples: ["AQIDBAUGBwgJCgsMDQ4PEA"] });
}

// A credential's id has at most 1,023 bytes.
const CredentialId = bytes(1_364);
const PublicKeyType = z.literal("public-key");
const Challenge = z.string().describe("Valid once, for five minutes");
const Host = z.string().describe("The host name of the console for which the passkey was made: browsers use it nowhere else");

/** The result of `navigator.credentials.get()`, as `PublicKeyCredential.toJSON()` writes it. */
export const PasskeyAssertion = z
  .object({
    id: CredentialId,
    rawId: CredentialId,
    type: PublicKeyType,
    response: z.object({
      clientDataJSON: bytes(4_096),
      authenticatorData: bytes(4_096),
      signature: bytes(8_192),
      userHandle: bytes(88).nullish(),
    }),
  })
  .describe("What `navigator.credentials.get()` gives, as `PublicKeyCredential.toJSON()` writes it")
  .meta({ id: "PasskeyAssertion" });
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;

/** The result of `navigator.credentials.create()`, as `PublicKeyCredential.toJSON()` writes it. */
const PasskeyAttestation = z
  .object({
    id: CredentialId,
    rawId: CredentialId,
    type: PublicKeyType,
    response: z.object({
      clientDataJSON: bytes(4_096),
      attestationObject: bytes(32_768),
      transports: z.array(z.string().max(32)).max(16).optional(),
    }),
  })
  .describe("What `navigator.credentials.create()` gives, as `PublicKeyCredential.toJSON()` writes it");
export type PasskeyAttestation = z.infer<typeof PasskeyAttestation>;

export const NewPasskey = z
  .strictObject({
    name: Name.optional().describe("Default: the kind of keeper, such as `iCloud Keychain`, or the browser"),
    credential: PasskeyAttestation,
  })
  .meta({ id: "NewPasskey" });
export const PasskeyChange = z.strictObject({ name: Name }).meta({ id: "PasskeyChange" });

/** A passkey of a person. The service has only its public key. */
export const Passkey = z
  .object({
    id: id("psk"),
    name: Name,
    host: Host,
    credential_id: z.string().describe("By it the browser can tell the keeper that the passkey was removed"),
    is_synced: z.boolean().describe("Whether its keeper makes it available on other devices of the person"),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: "Passkey" });
export type Passkey = z.infer<typeof Passkey>;

export const PasskeyList = z.object({ data: z.array(Passkey) }).meta({ id: "PasskeyList" });

const Credential = z.object({ id: z.string(), type: PublicKeyType, transports: z.array(z.string()).optional() });

/** The options for `navigator.credentials.get()`. */
export const PasskeyRequest = z
  .object({
    challenge: Challenge,
    rpId: Host,
    timeout: z.int().describe("Milliseconds"),
    userVerification: z.literal("required"),
    allowCredentials: z.array(Credential).describe("The person's passkeys; empty: any that the browser has for this host"),
  })
  .describe("The options for `navigator.credentials.get()`, for `PublicKeyCredential.parseRequestOptionsFromJSON()`")
  .meta({ id: "PasskeyRequest" });
export type PasskeyRequest = z.infer<typeof PasskeyRequest>;

/** The options for `navigator.credentials.create()`. */
export const PasskeyCreation = z
  .object({
    challenge: Challenge,
    rp: z.object({ id: Host, name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: PublicKeyType, alg: z.int() })),
    timeout: z.int().describe("Milliseconds"),
    attestation: z.literal("none"),
    excludeCredentials: z.array(Credential).describe("The passkeys that the person has already"),
    authenticatorSelection: z.object({
      residentKey: z.literal("required"),
      requireResidentKey: z.literal(true),
      userVerification: z.literal("required"),
    }),
  })
  .describe("The options for `navigator.credentials.create()`, for `PublicKeyCredential.parseCreationOptionsFromJSON()`")
  .meta({ id: "PasskeyCreation" });
export type PasskeyCreation = z.infer<typeof PasskeyCreation>;
