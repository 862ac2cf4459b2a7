// Keeps objects and parts of uploads on disk. What was acknowledged survives kill -9: data is synced first, then named by a rename.
import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { noSuchKey, S3Error } from "./s3-error.ts";

/** An object, or a part of an upload. */
export interface StoredObject {
  key: string;
  size: number;
  /** MD5 in hex, of several parts with their number. */
  etag: string;
  /** The SHA-256 in base64, of several parts the hash of their hashes with their number. */
  sha256: string;
  modifiedAt: number;
  /** The files with its bytes, in order. */
  files: string[];
}

/** Bytes that were received into a file. */
export interface ReceivedData {
  file: string;
  size: number;
  md5: string;
  sha256: string;
}

const minPartBytes = 5 * 1_024 * 1_024;

export class ObjectFiles {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<ObjectFiles> {
    for (const name of ["data", "objects", "uploads"]) await mkdir(join(folder, name), { recursive: true });
    return new ObjectFiles(folder);
  }

  /** Receives bytes into a new file and syncs it. */
  async receive(bytes: AsyncIterable<Buffer>): Promise<ReceivedData> {
    const file = randomUUID();
    const [md5, sha256] = [createHash("md5"), createHash("sha256")];
    let size = 0;
    await using out = await open(this.path(file), "wx");
    for await (const part of bytes) {
      for (const hash of [md5, sha256]) hash.update(part);
      size += part.length;
      await out.write(part);
    }
    await out.sync();
    return { file, size, md5: md5.digest("hex"), sha256: sha256.digest("base64") };
  }

  async discard({ file }: ReceivedData): Promise<void> {
    await rm(this.path(file), { force: true });
  }

  /** @throws S3Error 412 if `isNew` and the object exists. */
  async put(key: string, { file, size, md5, sha256 }: ReceivedData, isNew: boolean): Promise<StoredObject> {
    return this.#store({ key, size, etag: md5, sha256, modifiedAt: Date.now(), files: [file] }, isNew);
  }

  /** @throws S3Error 404 */
  async get(key: string): Promise<StoredObject> {
    const found = await readJson<StoredObject>(this.#objectPath(key));
    if (found === null) throw noSuchKey();
    return found;
  }

  async delete(key: string): Promise<void> {
    const found = await readJson<StoredObject>(this.#objectPath(key));
    await rm(this.#objectPath(key), { force: true });
    for (const file of found?.files ?? []) await rm(this.path(file), { force: true });
  }

  /** The objects behind the key `after`, sorted. */
  async list(prefix: string, after: string, limit: number): Promise<{ objects: StoredObject[]; isTruncated: boolean }> {
    const keys = (await readdir(join(this.#folder, "objects"))).filter((name) => !name.endsWith(".tmp")).map(decodeURIComponent);
    const wanted = keys.filter((key) => key.startsWith(prefix) && key > after).sort();
    const found = await Promise.all(wanted.slice(0, limit).map((key) => readJson<StoredObject>(this.#objectPath(key))));
    return { objects: found.filter((each) => each !== null), isTruncated: wanted.length > limit };
  }

  async createUpload(key: string): Promise<string> {
    const id = randomUUID();
    await mkdir(this.#uploadPath(id));
    await writeJson(join(this.#uploadPath(id), "upload"), { key });
    return id;
  }

  async putPart(id: string, key: string, number: number, { file, size, md5, sha256 }: ReceivedData): Promise<StoredObject> {
    await this.#requireUpload(id, key);
    const part: StoredObject = { key, size, etag: md5, sha256, modifiedAt: Date.now(), files: [file] };
    await writeJson(join(this.#uploadPath(id), String(number)), part);
    return part;
  }

  /** The parts by number, in order. @throws S3Error 404 when the upload has ended. */
  async parts(id: string, key: string): Promise<Map<number, StoredObject>> {
    await this.#requireUpload(id, key);
    const names = (await readdir(this.#uploadPath(id)))
      .filter((name) => /^\d+$/.test(name))
      .sort((one, other) => Number(one) - Number(other));
    const parts = new Map<number, StoredObject>();
    for (const name of names) parts.set(Number(name), (await readJson<StoredObject>(join(this.#uploadPath(id), name)))!);
    return parts;
  }

  /** Makes an object of the named parts. @throws S3Error 400 for a part that is missing, too small or has other hashes. */
  async complete(
    id: string,
    key: string,
    named: { number: number; etag: string; sha256: string | null }[],
    isNew: boolean,
  ): Promise<StoredObject> {
    const stored = await this.parts(id, key);
    const chosen = named.map(({ number, etag, sha256 }, index) => {
      const part = stored.get(number);
      if (number <= (named[index - 1]?.number ?? 0)) throw new S3Error(400, "InvalidPartOrder", "The parts are not in order");
      if (part === undefined || part.etag !== etag || (sha256 !== null && part.sha256 !== sha256))
        throw new S3Error(400, "InvalidPart", `Part ${number} was not found, or has other hashes`);
      if (part.size < minPartBytes && index < named.length - 1) throw new S3Error(400, "EntityTooSmall", `Part ${number} is too small`);
      return part;
    });
    const hashOf = (algorithm: string, hashes: Buffer[]) => createHash(algorithm).update(Buffer.concat(hashes));
    const md5s = chosen.map(({ etag }) => Buffer.from(etag, "hex"));
    const sha256s = chosen.map(({ sha256 }) => Buffer.from(sha256, "base64"));
    const whole = {
      key,
      size: chosen.reduce((sum, { size }) => sum + size, 0),
      etag: `${hashOf("md5", md5s).digest("hex")}-${chosen.length}`,
      sha256: `${hashOf("sha256", sha256s).digest("base64")}-${chosen.length}`,
      modifiedAt: Date.now(),
      files: chosen.flatMap(({ files }) => files),
    };
    const object = await this.#store(whole, isNew);
    await rm(this.#uploadPath(id), { recursive: true });
    return object;
  }

  async abort(id: string, key: string): Promise<void> {
    for (const { files } of (await this.parts(id, key)).values()) for (const file of files) await rm(this.path(file), { force: true });
    await rm(this.#uploadPath(id), { recursive: true });
  }

  /** The path of a file with bytes. */
  path(file: string): string {
    return join(this.#folder, "data", file);
  }

  async #store(object: StoredObject, isNew: boolean): Promise<StoredObject> {
    const path = this.#objectPath(object.key);
    const old = await readJson<StoredObject>(path);
    if (isNew && old !== null)
      throw new S3Error(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold");
    await writeJson(path, object);
    for (const file of old?.files ?? []) await rm(this.path(file), { force: true });
    return object;
  }

  async #requireUpload(id: string, key: string): Promise<void> {
    const upload = /^[0-9a-f-]{36}$/.test(id) ? await readJson<{ key: string }>(join(this.#uploadPath(id), "upload")) : null;
    if (upload?.key !== key) throw new S3Error(404, "NoSuchUpload", "The specified upload does not exist.");
  }

  #objectPath(key: string): string {
    return join(this.#folder, "objects", encodeURIComponent(key));
  }

  #uploadPath(id: string): string {
    return join(this.#folder, "uploads", id);
  }
}

async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as T;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

async function writeJson(path: string, value: object): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  {
    await using file = await open(temporary, "wx");
    await file.writeFile(JSON.stringify(value));
    await file.sync();
  }
  await rename(temporary, path);
  await using folder = await open(dirname(path));
  await folder.sync();
}
