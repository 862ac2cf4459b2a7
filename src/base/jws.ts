// Compact JWS with Ed25519 (RFC 7515, RFC 8037): signatures of the service's commands and revocations, and a device's proof of its key.
import { createHash, generateKeyPairSync } from "node:crypto";
import { CompactSign } from "jose/jws/compact/sign";
import { compactVerify } from "jose/jws/compact/verify";
import { Fault } from "./fault.ts";

/** A stored key pair: raw 32-byte Ed25519 keys in base64url. */
export interface KeyPair {
  publicKey: string;
  privateKey: string;
}

/** Creates an Ed25519 key pair. */
export function createKeyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync("ed25519");
  const jwk = privateKey.export({ format: "jwk" });
  return { publicKey: jwk.x!, privateKey: jwk.d! };
}

/** Signs `payload` as a compact JWS. `typ` names its kind, so that one kind is never accepted as another. */
export function signJws(typ: string, payload: object, { publicKey, privateKey }: KeyPair): Promise<string> {
  const jws = new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader({ alg: "EdDSA", typ });
  return jws.sign({ ...jwkOf(publicKey), d: privateKey });
}

/**
 * The payload of a compact JWS, after checking its `typ` and its signature by `publicKey`.
 * @throws Fault `signature` when the JWS is malformed, has another `typ`, or its signature is wrong.
 */
export async function verifyJws(typ: string, jws: string, publicKey: string): Promise<unknown> {
  try {
    const { payload, protectedHeader } = await compactVerify(jws, jwkOf(publicKey), { algorithms: ["EdDSA"] });
    if (protectedHeader.typ !== typ) throw new Error(`not a signature of type ${typ}`);
    return JSON.parse(Buffer.from(payload).toString());
  } catch (cause) {
    throw new Fault("signature", `rejected a ${typ}`, { cause });
  }
}

/** The name of a key: its RFC 7638 thumbprint (SHA-256, base64url). */
export function thumbprint(publicKey: string): string {
  return createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${publicKey}"}`).digest("base64url");
}

function jwkOf(publicKey: string) {
  return { kty: "OKP", crv: "Ed25519", x: publicKey };
}
