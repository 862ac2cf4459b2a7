// A keeper of passkeys in software: makes them and signs with real keys, also in the wrong ways that a service must refuse.
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import type { PasskeyAssertion, PasskeyAttestation, PasskeyCreation, PasskeyRequest } from "../../src/protocol/operator/passkeys.ts";

/** What an answer is about, where it differs from what an honest browser and keeper say. */
export interface Variant {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  isVerified?: boolean;
  counter?: number;
  userHandle?: string;
  /** The id that the answer claims. */
  id?: string;
  /** The key that signs. */
  key?: KeyObject;
  format?: string;
  statement?: Map<string, unknown>;
}

type CborValue = Parameters<typeof isoCBOR.encode>[0];

const present = 0x01;
const verified = 0x04;
const canSync = 0x08;
const isSynced = 0x10;
const hasCredential = 0x40;

export class SoftwarePasskey {
  readonly id = randomBytes(32).toString("base64url");
  readonly rpId: string;
  readonly userHandle: string;
  /** How often it was used. A synced passkey does not count. */
  counter = 0;
  readonly #origin: string;
  readonly #isSynced: boolean;
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });

  /** @param origin of the page in which it is made and used */
  constructor(options: PasskeyCreation, origin: string, { synced = false } = {}) {
    this.rpId = options.rp.id;
    this.userHandle = options.user.id;
    this.#origin = origin;
    this.#isSynced = synced;
  }

  /** What `navigator.credentials.create()` gives. */
  attest({ challenge }: PasskeyCreation, variant: Variant = {}): PasskeyAttestation {
    const { x, y } = this.#keys.publicKey.export({ format: "jwk" });
    const publicKey = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x!, "base64url"))],
      [-3, new Uint8Array(Buffer.from(y!, "base64url"))],
    ]);
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(publicKey)]);
    const object = new Map<string, unknown>([
      ["fmt", variant.format ?? "none"],
      ["attStmt", variant.statement ?? new Map()],
      ["authData", new Uint8Array(this.#authenticatorData(variant, credential))],
    ]);
    const clientDataJSON = this.#clientData("webauthn.create", challenge, variant).toString("base64url");
    const attestationObject = Buffer.from(isoCBOR.encode(object as CborValue)).toString("base64url");
    const named = variant.id ?? this.id;
    return { id: named, rawId: named, type: "public-key", response: { clientDataJSON, attestationObject, transports: ["internal"] } };
  }

  /** What `navigator.credentials.get()` gives. */
  assert({ challenge }: PasskeyRequest, variant: Variant = {}): PasskeyAssertion {
    if (!this.#isSynced) this.counter += 1;
    const clientData = this.#clientData("webauthn.get", challenge, variant);
    const data = this.#authenticatorData(variant);
    const digest = createHash("sha256").update(clientData).digest();
    const signature = sign("sha256", Buffer.concat([data, digest]), variant.key ?? this.#keys.privateKey);
    const named = variant.id ?? this.id;
    return {
      id: named,
      rawId: named,
      type: "public-key",
      response: {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle: variant.userHandle ?? this.userHandle,
      },
    };
  }

  #clientData(type: string, challenge: string, variant: Variant): Buffer {
    const { origin = this.#origin, crossOrigin = false } = variant;
    return Buffer.from(JSON.stringify({ type: variant.type ?? type, challenge: variant.challenge ?? challenge, origin, crossOrigin }));
  }

  #authenticatorData({ rpId = this.rpId, isVerified = true, counter = this.counter }: Variant, credential?: Buffer): Buffer {
    const flags =
      present | (isVerified ? verified : 0) | (this.#isSynced ? canSync | isSynced : 0) | (credential === undefined ? 0 : hasCredential);
    const end = Buffer.alloc(5);
    end.writeUInt8(flags);
    end.writeUInt32BE(counter, 1);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), end, credential ?? Buffer.alloc(0)]);
  }
}
