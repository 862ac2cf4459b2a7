// A release repository in a folder, signed by real Ed25519 keys, as a test needs it: other keys, expiry, versions, damage.
import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Key, Metadata, MetaFile, Root, Signature, Snapshot, TargetFile, Targets, Timestamp } from "@tufjs/models";
import { Role } from "@tufjs/models/dist/role.js";
import { bundleName, type ReleaseManifest } from "../../src/protocol/device/updates.ts";

type RoleName = "root" | "targets" | "snapshot" | "timestamp";
type Signed = Root | Targets | Snapshot | Timestamp;

interface SigningKey {
  key: Key;
  secret: KeyObject;
}

export interface SignedReleasesOptions {
  /** The day that expiry counts from, ms since the epoch. Default: now */
  now?: number;
  /** How many keys of root and targets have to sign. Default: 2 of 3 */
  threshold?: number;
  /** Days until a role expires. Default: root 365, the others 30 */
  expiryDays?: Partial<Record<RoleName, number>>;
}

const roleNames = ["root", "targets", "snapshot", "timestamp"] as const;
const specVersion = "1.0.31";
const aDayMs = 86_400_000;

/** One repository: change it by its methods, each of which writes and signs new metadata. */
export class SignedReleases {
  readonly folder: string;
  /** The first root, which a device trusts. */
  anchor = Buffer.alloc(0);
  /** The newest root. */
  root = Buffer.alloc(0);
  keys: Record<RoleName, SigningKey[]>;
  now: number;
  readonly #threshold: number;
  readonly #expiryDays: Record<RoleName, number>;
  readonly #versions: Record<RoleName, number> = { root: 0, targets: 0, snapshot: 0, timestamp: 0 };
  readonly #targets = new Map<string, TargetFile>();

  private constructor(folder: string, { now = Date.now(), threshold = 2, expiryDays = {} }: SignedReleasesOptions) {
    this.folder = folder;
    this.now = now;
    this.#threshold = threshold;
    this.#expiryDays = { root: 365, targets: 30, snapshot: 30, timestamp: 30, ...expiryDays };
    this.keys = newKeys();
  }

  static async create(folder: string, options: SignedReleasesOptions = {}): Promise<SignedReleases> {
    const releases = new SignedReleases(folder, options);
    await mkdir(join(folder, "metadata"), { recursive: true });
    await mkdir(join(folder, "targets"), { recursive: true });
    await releases.#writeRoot(releases.keys.root);
    releases.anchor = releases.root;
    await releases.publish();
    return releases;
  }

  /** Adds a bundle and publishes it. Returns its path below the repository. */
  async add(manifest: ReleaseManifest, bytes: Buffer): Promise<string> {
    const name = bundleName(manifest.version, manifest.architecture);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const options = { path: name, length: bytes.length, hashes: { sha256 }, unrecognizedFields: { custom: manifest } };
    this.#targets.set(name, new TargetFile(options));
    const path = `targets/${sha256}.${name}`;
    await writeFile(join(this.folder, path), bytes);
    await this.publish();
    return path;
  }

  remove(name: string): Promise<void> {
    this.#targets.delete(name);
    return this.publish();
  }

  /** Signs targets, snapshot and timestamp anew. @param signers how many keys of targets sign; fewer than the threshold are too few. */
  async publish(signers = this.#threshold): Promise<void> {
    const targets = new Targets({ ...this.#common("targets"), targets: Object.fromEntries(this.#targets) });
    const targetsBytes = await this.#write(targets, this.keys.targets.slice(0, signers), `${targets.version}.targets.json`);
    const snapshot = new Snapshot({ ...this.#common("snapshot"), meta: { "targets.json": metaOf(targets.version, targetsBytes) } });
    const snapshotBytes = await this.#write(snapshot, this.keys.snapshot, `${snapshot.version}.snapshot.json`);
    const timestamp = new Timestamp({ ...this.#common("timestamp"), snapshotMeta: metaOf(snapshot.version, snapshotBytes) });
    await this.#write(timestamp, this.keys.timestamp, "timestamp.json");
  }

  /** Replaces all keys. @param signers how many of the old root's keys sign the new root. */
  async rotate(signers = this.#threshold): Promise<void> {
    const before = this.keys.root.slice(0, signers);
    this.keys = newKeys();
    await this.#writeRoot([...before, ...this.keys.root]);
    await this.publish();
  }

  /** The metadata's bytes, by name, to restore an older state with {@link restore}. */
  async save(): Promise<Map<string, Buffer>> {
    const names = ["timestamp.json", `${this.#versions.snapshot}.snapshot.json`, `${this.#versions.targets}.targets.json`];
    return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(this.folder, "metadata", name))] as const)));
  }

  async restore(saved: Map<string, Buffer>): Promise<void> {
    for (const [name, bytes] of saved) await writeFile(join(this.folder, "metadata", name), bytes);
  }

  async #writeRoot(signers: SigningKey[]): Promise<void> {
    const all = roleNames.flatMap((role) => this.keys[role]);
    const keys = Object.fromEntries(all.map(({ key }) => [key.keyID, key]));
    const roles = Object.fromEntries(
      roleNames.map((role) => {
        const threshold = role === "root" || role === "targets" ? this.#threshold : 1;
        return [role, new Role({ keyIDs: this.keys[role].map(({ key }) => key.keyID), threshold })];
      }),
    );
    const root = new Root({ ...this.#common("root"), keys, roles, consistentSnapshot: true });
    this.root = await this.#write(root, signers, `${root.version}.root.json`);
  }

  #common(role: RoleName) {
    this.#versions[role] += 1;
    const expires = new Date(this.now + this.#expiryDays[role] * aDayMs).toISOString().replace(/\.\d+Z$/, "Z");
    return { version: this.#versions[role], specVersion, expires };
  }

  async #write(signed: Signed, signers: SigningKey[], name: string): Promise<Buffer<ArrayBuffer>> {
    const metadata = new Metadata(signed);
    for (const { key, secret } of signers) {
      metadata.sign((bytes) => new Signature({ keyID: key.keyID, sig: sign(null, bytes, secret).toString("hex") }));
    }
    const bytes = Buffer.from(JSON.stringify(metadata.toJSON()));
    await writeFile(join(this.folder, "metadata", name), bytes);
    return bytes;
  }
}

function metaOf(version: number, bytes: Buffer): MetaFile {
  return new MetaFile({ version, length: bytes.length, hashes: { sha256: createHash("sha256").update(bytes).digest("hex") } });
}

function newKeys(): Record<RoleName, SigningKey[]> {
  const [root, targets] = [Array.from({ length: 3 }, newKey), Array.from({ length: 3 }, newKey)];
  return { root, targets, snapshot: [newKey()], timestamp: [newKey()] };
}

function newKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
  const keyID = createHash("sha256").update(raw).digest("hex");
  return { key: new Key({ keyID, keyType: "ed25519", scheme: "ed25519", keyVal: { public: raw } }), secret: privateKey };
}
