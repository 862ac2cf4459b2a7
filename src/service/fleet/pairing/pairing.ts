// Pairs devices with players (RFC 8628): a device requests a code, an operator claims it, and the device gets its token.
import { ignoreAbort } from "../../../base/fault.ts";
import { Listeners } from "../../../base/async/listeners.ts";
import type { Clock } from "../../../base/clock.ts";
import { thumbprint } from "../../../base/jws.ts";
import { minuteMs } from "../../../base/time.ts";
import type { PairingGrant, PairingRequest, TokenGrant, TokenRefusal } from "../../../protocol/device/messages.ts";
import { hashSecret, randomText } from "../../people/token-secrets.ts";
import type { DeviceAccess } from "../devices/device-access.ts";
import { GuessLimiter, type Guesser } from "./guess-limiter.ts";
import type { MakeId } from "../../store/ids.ts";
import { publicBase } from "../../http/public-url.ts";
import type { AttemptLimit, MakeLimit } from "../../http/limits/attempt-limit.ts";
import { addressKey, RateLimit, tooManyRequests } from "../../http/limits/rate-limit.ts";
import { codeLifetimeMs, findByDeviceCode, findClaimable, markClaimed, storePairingRequest } from "./requests.ts";
import type { Db, Store } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";

const pollIntervalMs = 5_000;
// A device on an unstable network may poll a few times within one interval.
const maxPollsPerInterval = 4;
const maxRequestsPerMinute = 60;

export interface PairingDependencies {
  store: Store;
  clock: Clock;
  makeId: MakeId;
  access: DeviceAccess;
  publicUrl: string | null;
  makeLimit: MakeLimit;
}

/** A device and its description of itself, as JSON. */
export interface DescribedDevice {
  public_key: string;
  reported: string;
}

/** The fields of a new player. */
export interface NewPlayer {
  teamId: string;
  name: string;
  layoutId: string | null;
  tags: readonly string[];
}

/** The result of a device's token request. */
export type TokenResult = { is: "granted"; grant: TokenGrant } | { is: "refused"; refusal: TokenRefusal };

export class Pairing {
  readonly #dependencies: PairingDependencies;
  readonly #requests: AttemptLimit;
  readonly #polls: RateLimit;
  readonly #guesses: GuessLimiter;
  /** Called after every claim. */
  readonly #claims = new Listeners<void>();

  constructor(dependencies: PairingDependencies) {
    this.#dependencies = dependencies;
    this.#requests = dependencies.makeLimit("pairing-request", maxRequestsPerMinute, minuteMs);
    this.#polls = new RateLimit(maxPollsPerInterval, pollIntervalMs, dependencies.clock);
    this.#guesses = new GuessLimiter(dependencies.makeLimit);
  }

  /** Creates a code for a device. An unclaimed earlier code for the same key becomes invalid. @throws ProblemError 429. */
  async requestCode(request: PairingRequest, address: string): Promise<PairingGrant> {
    const { makeId, store } = this.#dependencies;
    const { waitMs } = await this.#requests.take(addressKey(address));
    if (waitMs > 0) throw tooManyRequests("Too many pairing requests from this address", waitMs);
    const deviceCode = randomText(43);
    const code = await store.write((db) =>
      storePairingRequest(db, { id: makeId("evt"), deviceCodeHash: hashSecret(deviceCode), request, now: this.#now() }),
    );
    return this.#grantOf(deviceCode, `${code.slice(0, 4)}-${code.slice(4)}`);
  }

  /** Creates a player for the device that shows `code`. @throws ProblemError 404, 409. */
  async claim(db: Db, claim: { code: string; name: string; teamId: string }): Promise<PlayerRow> {
    const request = await findClaimable(db, claim.code, this.#now());
    const player = await this.createPlayer(db, { teamId: claim.teamId, name: claim.name, layoutId: null, tags: [] }, request);
    await markClaimed(db, request.id, player.id);
    return player;
  }

  /** Creates a player for a device. */
  async createPlayer(db: Db, claim: NewPlayer, request: DescribedDevice): Promise<PlayerRow> {
    const now = this.#now();
    const player: PlayerRow = {
      id: this.#dependencies.makeId("plr"),
      team_id: claim.teamId,
      name: claim.name,
      layout_id: claim.layoutId,
      tags: JSON.stringify(claim.tags),
      timezone: null,
      variables: "{}",
      orientation: "landscape",
      wall: null,
      safe_asset_id: null,
      downloads: null,
      release: null,
      display_hours: null,
      recurring_commands: "[]",
      screenshots: null,
      maintenance_until: null,
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
    return player;
  }

  /**
   * Replaces a player's device with the one that shows `code`, which may be a former or the present one. The key and the tokens of
   * the replaced device become invalid. @throws ProblemError 404, 409.
   */
  async replaceDevice(db: Db, player: PlayerRow, code: string): Promise<PlayerRow> {
    const request = await findClaimable(db, code, this.#now());
    const updated = await this.moveToDevice(db, player, request);
    await markClaimed(db, request.id, player.id);
    return updated;
  }

  /** Gives a player to another device, or to the same one again. The key and the tokens of the device before become invalid. */
  async moveToDevice(db: Db, player: PlayerRow, { public_key, reported }: DescribedDevice): Promise<PlayerRow> {
    const now = this.#now();
    const updated = { ...player, public_key, thumbprint: thumbprint(public_key), reported, updated_at: now };
    await db.updateTable("players").set(updated).where("id", "=", player.id).execute();
    await db.deleteFrom("former_keys").where("player_id", "=", player.id).where("public_key", "=", public_key).execute();
    if (public_key !== player.public_key) {
      const former = { player_id: player.id, public_key: player.public_key, thumbprint: player.thumbprint, replaced_at: now };
      await db.insertInto("former_keys").values(former).execute();
    }
    await db.deleteFrom("device_tokens").where("player_id", "=", player.id).execute();
    return updated;
  }

  /** Runs `claim` within the limits of {@link GuessLimiter}. @throws ProblemError 429, or any error of `claim`. */
  limitGuesses<T>(guesser: Guesser, claim: () => Promise<T>): Promise<T> {
    return this.#guesses.attempt(guesser, claim);
  }

  /** Wakes the devices that wait for their claim. Call it after the commit of a claim. */
  notifyClaimed(): void {
    this.#claims.notify();
  }

  /** Responds to a device's token request: holds back a pending response until the claim, for `waitMs`, or until `signal` aborts. */
  async requestToken(deviceCode: string, proof: string, waitMs: number, signal: AbortSignal): Promise<TokenResult> {
    const { access, clock, store } = this.#dependencies;
    const hash = hashSecret(deviceCode);
    const request = await findByDeviceCode(store.db, hash);
    if (request === undefined) return refused("invalid_grant", "There is no such device code: request a new one");
    if (!(await access.isValidProof(proof, request.public_key, deviceCode))) {
      return refused("invalid_grant", "The proof does not match the device's key, its code or an unused nonce");
    }
    if (this.#polls.waitMs(hash) > 0) return refused("slow_down", "Poll less often");
    this.#polls.record(hash);
    const endsAt = clock.monotonic() + waitMs;
    for (;;) {
      // Add the listener before reading, so that a claim between reading and waiting is not missed.
      const claimed = new AbortController();
      this.#claims.add(() => claimed.abort(), claimed.signal);
      try {
        const current = await findByDeviceCode(store.db, hash);
        if (current === undefined) return refused("expired_token", "The code has expired: request a new one");
        if (current.player_id !== null) return await this.#issueToken(current.player_id, current.public_key);
        if (current.expires_at <= this.#now()) return refused("expired_token", "The code has expired: request a new one");
        const leftMs = Math.min(endsAt - clock.monotonic(), current.expires_at - this.#now());
        if (leftMs <= 0 || signal.aborted) return refused("authorization_pending", "No operator has claimed the code yet");
        await clock.wait(leftMs, AbortSignal.any([signal, claimed.signal])).catch(ignoreAbort);
      } finally {
        claimed.abort();
      }
    }
  }

  async #issueToken(playerId: string, publicKey: string): Promise<TokenResult> {
    const { store, access } = this.#dependencies;
    const player = await store.db.selectFrom("players").selectAll().where("id", "=", playerId).executeTakeFirstOrThrow();
    if (player.removed_at !== null) return refused("access_denied", "The screen was deleted: request a new code");
    if (player.public_key !== publicKey) return refused("access_denied", "The screen has another device now: request a new code");
    return { is: "granted", grant: await access.issueToken(player) };
  }

  #grantOf(deviceCode: string, userCode: string): PairingGrant {
    const { publicUrl } = this.#dependencies;
    const claimUrl = publicUrl === null ? null : `${publicBase(publicUrl)}/claim`;
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: claimUrl,
      verification_uri_complete: claimUrl === null ? null : `${claimUrl}?code=${userCode}`,
      expires_in: codeLifetimeMs / 1_000,
      interval: pollIntervalMs / 1_000,
    };
  }

  #now(): number {
    return Math.trunc(this.#dependencies.clock.now());
  }
}

function refused(error: TokenRefusal["error"], description: string): TokenResult {
  return { is: "refused", refusal: { error, error_description: description } };
}
