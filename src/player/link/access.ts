// Gets and renews the device's access token, and verifies revocations.
import type { Clock } from "../../base/clock.ts";
import { SharedWork } from "../../base/async/shared-work.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import { signJws, verifyJws } from "../../base/jws.ts";
import { revocationJwsType, SignedRevocation } from "../../protocol/device/commands.ts";
import { tokenProofJwsType, type TokenGrant } from "../../protocol/device/messages.ts";
import type { Log } from "../../base/log.ts";
import type { Identity, Pairing } from "../pairing/identity.ts";
import { HttpFault } from "./service-http.ts";
import type { ServiceApi, TokenResponse } from "./service-api.ts";

// Renew in the last sixth of the token's life, so that no request carries an expired token.
const renewBeforeEnd = 1 / 6;

/**
 * Requests a token for a device code (first pairing) or a player id (renewal). The device's key signs a fresh nonce as proof.
 * @param waitS how long the service may hold back a pending response, in seconds.
 */
export async function requestToken(
  api: ServiceApi,
  identity: Identity,
  subject: { deviceCode: string } | { playerId: string },
  waitS: number,
  signal: AbortSignal,
): Promise<TokenResponse> {
  const aud = "deviceCode" in subject ? subject.deviceCode : subject.playerId;
  const proof = await signJws(tokenProofJwsType, { nonce: await api.nonce(signal), aud }, identity.keys);
  const body =
    "deviceCode" in subject
      ? ({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: aud, proof } as const)
      : ({ grant_type: "urn:signage:device-key", player_id: aud, proof } as const);
  return api.token(body, waitS, signal);
}

/** @throws Fault `signature` unless the pinned key signed `jws` as a revocation of this device and player. */
async function verifyRevocation(jws: string, identity: Identity, pairing: Pairing): Promise<void> {
  const revocation = SignedRevocation.parse(await verifyJws(revocationJwsType, jws, pairing.serviceKey));
  if (revocation.sub !== identity.thumbprint || revocation.player_id !== pairing.playerId) {
    throw new Fault("signature", "the revocation is for another device");
  }
}

/** True if `jws` proves that this device was revoked. An invalid revocation is logged. */
export async function isValidRevocation(jws: string, identity: Identity, pairing: Pairing, log: Log): Promise<boolean> {
  try {
    await verifyRevocation(jws, identity, pairing);
    return true;
  } catch (error) {
    log.error({ reason: reasonOf(error) }, "rejected a revocation that the service did not sign for this device");
    return false;
  }
}

/** The access tokens of a paired device, one at a time. */
export class AccessTokens {
  readonly #api: ServiceApi;
  readonly #identity: Identity;
  readonly #pairing: Pairing;
  readonly #clock: Clock;
  readonly #onServiceKey: (key: string) => Promise<void>;
  #current: { token: string; renewAt: number } | null = null;
  #renewal: SharedWork<string> | null = null;

  /** @param onServiceKey called with the service's key in each token response, whether pinned or not. */
  constructor(
    api: ServiceApi,
    identity: Identity,
    pairing: Pairing,
    clock: Clock,
    onServiceKey: (key: string) => Promise<void> = async () => undefined,
  ) {
    this.#onServiceKey = onServiceKey;
    this.#api = api;
    this.#identity = identity;
    this.#pairing = pairing;
    this.#clock = clock;
  }

  /**
   * A valid token, renewed if needed. Concurrent callers share one renewal, and each may abort its own wait.
   * @throws Fault `revoked` if the service's pinned key signed a revocation; `refused` for any other refusal.
   */
  async token(signal: AbortSignal): Promise<string> {
    if (this.#current !== null && this.#clock.monotonic() < this.#current.renewAt) return this.#current.token;
    if (this.#renewal === null || this.#renewal.isAbandoned) this.#renewal = new SharedWork((shared) => this.#renew(shared));
    const renewal = this.#renewal;
    try {
      return await renewal.wait(signal);
    } finally {
      // The renewal has ended, unless this caller aborted: then the other callers still wait for it.
      if (this.#renewal === renewal && !signal.aborted) this.#renewal = null;
    }
  }

  /** Runs `call` with a token, and once more with a new token if the service rejects the first. */
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

  /** Discards `token` after the service rejected it, so that the next call renews it. */
  discard(token: string): void {
    if (this.#current?.token === token) this.#current = null;
  }

  async #renew(signal: AbortSignal): Promise<string> {
    const response = await requestToken(this.#api, this.#identity, { playerId: this.#pairing.playerId }, 0, signal);
    const key = response.is === "granted" ? response.grant.service_key : response.refusal.service_key;
    if (key !== undefined) await this.#onServiceKey(key);
    if (response.is === "granted") return this.#store(response.grant);
    const { refusal } = response;
    if (refusal.revocation !== undefined) {
      await verifyRevocation(refusal.revocation, this.#identity, this.#pairing);
      throw new Fault("revoked", "the service has revoked this screen");
    }
    throw new Fault("refused", `the service gives no token: ${refusal.error_description ?? refusal.error}`);
  }

  #store(grant: TokenGrant): string {
    if (grant.service_key !== this.#pairing.serviceKey) {
      throw new Fault("signature", "this is not the service that the screen was paired with: its key differs");
    }
    const lifeMs = grant.expires_in * 1_000;
    this.#current = {
      token: grant.access_token,
      renewAt: this.#clock.monotonic() + lifeMs * (1 - renewBeforeEnd),
    };
    return grant.access_token;
  }
}
