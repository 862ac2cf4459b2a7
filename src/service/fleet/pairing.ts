// Pairing codes: a box asks for one, an operator claims it, the box gets its token. RFC 8628.
import { randomInt } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { thumbprint } from "../../base/jws.ts";
import { pairingCodeAlphabet } from "../../protocol/operator/resources.ts";
import type { PairingGrant, PairingRequest, TokenGrant, TokenRefusal } from "../../protocol/device/messages.ts";
import { hashSecret, randomText } from "../people/token-secrets.ts";
import type { DeviceAccess } from "./devices/device-access.ts";
import { GuessLimiter, type Guesser } from "./guess-limiter.ts";
import type { MakeId } from "../store/ids.ts";
import { ProblemError } from "../http/problem.ts";
import { addressKey, RateLimit, tooManyRequests } from "../http/rate-limit.ts";
import type { Db, Store } from "../store/store.ts";
import type { PlayerRow } from "../store/tables.ts";

/** How long a code can be claimed, ms. */
export const codeLifetimeMs = 900_000;
// Claimed requests stay a day, so that a used code answers 409 and a device that was cut off still gets its token.
const claimedLifeMs = 86_400_000;
const intervalMs = 5_000;
// More polls than this within an interval are too many; a few are what a flaky network makes.
const pollsAnInterval = 4;
const maxAsksAMinute = 60;
const minuteMs = 60_000;

export interface PairingDependencies {
  store: Store;
  clock: Clock;
  makeId: MakeId;
  access: DeviceAccess;
  publicUrl: string | null;
}

/** What came of a device's question for its token. */
export type TokenResult = { is: "granted"; grant: TokenGrant } | { is: "refused"; refusal: TokenRefusal };

export class Pairing {
  readonly #parts: PairingDependencies;
  readonly #asks: RateLimit;
  readonly #polls: RateLimit;
  readonly #guesses: GuessLimiter;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(parts: PairingDependencies) {
    this.#parts = parts;
    this.#asks = new RateLimit(maxAsksAMinute, minuteMs, parts.clock);
    this.#polls = new RateLimit(pollsAnInterval, intervalMs, parts.clock);
    this.#guesses = new GuessLimiter(parts.clock);
  }

  /** Gives a box a code. An earlier one of the same key that nobody claimed is no longer good. */
  async requestCode(box: PairingRequest, address: string): Promise<PairingGrant> {
    const from = addressKey(address);
    const waitMs = this.#asks.waitMs(from);
    if (waitMs > 0) throw tooManyRequests("Too many pairing requests from this address", waitMs);
    this.#asks.record(from);
    const { public_key, ...reported } = box;
    const deviceCode = randomText(43);
    const userCode = await this.#parts.store.write(async (db) => {
      const now = this.#now();
      await sweep(db, now);
      await db.deleteFrom("pairing_requests").where("public_key", "=", public_key).where("player_id", "is", null).execute();
      const code = await freeCode(db);
      const about = { device_code_hash: hashSecret(deviceCode), user_code: code, public_key, reported: JSON.stringify(reported) };
      await db
        .insertInto("pairing_requests")
        .values({ id: this.#parts.makeId("evt"), ...about, created_at: now, expires_at: now + codeLifetimeMs, player_id: null })
        .execute();
      return code;
    });
    return this.#grantOf(deviceCode, `${userCode.slice(0, 4)}-${userCode.slice(4)}`);
  }

  /** Makes a player of the box that shows `code`. @throws Refusal 404, 409, 429. */
  async claim(db: Db, claim: { code: string; name: string; teamId: string }): Promise<PlayerRow> {
    const now = this.#now();
    const request = await this.#unclaimed(db, claim.code);
    const player: PlayerRow = {
      id: this.#parts.makeId("plr"),
      team_id: claim.teamId,
      name: claim.name,
      layout_id: null,
      tags: "[]",
      timezone: null,
      variables: "{}",
      orientation: "landscape",
      wall: null,
      public_key: request.public_key,
      thumbprint: thumbprint(request.public_key),
      reported: request.reported,
      revision: "",
      created_at: now,
      updated_at: now,
      removed_at: null,
      erased_at: null,
    };
    await db.insertInto("players").values(player).execute();
    await db.updateTable("pairing_requests").set({ player_id: player.id }).where("id", "=", request.id).execute();
    return player;
  }

  /**
   * Gives a player the box that shows `code`. The key of the box that it had no longer counts, nor do its tokens; the same box
   * may also come back. @throws Refusal 404, 409.
   */
  async replaceDevice(db: Db, player: PlayerRow, code: string): Promise<PlayerRow> {
    const now = this.#now();
    const { id, public_key, reported } = await this.#unclaimed(db, code);
    const next = { ...player, public_key, thumbprint: thumbprint(public_key), reported, updated_at: now };
    await db.updateTable("players").set(next).where("id", "=", player.id).execute();
    await db.deleteFrom("former_keys").where("player_id", "=", player.id).where("public_key", "=", public_key).execute();
    if (public_key !== player.public_key) {
      const former = { player_id: player.id, public_key: player.public_key, thumbprint: player.thumbprint, replaced_at: now };
      await db.insertInto("former_keys").values(former).execute();
    }
    await db.deleteFrom("device_tokens").where("player_id", "=", player.id).execute();
    await db.updateTable("pairing_requests").set({ player_id: player.id }).where("id", "=", id).execute();
    return next;
  }

  /** The request behind a code that can still be claimed. @throws Refusal 404, 409. */
  async #unclaimed(db: Db, code: string) {
    const request = await db.selectFrom("pairing_requests").selectAll().where("user_code", "=", code).executeTakeFirst();
    if (request !== undefined && request.player_id !== null) {
      throw new ProblemError("already-claimed", "This code was used already. A screen that still shows it will show a new one shortly");
    }
    if (request === undefined || request.expires_at <= this.#now()) {
      throw new ProblemError("unknown-code", "No screen shows this code, or it has expired: read the code that the screen shows now");
    }
    return request;
  }

  /** Lets a guesser try a code, within what {@link GuessLimiter} allows. @throws Refusal 429, and whatever `claim` throws. */
  limitGuesses<T>(guesser: Guesser, claim: () => Promise<T>): Promise<T> {
    return this.#guesses.attempt(guesser, claim);
  }

  /** Wakes the devices that wait for their claim: called once it is committed. */
  notifyClaimed(): void {
    for (const waiting of this.#waiting.values()) for (const wake of waiting) wake();
  }

  /**
   * Answers a device that asks with its device code. A pending answer is held back up to `waitMs`, until the claim or
   * until `signal` aborts.
   */
  async requestToken(deviceCode: string, proof: string, waitMs: number, signal: AbortSignal): Promise<TokenResult> {
    const { access, clock } = this.#parts;
    const hash = hashSecret(deviceCode);
    const request = await this.#find(hash);
    if (request === undefined) return refused("invalid_grant", "There is no such device code: ask for a new one");
    if (!access.isValidProof(proof, request.public_key, deviceCode)) {
      return refused("invalid_grant", "The proof does not match the device's key, its code or a fresh nonce");
    }
    if (this.#polls.waitMs(hash) > 0) return refused("slow_down", "Ask less often");
    this.#polls.record(hash);
    const endsAt = clock.monotonic() + waitMs;
    for (;;) {
      // Asked for before the look, so that a claim between look and wait is not missed.
      using claimed = this.#listen(hash);
      const now = await this.#find(hash);
      if (now === undefined) return refused("expired_token", "The code has expired: ask for a new one");
      if (now.player_id !== null) return this.#hand(now.player_id, now.public_key);
      if (now.expires_at <= this.#now()) return refused("expired_token", "The code has expired: ask for a new one");
      const leftMs = Math.min(endsAt - clock.monotonic(), now.expires_at - this.#now());
      if (leftMs <= 0 || signal.aborted) return refused("authorization_pending", "No operator has claimed the code yet");
      await clock.wait(leftMs, AbortSignal.any([signal, claimed.signal])).catch(ignoreAbort);
    }
  }

  async #hand(playerId: string, publicKey: string): Promise<TokenResult> {
    const { store, access } = this.#parts;
    const player = await store.db.selectFrom("players").selectAll().where("id", "=", playerId).executeTakeFirstOrThrow();
    if (player.removed_at !== null) return refused("access_denied", "The player was removed: ask for a new code");
    if (player.public_key !== publicKey) return refused("access_denied", "The player has another box now: ask for a new code");
    return { is: "granted", grant: await access.issueToken(player) };
  }

  #find(hash: string) {
    const { db } = this.#parts.store;
    return db.selectFrom("pairing_requests").selectAll().where("device_code_hash", "=", hash).executeTakeFirst();
  }

  #listen(hash: string): Disposable & { signal: AbortSignal } {
    const claimed = new AbortController();
    const wake = () => claimed.abort();
    const waiting = this.#waiting.get(hash) ?? new Set();
    this.#waiting.set(hash, waiting.add(wake));
    return {
      signal: claimed.signal,
      [Symbol.dispose]: () => {
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(hash);
      },
    };
  }

  #grantOf(deviceCode: string, userCode: string): PairingGrant {
    const { publicUrl } = this.#parts;
    const claim = publicUrl === null ? null : new URL("/claim", publicUrl).href;
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: claim,
      verification_uri_complete: claim === null ? null : `${claim}?code=${userCode}`,
      expires_in: codeLifetimeMs / 1_000,
      interval: intervalMs / 1_000,
    };
  }

  #now(): number {
    return Math.trunc(this.#parts.clock.now());
  }
}

function refused(error: TokenRefusal["error"], description: string): TokenResult {
  return { is: "refused", refusal: { error, error_description: description } };
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === "AbortError")) throw error;
}

async function sweep(db: Db, now: number): Promise<void> {
  await db.deleteFrom("pairing_requests").where("expires_at", "<=", now).where("player_id", "is", null).execute();
  await db
    .deleteFrom("pairing_requests")
    .where("created_at", "<=", now - claimedLifeMs)
    .execute();
}

async function freeCode(db: Db): Promise<string> {
  for (;;) {
    let code = "";
    while (code.length < 8) code += pairingCodeAlphabet[randomInt(pairingCodeAlphabet.length)]!;
    const taken = await db.selectFrom("pairing_requests").select("id").where("user_code", "=", code).executeTakeFirst();
    if (taken === undefined) return code;
  }
}
