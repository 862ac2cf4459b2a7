// Devices' access: nonces they sign, one-hour tokens, and the signed word that a player was removed.
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

const tokenLifeMs = 3_600_000;
const nonceLifeMs = 60_000;
// Nonces cost memory until they end: beyond this the oldest are dropped, whose devices simply ask again.
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
  readonly #parts: DeviceAccessDependencies;
  readonly #nonces = new Map<string, number>();

  constructor(parts: DeviceAccessDependencies) {
    this.#parts = parts;
  }

  /** The public key that commands and revocations are signed with. */
  get serviceKey(): string {
    return this.#parts.signer.publicKey;
  }

  /** A nonce that is good once, for a minute. */
  createNonce(): { nonce: string; expires_in: number } {
    const now = this.#parts.clock.monotonic();
    for (const [nonce, endsAt] of this.#nonces) {
      if (endsAt > now && this.#nonces.size < maxNonces) break;
      this.#nonces.delete(nonce);
    }
    const nonce = randomText(32);
    this.#nonces.set(nonce, now + nonceLifeMs);
    return { nonce, expires_in: nonceLifeMs / 1_000 };
  }

  /** Whether `proof` is signed by `publicKey` for `audience` over a nonce of ours, which it uses up. */
  isValidProof(proof: string, publicKey: string, audience: string): boolean {
    let said: ReturnType<typeof TokenProof.safeParse>;
    try {
      said = TokenProof.safeParse(verifyJws(tokenProofJwsType, proof, publicKey));
    } catch (error) {
      if (isFault(error, "signature")) return false;
      throw error;
    }
    if (!said.success || said.data.aud !== audience) return false;
    const endsAt = this.#nonces.get(said.data.nonce);
    this.#nonces.delete(said.data.nonce);
    return endsAt !== undefined && endsAt > this.#parts.clock.monotonic();
  }

  /** A fresh token for a player. */
  async issueToken(player: PlayerRow): Promise<TokenGrant> {
    const { db, clock, signer } = this.#parts;
    const token = `sgn_dev_${randomText(43)}`;
    const now = Math.trunc(clock.now());
    await db.deleteFrom("device_tokens").where("player_id", "=", player.id).where("expires_at", "<=", now).execute();
    await db
      .insertInto("device_tokens")
      .values({ hash: hashSecret(token), player_id: player.id, expires_at: now + tokenLifeMs })
      .execute();
    return {
      access_token: token,
      token_type: "Bearer",
      expires_in: tokenLifeMs / 1_000,
      player_id: player.id,
      player_name: player.name,
      service_key: signer.publicKey,
    };
  }

  /** The player whose token the header carries, a removed one included. @throws Refusal 401. */
  async authenticate(authorization: string | undefined): Promise<PlayerRow> {
    const { db, clock } = this.#parts;
    const [row] = await playersByToken(db, { hash: hashSecret(bearerToken(authorization)), now: clock.now() });
    if (row === undefined) throw invalidToken();
    return row;
  }

  /** Proves to a device that its player was removed: the only thing that makes it forget its pairing and its content. */
  revocation(player: PlayerRow): string {
    return this.#revoke(player.id, player.thumbprint, player.removed_at ?? this.#parts.clock.now());
  }

  /** The same for a device that the player has moved away from, if `proof` is one's; null when it is nobody's that we know. */
  async revocationForFormerDevice(playerId: string, proof: string): Promise<string | null> {
    const keys = this.#parts.db.selectFrom("former_keys").selectAll().where("player_id", "=", playerId);
    for (const key of await keys.orderBy("replaced_at", "desc").execute()) {
      // A proof that the key did not sign leaves its nonce for the next key.
      if (this.isValidProof(proof, key.public_key, playerId)) return this.#revoke(playerId, key.thumbprint, key.replaced_at);
    }
    return null;
  }

  #revoke(playerId: string, thumbprint: string, at: number): string {
    const { makeId, signer } = this.#parts;
    return signer.signRevocation({ sub: thumbprint, jti: makeId("evt"), player_id: playerId, iat: Math.trunc(at / 1_000) });
  }
}
