// Release keys: makes Ed25519 key files, reads them, and signs with them.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  scryptSync,
  sign,
} from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { Key, Signature } from "@tufjs/models";
import { z } from "zod";
import { writeSynced } from "../../base/files/durable-file.ts";
import { Fault, hasErrorCode, reasonOf } from "../../base/fault.ts";

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`), `must be ${bytes} bytes in hexadecimal`);
const Public = hex(32);
const Encrypted = z.strictObject({
  kdf: z.strictObject({ name: z.literal("scrypt"), n: z.literal(131_072), r: z.literal(8), p: z.literal(1), salt: hex(16) }),
  nonce: hex(12),
  sealed: hex(48),
});
const PublicKeyFile = z.strictObject({ type: z.literal("signage-release-public-key"), public: Public });
const SecretKeyFile = z.strictObject({
  type: z.literal("signage-release-secret-key"),
  public: Public,
  secret: z.union([z.strictObject({ seed: hex(32) }), Encrypted]),
});

/** A key that can sign. */
export interface SigningKey {
  key: Key;
  sign(data: Buffer): Signature;
}

/**
 * Writes a new key to `path` (mode 0600), and its public half to `path` + `.pub`.
 * @param passphrase encrypts the key; null: it is stored as it is.
 * @throws Fault `refused` if one of the files exists.
 */
export async function makeKeyFiles(path: string, passphrase: string | null): Promise<{ keyId: string }> {
  const { d, x } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const seed = Buffer.from(d!, "base64url");
  const shared = Buffer.from(x!, "base64url").toString("hex");
  const secret = passphrase === null ? { seed: seed.toString("hex") } : encrypt(seed, passphrase, shared);
  await writeNew(path, { type: "signage-release-secret-key", public: shared, secret });
  await writeNew(`${path}.pub`, { type: "signage-release-public-key", public: shared });
  return { keyId: tufKey(shared).keyID };
}

/** The public key in a `.pub` file. @throws Fault `refused` if it cannot be read. */
export async function readPublicKey(path: string): Promise<Key> {
  return tufKey((await readJson(path, PublicKeyFile, "a public key: name the file that ends in .pub")).public);
}

/** The key in a file of {@link makeKeyFiles}. @throws Fault `refused` if it cannot be read, or the passphrase is missing or wrong. */
export async function readSigningKey(path: string, passphrase: string | null): Promise<SigningKey> {
  const file = await readJson(path, SecretKeyFile, "a secret key of signage-release");
  const seed = "seed" in file.secret ? Buffer.from(file.secret.seed, "hex") : decrypt(file.secret, passphrase, file.public, path);
  const [d, x] = [seed.toString("base64url"), Buffer.from(file.public, "hex").toString("base64url")];
  const secret = createPrivateKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", d, x } });
  const key = tufKey(file.public);
  return { key, sign: (data) => new Signature({ keyID: key.keyID, sig: sign(null, data, secret).toString("hex") }) };
}

/** The key as TUF's metadata names it. Its id is the SHA-256 of its canonical JSON, which for these fields is plain JSON. */
function tufKey(shared: string): Key {
  const json = JSON.stringify({ keytype: "ed25519", keyval: { public: shared }, scheme: "ed25519" });
  const keyID = createHash("sha256").update(json).digest("hex");
  return new Key({ keyID, keyType: "ed25519", scheme: "ed25519", keyVal: { public: shared } });
}

function encrypt(seed: Buffer, passphrase: string, shared: string): z.infer<typeof Encrypted> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv("aes-256-gcm", derive(passphrase, salt), nonce).setAAD(Buffer.from(shared, "hex"));
  const sealed = Buffer.concat([cipher.update(seed), cipher.final(), cipher.getAuthTag()]);
  const kdf = { name: "scrypt", n: 131_072, r: 8, p: 1, salt: salt.toString("hex") } as const;
  return { kdf, nonce: nonce.toString("hex"), sealed: sealed.toString("hex") };
}

function decrypt({ kdf, nonce, sealed }: z.infer<typeof Encrypted>, passphrase: string | null, shared: string, path: string): Buffer {
  if (passphrase === null) throw new Fault("refused", `${path} is encrypted: give its passphrase with --passphrase-file`);
  const [bytes, salt] = [Buffer.from(sealed, "hex"), Buffer.from(kdf.salt, "hex")];
  const decipher = createDecipheriv("aes-256-gcm", derive(passphrase, salt), Buffer.from(nonce, "hex")).setAAD(Buffer.from(shared, "hex"));
  try {
    return Buffer.concat([decipher.setAuthTag(bytes.subarray(32)).update(bytes.subarray(0, 32)), decipher.final()]);
  } catch (cause) {
    throw new Fault("refused", `${path}: the passphrase is wrong, or the file is damaged`, { cause });
  }
}

function derive(passphrase: string, salt: Buffer): Buffer {
  return scryptSync(passphrase.normalize("NFC"), salt, 32, { N: 131_072, r: 8, p: 1, maxmem: 256 * 2 ** 20 });
}

async function writeNew(path: string, value: unknown): Promise<void> {
  try {
    await writeSynced(path, `${JSON.stringify(value, null, 2)}\n`, "wx");
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
    throw new Fault("refused", `${path} exists: a key is never replaced. Choose another name`, { cause: error });
  }
}

async function readJson<T>(path: string, schema: z.ZodType<T>, what: string): Promise<T> {
  try {
    return schema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    const reason = error instanceof z.ZodError || error instanceof SyntaxError ? "its content is something else" : reasonOf(error);
    throw new Fault("refused", `${path} cannot be used: ${basename(path)} must be ${what} (${reason})`, { cause: error });
  }
}
