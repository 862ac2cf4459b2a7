// Verifies the answers of browsers when a passkey is made or used. Loaded when it is first needed: the library is large.
import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { decodeAttestationObject, decodeClientDataJSON, isoBase64URL } from "@simplewebauthn/server/helpers";
import type { PasskeyAssertion, PasskeyAttestation } from "../../../protocol/operator/passkeys.ts";
import type { PasskeyRow } from "../../store/tables/people.ts";
import type { PasskeySite } from "./site.ts";

/** The algorithms of keys that are accepted, most wanted first: EdDSA, ES256, RS256 (COSE). */
export const keyAlgorithms: readonly number[] = [-8, -7, -257];

/** A passkey that a browser has made. */
export type MadePasskey = Pick<PasskeyRow, "credential_id" | "public_key" | "counter" | "is_synced"> & { aaguid: string };

/** The challenge that a browser says it has signed; undefined: it says nothing readable. */
export function challengeIn({ response }: PasskeyAssertion | PasskeyAttestation): string | undefined {
  try {
    const { challenge } = decodeClientDataJSON(response.clientDataJSON);
    return typeof challenge === "string" ? challenge : undefined;
  } catch (error) {
    // It is no JSON. Whoever asks refuses it, and says why.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** @throws Error unless the browser made the passkey for this challenge and website, and has verified the person. */
export async function verifyMade(
  { response, ...credential }: PasskeyAttestation,
  challenge: string,
  { host, origin }: PasskeySite,
): Promise<MadePasskey> {
  requireNoCertificate(response.attestationObject);
  const { clientDataJSON, attestationObject } = response;
  requireOwnPage(clientDataJSON);
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...credential, clientExtensionResults: {}, response: { clientDataJSON, attestationObject } },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: host,
    requireUserVerification: true,
    supportedAlgorithmIDs: [...keyAlgorithms],
  });
  if (registrationInfo === undefined) throw new Error("the signature of the new passkey is wrong");
  const { aaguid, credential: made, credentialDeviceType } = registrationInfo;
  if (made.id !== credential.id) throw new Error("the passkey's id differs from the one that was signed");
  return {
    aaguid,
    credential_id: made.id,
    public_key: isoBase64URL.fromBuffer(made.publicKey),
    counter: made.counter,
    is_synced: Number(credentialDeviceType === "multiDevice"),
  };
}

/**
 * @returns the passkey's new counter
 * @throws Error unless this passkey has signed this challenge on this website, after its keeper has verified the person, and
 * unless its counter has grown: else there is a copy of it.
 */
export async function verifyUsed(
  { response, ...credential }: PasskeyAssertion,
  challenge: string,
  { host, origin }: PasskeySite,
  { credential_id, public_key, counter }: PasskeyRow,
): Promise<number> {
  const { clientDataJSON, authenticatorData, signature } = response;
  requireOwnPage(clientDataJSON);
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...credential, clientExtensionResults: {}, response: { clientDataJSON, authenticatorData, signature } },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: host,
    requireUserVerification: true,
    credential: { id: credential_id, publicKey: isoBase64URL.toBuffer(public_key), counter },
  });
  if (!verified) throw new Error("the signature is wrong");
  return authenticationInfo.newCounter;
}

/** The service asks for no certificate of the keeper, and does not read one: the library would fetch the addresses in it. */
function requireNoCertificate(attestationObject: string): void {
  const object = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = object.get("fmt");
  const isSelfSigned = format === "packed" && object.get("attStmt").get("x5c") === undefined;
  if (format !== "none" && !isSelfSigned) throw new Error(`the format ${String(format)} was not asked for`);
}

/** Refuses a signature from inside of another website's page. */
function requireOwnPage(clientDataJSON: string): void {
  if (decodeClientDataJSON(clientDataJSON).crossOrigin === true) throw new Error("the page was inside of another website");
}
