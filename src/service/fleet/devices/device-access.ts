// The access of devices: nonces for them to sign, one-hour tokens, and signed revocations.
import { isFault } from "../../../base/fault.ts";
import type { Clock } from "../../../base/clock.ts";
import { verifyJws } from "../../../base/jws.ts";
import { hourMs, minuteMs } from "../../../base/time.ts";
import { TokenProof, tokenProofJwsType, type TokenGrant } from "../../../protocol/device/messages.ts";
import { bearerToken, invalidToken } from "../../people/authentication.ts";
import { OneTimeSecrets } from "../../people/one-time/one-time-secrets.ts";
import type { SecretKeys } from "../../people/one-time/secret-keys.ts";
import { hashSecret, randomText } from "../../people/token-secrets.ts";
import type { MakeId } from "../../store/ids.ts";
import { BatchedLookup } from "../../store/tables/batched-lookup.ts";
import { isOneOf, textList, type TextList } from "../../store/dialect.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Signer } from "./signer.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";

const tokenLifetimeMs = hourMs;
const nonceLifetimeMs = minuteMs;

const playersByToken = preparedQuery((db: Db, { hashes, now }: { hashes: TextList; now: number }) =>
  db
    .selectFrom("device_tokens")
    .innerJoin("players", "players.id", "device_tokens.player_id")
    .selectAll("players")
    .select("device_tokens.hash as token_hash")
    .where(isOneOf(db, "device_tokens.hash", hashes))
    .where("device_tokens.expires_at", ">", now),
);

export interface DeviceAccessDependencies {
  db: Db;
  clock: Clock;
  makeId: MakeId;
  secretKeys: SecretKeys;
  signer: Signer;
}

export class DeviceAccess {
  readonly #dependencies: DeviceAccessDependencies;
  readonly #nonces: OneTimeSecrets;
  // After a change for all players, all of them fetch their state at the same time.
  readonly #byToken = new BatchedLookup<PlayerRow>((hashes) => this.#readPlayers(hashes));

  constructor(dependencies: DeviceAccessDependencies) {
    this.#dependencies = dependencies;
    this.#nonces = new OneTimeSecrets(dependencies.secretKeys, "nonces", nonceLifetimeMs);
  }

  /** The public key for verifying commands and revocations. */
  get serviceKey(): string {
    return this.#dependencies.signer.publicKey;
  }

  /** A nonce that can be used once, within a minute. */
  createNonce(): { nonce: string; expires_in: number } {
    return { nonce: this.#nonces.create(), expires_in: nonceLifetimeMs / 1_000 };
  }

  /** True if `publicKey` has signed `proof` for `audience` over an unused nonce. Uses up the nonce. Not for use inside a transaction. */
  async isValidProof(proof: string, publicKey: string, audience: string): Promise<boolean> {
    let result: ReturnType<typeof TokenProof.safeParse>;
    try {
      result = TokenProof.safeParse(await verifyJws(tokenProofJwsType, proof, publicKey));
    } catch (error) {
      if (isFault(error, "signature")) return false;
      throw error;
    }
    if (!result.success || result.data.aud !== audience) return false;
    const { nonce } = result.data;
    return this.#nonces.read(nonce) !== null && (await this.#nonces.use(nonce));
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
    const player = await this.#byToken.get(hashSecret(bearerToken(authorization)));
    if (player === undefined) throw invalidToken();
    return player;
  }

  /** How many queries have looked up tokens. */
  get queryCount(): number {
    return this.#byToken.queryCount;
  }

  /** Proves to a device that its player was deleted. Only this makes the device delete its pairing and content. */
  revocation(player: PlayerRow): Promise<string> {
    return this.#revoke(player.id, player.thumbprint, player.removed_at ?? Math.trunc(this.#dependencies.clock.now()));
  }

  /** A revocation for a former device of a player that signed `proof`; null if none did. */
  async revocationForFormerDevice(playerId: string, proof: string): Promise<string | null> {
    const keys = this.#dependencies.db.selectFrom("former_keys").selectAll().where("player_id", "=", playerId);
    for (const key of await keys.orderBy("replaced_at", "desc").execute()) {
      // The nonce is used up only by the key that signed the proof.
      if (await this.isValidProof(proof, key.public_key, playerId)) return this.#revoke(playerId, key.thumbprint, key.replaced_at);
    }
    return null;
  }

  async #readPlayers(hashes: readonly string[]): Promise<Map<string, PlayerRow>> {
    const { db, clock } = this.#dependencies;
    const rows = await playersByToken(db, { hashes: textList(db, hashes), now: Math.trunc(clock.now()) });
    return new Map(rows.map(({ token_hash, ...player }) => [token_hash, player]));
  }

  #revoke(playerId: string, thumbprint: string, at: number): Promise<string> {
    const { makeId, signer } = this.#dependencies;
    return signer.signRevocation({ sub: thumbprint, jti: makeId("evt"), player_id: playerId, iat: Math.trunc(at / 1_000) });
  }
}
