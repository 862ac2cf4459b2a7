// The key from which the service's own short-lived secrets are derived: one of this start, or one that all nodes share.
import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import type { Db } from "../../store/store.ts";
import { metaKeys, readOrCreateMeta } from "../../store/meta.ts";
import { UsedInDatabase, UsedInMemory, type UsedSecrets } from "./used-secrets.ts";

export class SecretKeys {
  readonly #root: Buffer;
  readonly #clock: Clock;
  /** Null: this is the only process of its service. */
  readonly #sharedDb: Db | null;

  private constructor(root: Buffer, clock: Clock, sharedDb: Db | null) {
    this.#root = root;
    this.#clock = clock;
    this.#sharedDb = sharedDb;
  }

  /** On a shared database the key is stored, so that each node recognizes the secrets of the others. Else it is new at each start. */
  static async open(db: Db, { isShared }: Pick<Nodes, "isShared">, clock: Clock): Promise<SecretKeys> {
    const fresh = randomBytes(32);
    if (!isShared) return new SecretKeys(fresh, clock, null);
    const stored = await readOrCreateMeta(db, metaKeys.secretsKey, fresh.toString("base64url"));
    return new SecretKeys(Buffer.from(stored, "base64url"), clock, db);
  }

  /** The key for one purpose. */
  keyFor(purpose: string): Buffer {
    return createHmac("sha256", this.#root).update(purpose).digest();
  }

  usedFor(purpose: string): UsedSecrets {
    return this.#sharedDb === null ? new UsedInMemory(() => this.now()) : new UsedInDatabase(this.#sharedDb, purpose);
  }

  /**
   * The time for lifetimes, ms: monotonic on one process; on several, the time of day, which is all that they have in common. By as
   * much as two nodes' clocks differ, a secret lives longer or shorter.
   */
  now(): number {
    return this.#sharedDb === null ? this.#clock.monotonic() : this.#clock.now();
  }
}
