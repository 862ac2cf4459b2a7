// Responds to a repeated POST with the same Idempotency-Key with the kept response, without running it again.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { dayMs } from "../../base/time.ts";
import type { Db, Store } from "../store/store.ts";
import type { Tables } from "../store/tables/tables.ts";
import { ProblemError } from "./problem.ts";

/** How long a response is kept for a repeat, ms. */
export const idempotencyTtlMs = dayMs;

/** A response as it is kept for a repeat. */
export interface KeptResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export class Idempotency {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #inFlight = new Set<string>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Runs `act`, unless this token has used `key` in the last 24 hours: then returns the kept response. `act` gets a function that
   * keeps its response and calls it in the transaction of its write, so that a crash leaves both or neither. Only successful
   * responses are kept: a rejected request changed nothing and may be retried. The body is encrypted with the caller's token, of
   * which only the hash is stored, because it may contain a new secret.
   * @throws ProblemError 422 when the key was used for another request, 409 while the first request is still running.
   */
  async once(
    { tokenId, secret }: { tokenId: string; secret: string },
    key: string,
    requestHash: string,
    act: (keep: (db: Db, response: KeptResponse) => Promise<void>) => Promise<KeptResponse>,
  ): Promise<KeptResponse & { replayed: boolean }> {
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new ProblemError("bad-request", "Idempotency-Key must have 1 to 255 visible ASCII characters without spaces");
    }
    const name = `${tokenId} ${key}`;
    if (this.#inFlight.has(name)) throw new ProblemError("in-flight", "The first request with this Idempotency-Key is still running");
    this.#inFlight.add(name);
    try {
      const kept = await this.#find(tokenId, key);
      if (kept !== undefined) return replay(kept, requestHash, secret);
      let isKept = false;
      const keep = async (db: Db, given: KeptResponse): Promise<void> => {
        await this.#keep(db, { token_id: tokenId, key, request_hash: requestHash }, { ...given, body: seal(given.body, secret) });
        isKept = true;
      };
      const response = await act(keep).catch(async (error: unknown) => {
        // Another node has run the same request at the same time: its stored response, or its changes, have rolled this one back.
        const first = this.#store.isShared ? await this.#find(tokenId, key) : undefined;
        if (first === undefined) throw error;
        return replay(first, requestHash, secret);
      });
      if ("replayed" in response) return response;
      if (!isKept) throw new TypeError("a POST of an operator has to write through its unit of work, or a repeat would run it again");
      return { ...response, replayed: false };
    } finally {
      this.#inFlight.delete(name);
    }
  }

  async #find(tokenId: string, key: string) {
    await this.#store.db
      .deleteFrom("idempotency")
      .where("created_at", "<", Math.trunc(this.#clock.now()) - idempotencyTtlMs)
      .execute();
    return this.#store.db.selectFrom("idempotency").selectAll().where("token_id", "=", tokenId).where("key", "=", key).executeTakeFirst();
  }

  async #keep(
    db: Db,
    request: { token_id: string; key: string; request_hash: string },
    { status, headers, body }: KeptResponse,
  ): Promise<void> {
    const row = { ...request, status, headers: JSON.stringify(headers), body, created_at: Math.trunc(this.#clock.now()) };
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("idempotency")
      .values(row)
      .onConflict((conflict) => conflict.columns(["token_id", "key"]).doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n) throw new Error("another node has kept a response for this Idempotency-Key");
  }
}

/** @throws ProblemError 422 when the kept response is that of another request. */
function replay(kept: Tables["idempotency"], requestHash: string, secret: string): KeptResponse & { replayed: true } {
  if (kept.request_hash !== requestHash) {
    throw new ProblemError("key-reused", "This Idempotency-Key was used for another request: use a new key");
  }
  const headers = JSON.parse(kept.headers) as Record<string, string>;
  return { status: kept.status, headers, body: unseal(kept.body, secret), replayed: true };
}

const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts with AES-256-GCM; only the holder of the token can derive the key. */
function seal(text: string, secret: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret), nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
}

function unseal(kept: string, secret: string): string {
  const bytes = Buffer.from(kept, "base64");
  const decipher = createDecipheriv("aes-256-gcm", keyOf(secret), bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString("utf8");
}

function keyOf(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", "signage-player idempotency", 32));
}
