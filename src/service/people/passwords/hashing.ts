// Hashes passwords: argon2id with the parameters that OWASP recommends, off the main thread, and a few at a time.
import { argon2, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { HashingTurns, type Lane } from "./hashing-turns.ts";

// OWASP Password Storage Cheat Sheet, 2025: the variant that needs the least memory, since a service may run on a small computer.
const argonParameters = { m: 19_456, t: 2, p: 1 };
// For engines whose cryptography has no argon2, such as Electron's: OWASP's second choice.
const scryptParameters = { ln: 17, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;

/** The cost of a new hash by argon2id: memory in KiB, passes, lanes. */
export type PasswordWork = Readonly<Record<"m" | "t" | "p", number>>;

type Algorithm = "argon2id" | "scrypt";
type Parameters = Readonly<Record<string, number>>;
/** All that a hash depends on, beside the password. */
interface Recipe {
  algorithm: Algorithm;
  parameters: Parameters;
  salt: Buffer;
}
type StoredHash = Recipe & { hash: Buffer };

const argon2Async = typeof argon2 === "function" ? promisify(argon2) : null;
const scryptAsync = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** Hashes and verifies passwords. */
export class PasswordHashing {
  readonly #turns = new HashingTurns();
  readonly #current: Omit<Recipe, "salt">;
  readonly #compute: typeof compute;
  #decoy: string | null = null;

  /** @param work of new hashes, where there is argon2id @param computeHash for tests that count the computed hashes */
  constructor(work: PasswordWork = argonParameters, computeHash: typeof compute = compute) {
    this.#current =
      argon2Async === null ? { algorithm: "scrypt", parameters: scryptParameters } : { algorithm: "argon2id", parameters: work };
    this.#compute = computeHash;
  }

  /** The hash of a new password as a PHC string. @throws ProblemError 429 while too many are being hashed. */
  async hash(password: string, lane: Lane = "known"): Promise<string> {
    const salt = randomBytes(saltBytes);
    const hash = await this.#turns.run(lane, () => this.#compute(password, { ...this.#current, salt }));
    return format({ ...this.#current, salt, hash });
  }

  /** True if a password has this hash. @throws ProblemError 429 while too many are being hashed. */
  async verify(stored: string, password: string, lane: Lane): Promise<boolean> {
    return (await this.find([stored], password, lane, 1)) === 0;
  }

  /**
   * The place of the first of several hashes that a password has; null: none. It takes as long as `places` hashes do, so that the
   * duration does not reveal how many there are, or whether there is any. @throws ProblemError 429 while too many are being hashed.
   */
  async find(stored: readonly string[], password: string, lane: Lane, places: number): Promise<number | null> {
    const compared = Array.from({ length: places }, (_each, place) => parse(stored[place] ?? this.#decoyHash()));
    const rights = await this.#turns.run(lane, async () => {
      const results: boolean[] = [];
      for (const { hash, ...how } of compared) results.push(timingSafeEqual(await this.#compute(password, how), hash));
      return results;
    });
    const place = rights.slice(0, stored.length).indexOf(true);
    return place < 0 ? null : place;
  }

  /** True if a hash was made with other parameters than new ones are: it is replaced when its password is known. */
  isOutdated(stored: string): boolean {
    const { algorithm, parameters } = parse(stored);
    const current = this.#current;
    return algorithm !== current.algorithm || parametersText(parameters) !== parametersText(current.parameters);
  }

  #decoyHash(): string {
    this.#decoy ??= format({ ...this.#current, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) });
    return this.#decoy;
  }
}

async function compute(password: string, { algorithm, parameters, salt }: Recipe): Promise<Buffer> {
  // The same password can be typed as different code points, depending on the keyboard.
  const message = password.normalize("NFC");
  if (algorithm === "scrypt") {
    const N = 2 ** parameters["ln"]!;
    const cost = { N, r: parameters["r"]!, p: parameters["p"]! };
    return scryptAsync(message, salt, hashBytes, { ...cost, maxmem: 256 * N * cost.r });
  }
  if (argon2Async === null) throw new Error("this engine cannot verify a password that was hashed with argon2id");
  const { m, t, p } = parameters;
  return argon2Async("argon2id", { message, nonce: salt, memory: m!, passes: t!, parallelism: p!, tagLength: hashBytes });
}

/** A PHC string: `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`. */
function format({ algorithm, parameters, salt, hash }: StoredHash): string {
  const version = algorithm === "argon2id" ? ["v=19"] : [];
  return ["", algorithm, ...version, parametersText(parameters), unpadded(salt), unpadded(hash)].join("$");
}

function parse(stored: string): StoredHash {
  const match = /^\$(argon2id\$v=19|scrypt)\$([a-z]+=[0-9]+(?:,[a-z]+=[0-9]+)*)\$([^$]+)\$([^$]+)$/.exec(stored);
  if (match === null) throw new TypeError("a stored password is not a PHC string of argon2id or scrypt");
  const parameters = Object.fromEntries(match[2]!.split(",").map((part) => [part.split("=")[0]!, Number(part.split("=")[1])]));
  const algorithm = match[1] === "scrypt" ? "scrypt" : "argon2id";
  return { algorithm, parameters, salt: Buffer.from(match[3]!, "base64"), hash: Buffer.from(match[4]!, "base64") };
}

function parametersText(parameters: Parameters): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
