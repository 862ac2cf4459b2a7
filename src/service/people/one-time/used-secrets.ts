// Remembers which one-time secrets were used: in memory, or in the database that several nodes share.
import { hash } from "node:crypto";
import type { Db } from "../../store/store.ts";

/** The used secrets of one purpose. */
export interface UsedSecrets {
  /** Uses a secret up. @param until when it expires @returns false if it was used before, on whichever node */
  use(secret: string, until: number): Promise<boolean>;
  /** Uses a secret up by a transaction. @returns a function to call after its commit; null: the secret was used before */
  useIn(db: Db, secret: string, until: number): Promise<(() => void) | null>;
  isUsed(secret: string): Promise<boolean>;
}

/** For secrets that all live equally long. */
export class UsedInMemory implements UsedSecrets {
  readonly #now: () => number;
  readonly #used = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  async use(secret: string, until: number): Promise<boolean> {
    const now = this.#now();
    for (const [other, end] of this.#used) {
      // Secrets are used about when they were made: one that is used later expires later, or soon after.
      if (end > now) break;
      this.#used.delete(other);
    }
    if (this.#used.has(secret)) return false;
    this.#used.set(secret, until);
    return true;
  }

  async useIn(_db: Db, secret: string, until: number): Promise<(() => void) | null> {
    return this.#used.has(secret) ? null : () => void this.#used.set(secret, until);
  }

  async isUsed(secret: string): Promise<boolean> {
    return this.#used.has(secret);
  }
}

/** The primary key makes one node's use the first. Whoever runs the hourly cleanup deletes expired rows. */
export class UsedInDatabase implements UsedSecrets {
  readonly #db: Db;
  readonly #purpose: string;

  constructor(db: Db, purpose: string) {
    this.#db = db;
    this.#purpose = purpose;
  }

  async use(secret: string, until: number): Promise<boolean> {
    return (await this.useIn(this.#db, secret, until)) !== null;
  }

  async useIn(db: Db, secret: string, until: number): Promise<(() => void) | null> {
    const row = { digest: this.#digest(secret), until: Math.ceil(until) };
    const inserted = await db
      .insertInto("used_secrets")
      .values(row)
      .onConflict((conflict) => conflict.column("digest").doNothing())
      .returning("digest")
      .execute();
    return inserted.length > 0 ? () => undefined : null;
  }

  async isUsed(secret: string): Promise<boolean> {
    const found = await this.#db.selectFrom("used_secrets").select("digest").where("digest", "=", this.#digest(secret)).executeTakeFirst();
    return found !== undefined;
  }

  #digest(secret: string): string {
    return hash("sha256", `${this.#purpose} ${secret}`, "base64url");
  }
}

/** Deletes the used secrets that have expired. A minute later, since the clocks of nodes differ. @param now epoch ms */
export async function deleteExpiredSecrets(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom("used_secrets")
    .where("until", "<", now - 60_000)
    .execute();
}
