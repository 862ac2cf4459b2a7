// Compact JWS with Ed25519 (RFC 7515, RFC 8037): signatures of the service's commands and revocations, and a device's proof of its key.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from "node:crypto";
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
export function signJws(typ: string, payload: object, keys: KeyPair): string {
  const header = Buffer.from(JSON.stringify({ alg: "EdDSA", typ })).toString("base64url");
  const body = Buffer.from(JSON.stringify(payload)).toString("base64url");
  const signature = sign(null, Buffer.from(`${header}.${body}`), privateKeyOf(keys));
  return `${header}.${body}.${signature.toString("base64url")}`;
}

/**
 * The payload of a compact JWS, after checking its `typ` and its signature by `publicKey`.
 * @throws Fault `signature` when the JWS is malformed, has another `typ`, or its signature is wrong.
 */
export function verifyJws(typ: string, jws: string, publicKey: string): unknown {
  try {
    const [header, body, signature, ...rest] = jws.split(".");
    if (header === undefined || body === undefined || signature === undefined || rest.length > 0) throw new Error("not three parts");
    const head: unknown = JSON.parse(Buffer.from(header, "base64url").toString());
    if (typeof head !== "object" || head === null || !("alg" in head) || head.alg !== "EdDSA" || !("typ" in head) || head.typ !== typ) {
      throw new Error(`not an EdDSA signature of type ${typ}`);
    }
    const good = verify(null, Buffer.from(`${header}.${body}`), publicKeyOf(publicKey), Buffer.from(signature, "base64url"));
    if (!good) throw new Error("the signature does not match");
    return JSON.parse(Buffer.from(body, "base64url").toString());
  } catch (cause) {
    throw new Fault("signature", `rejected a ${typ}`, { cause });
  }
}

/** The name of a key: its RFC 7638 thumbprint (SHA-256, base64url). */
export function thumbprint(publicKey: string): string {
  return createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${publicKey}"}`).digest("base64url");
}

function privateKeyOf(keys: KeyPair): KeyObject {
  return createPrivateKey({
    format: "jwk",
    key: { kty: "OKP", crv: "Ed25519", x: keys.publicKey, d: keys.privateKey },
  });
}

function publicKeyOf(publicKey: string): KeyObject {
  return createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: publicKey } });
}
