// The device's access token: proven by its key, renewed before it ends, and the one place where a revocation is believed.
import type { Clock } from "../../base/clock.ts";
import { SharedWork } from "../../base/async/shared-work.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import { signJws, verifyJws } from "../../base/jws.ts";
import { revocationJwsType, SignedRevocation } from "../../protocol/device/commands.ts";
import { tokenProofJwsType, type TokenGrant } from "../../protocol/device/messages.ts";
import type { Log } from "../../base/log.ts";
import type { Identity, Pairing } from "../pairing/identity.ts";
import { HttpFault, type ServiceApi, type TokenResponse } from "./service-api.ts";

// Renewed in the last sixth of its life, so that no request meets an expired one.
const renewBeforeEnd = 1 / 6;

/** Asks for a token, proving possession of the device's key over a fresh nonce. `audience`: device code or player id. */
export async function requestToken(
  api: ServiceApi,
  identity: Identity,
  ask: { deviceCode: string } | { playerId: string },
  waitS: number,
  signal: AbortSignal,
): Promise<TokenResponse> {
  const aud = "deviceCode" in ask ? ask.deviceCode : ask.playerId;
  const proof = signJws(tokenProofJwsType, { nonce: await api.nonce(signal), aud }, identity.keys);
  return "deviceCode" in ask
    ? api.token(
        {
          grant_type: "urn:ietf:params:oauth:grant-type:device_code",
          device_code: ask.deviceCode,
          proof,
        },
        waitS,
        signal,
      )
    : api.token({ grant_type: "urn:signage:device-key", player_id: ask.playerId, proof }, waitS, signal);
}

/**
 * Whether `jws` is a revocation of this very device by the pinned key.
 * @throws Fault `signature` when it is not.
 */
function checkRevocation(jws: string, identity: Identity, pairing: Pairing): SignedRevocation {
  const revocation = SignedRevocation.parse(verifyJws(revocationJwsType, jws, pairing.serviceKey));
  if (revocation.sub !== identity.thumbprint || revocation.player_id !== pairing.playerId) {
    throw new Fault("signature", "refused a revocation meant for another device");
  }
  return revocation;
}

/** Whether `jws` proves that this device was revoked; what does not is told to the log. */
export function isValidRevocation(jws: string, identity: Identity, pairing: Pairing, log: Log): boolean {
  try {
    checkRevocation(jws, identity, pairing);
    return true;
  } catch (error) {
    log.error({ reason: reasonOf(error) }, "refused a revocation that the service did not sign for this device");
    return false;
  }
}

/** The access token of a paired device. */
export class AccessTokens {
  readonly #api: ServiceApi;
  readonly #identity: Identity;
  readonly #pairing: Pairing;
  readonly #clock: Clock;
  readonly #heardKey: (key: string) => Promise<void>;
  #current: { token: string; renewAt: number } | null = null;
  #renewal: SharedWork<string> | null = null;

  /** @param heardKey hears of each key that the service answers with, the pinned one or another. */
  constructor(
    api: ServiceApi,
    identity: Identity,
    pairing: Pairing,
    clock: Clock,
    heardKey: (key: string) => Promise<void> = async () => undefined,
  ) {
    this.#heardKey = heardKey;
    this.#api = api;
    this.#identity = identity;
    this.#pairing = pairing;
    this.#clock = clock;
  }

  /**
   * A valid token, renewed if need be; callers that come meanwhile share one renewal, which any of them may leave.
   * @throws Fault `revoked` only when the service's pinned key says so; `refused` for any other refusal.
   */
  async token(signal: AbortSignal): Promise<string> {
    if (this.#current !== null && this.#clock.monotonic() < this.#current.renewAt) return this.#current.token;
    if (this.#renewal === null || this.#renewal.isAbandoned) this.#renewal = new SharedWork((shared) => this.#renew(shared));
    const renewal = this.#renewal;
    try {
      return await renewal.wait(signal);
    } finally {
      // Over, whatever came of it. A caller who left early leaves it to those who still wait.
      if (this.#renewal === renewal && !signal.aborted) this.#renewal = null;
    }
  }

  /** Runs `call` with a token; once more with a fresh one when the service no longer takes the first. */
  async withToken<T>(signal: AbortSignal, call: (token: string) => Promise<T>): Promise<T> {
    const token = await this.token(signal);
    try {
      return await call(token);
    } catch (error) {
      if (!(error instanceof HttpFault) || error.status !== 401) throw error;
      this.discard(token);
      return call(await this.token(signal));
    }
  }

  /** Drops `token` after the service refused it, so that the next call renews. */
  discard(token: string): void {
    if (this.#current?.token === token) this.#current = null;
  }

  async #renew(signal: AbortSignal): Promise<string> {
    const answer = await requestToken(this.#api, this.#identity, { playerId: this.#pairing.playerId }, 0, signal);
    const key = answer.is === "granted" ? answer.grant.service_key : answer.refusal.service_key;
    if (key !== undefined) await this.#heardKey(key);
    if (answer.is === "granted") return this.#keep(answer.grant);
    const { refusal } = answer;
    if (refusal.revocation !== undefined) {
      checkRevocation(refusal.revocation, this.#identity, this.#pairing);
      throw new Fault("revoked", "the service has revoked this player");
    }
    throw new Fault("refused", `the service gives no token: ${refusal.error_description ?? refusal.error}`);
  }

  #keep(grant: TokenGrant): string {
    if (grant.service_key !== this.#pairing.serviceKey) {
      throw new Fault("signature", "this is not the service that the player was paired with: its key differs");
    }
    const lifeMs = grant.expires_in * 1_000;
    this.#current = {
      token: grant.access_token,
      renewAt: this.#clock.monotonic() + lifeMs * (1 - renewBeforeEnd),
    };
    return grant.access_token;
  }
}
