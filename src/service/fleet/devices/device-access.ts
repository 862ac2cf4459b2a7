// The access of devices: nonces for them to sign, one-hour tokens, and signed revocations.
import { isFault } from "../../../base/fault.ts";
import type { Clock } from "../../../base/clock.ts";
import { verifyJws } from "../../../base/jws.ts";
import { TokenProof, tokenProofJwsType, type TokenGrant } from "../../../protocol/device/messages.ts";
import { bearerToken, invalidToken } from "../../people/authentication.ts";
import { hashSecret, randomText } from "../../people/token-secrets.ts";
import type { MakeId } from "../../store/ids.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Signer } from "./signer.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables.ts";

const tokenLifetimeMs = 3_600_000;
const nonceLifetimeMs = 60_000;
// Limits the memory for nonces. Beyond it the oldest are dropped, and their devices request new ones.
const maxNonces = 100_000;

const playersByToken = preparedQuery((db: Db, { hash, now }: { hash: string; now: number }) =>
  db
    .selectFrom("device_tokens")
    .innerJoin("players", "players.id", "device_tokens.player_id")
    .selectAll("players")
    .where("device_tokens.hash", "=", hash)
    .where("device_tokens.expires_at", ">", now),
);

export interface DeviceAccessDependencies {
  db: Db;
  clock: Clock;
  makeId: MakeId;
  signer: Signer;
}

export class DeviceAccess {
  readonly #dependencies: DeviceAccessDependencies;
  /** When each unused nonce expires, monotonic ms. */
  readonly #nonces = new Map<string, number>();

  constructor(dependencies: DeviceAccessDependencies) {
    this.#dependencies = dependencies;
  }

  /** The public key for verifying commands and revocations. */
  get serviceKey(): string {
    return this.#dependencies.signer.publicKey;
  }

  /** A nonce that can be used once, within a minute. */
  createNonce(): { nonce: string; expires_in: number } {
    const now = this.#dependencies.clock.monotonic();
    for (const [nonce, expiresAt] of this.#nonces) {
      if (expiresAt > now && this.#nonces.size < maxNonces) break;
      this.#nonces.delete(nonce);
    }
    const nonce = randomText(32);
    this.#nonces.set(nonce, now + nonceLifetimeMs);
    return { nonce, expires_in: nonceLifetimeMs / 1_000 };
  }

  /** Whether `proof` is signed with `publicKey` for `audience` over an unused nonce. Uses up the nonce. */
  isValidProof(proof: string, publicKey: string, audience: string): boolean {
    let result: ReturnType<typeof TokenProof.safeParse>;
    try {
      result = TokenProof.safeParse(verifyJws(tokenProofJwsType, proof, publicKey));
    } catch (error) {
      if (isFault(error, "signature")) return false;
      throw error;
    }
    if (!result.success || result.data.aud !== audience) return false;
    const { nonce } = result.data;
    const expiresAt = this.#nonces.get(nonce);
    this.#nonces.delete(nonce);
    return expiresAt !== undefined && expiresAt > this.#dependencies.clock.monotonic();
  }

  /** Creates a token for a player. @param db the handle of a transaction that the token belongs to. */
  async issueToken(player: PlayerRow, db = this.#dependencies.db): Promise<TokenGrant> {
    const { clock, signer } = this.#dependencies;
    const token = `sgn_dev_${randomText(43)}`;
    const now = Math.trunc(clock.now());
    await db.deleteFrom("device_tokens").where("player_id", "=", player.id).where("expires_at", "<=", now).execute();
    await db
      .insertInto("device_tokens")
      .values({ hash: hashSecret(token), player_id: player.id, expires_at: now + tokenLifetimeMs })
      .execute();
    return {
      access_token: token,
      token_type: "Bearer",
      expires_in: tokenLifetimeMs / 1_000,
      player_id: player.id,
      player_name: player.name,
      service_key: signer.publicKey,
    };
  }

  /** The player whose token is in the header, including a deleted one. @throws ProblemError 401. */
  async authenticate(authorization: string | undefined): Promise<PlayerRow> {
    const { db, clock } = this.#dependencies;
    const [row] = await playersByToken(db, { hash: hashSecret(bearerToken(authorization)), now: Math.trunc(clock.now()) });
    if (row === undefined) throw invalidToken();
    return row;
  }

  /** Proves to a device that its player was deleted. Only this makes the device delete its pairing and content. */
  revocation(player: PlayerRow): string {
    return this.#revoke(player.id, player.thumbprint, player.removed_at ?? Math.trunc(this.#dependencies.clock.now()));
  }

  /** A revocation for a former device of a player that signed `proof`; null if none did. */
  async revocationForFormerDevice(playerId: string, proof: string): Promise<string | null> {
    const keys = this.#dependencies.db.selectFrom("former_keys").selectAll().where("player_id", "=", playerId);
    for (const key of await keys.orderBy("replaced_at", "desc").execute()) {
      // The nonce is used up only by the key that signed the proof.
      if (this.isValidProof(proof, key.public_key, playerId)) return this.#revoke(playerId, key.thumbprint, key.replaced_at);
    }
    return null;
  }

  #revoke(playerId: string, thumbprint: string, at: number): string {
    const { makeId, signer } = this.#dependencies;
    return signer.signRevocation({ sub: thumbprint, jti: makeId("evt"), player_id: playerId, iat: Math.trunc(at / 1_000) });
  }
}
