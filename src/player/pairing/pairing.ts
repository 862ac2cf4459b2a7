// Pairs the device: requests a code, renews it, and waits until an operator claims it (RFC 8628).
import { Backoff } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import type { Observable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import type { ScreenProblem } from "../../protocol/scene.ts";
import type { PairingGrant, PairingRequest } from "../../protocol/device/messages.ts";
import { requestToken } from "../link/access.ts";
import type { Identity, Pairing } from "./identity.ts";
import type { ServiceApi } from "../link/service-api.ts";
import { diagnoseConnectivity } from "../link/connectivity-diagnosis.ts";

/** The progress of pairing: no code yet, or a code on the screen. `trouble` is the obstacle, if there is one. */
export type PairingState =
  | { is: "asking"; trouble: ScreenProblem | null }
  | { is: "code"; code: string; claimUrl: string | null; trouble: ScreenProblem | null };

export interface PairingDependencies {
  api: ServiceApi;
  identity: Identity;
  clock: Clock;
  log: Log;
  /** Describes the device to the service. */
  describe: () => Promise<Omit<PairingRequest, "public_key">>;
  state: Observable<PairingState>;
}

// The service holds the response until the claim, so that the player learns of it at once.
const longPollS = 25;
const backoffBounds = { firstMs: 1_000, longestMs: 30_000 };

/** Runs until the device is paired; expired codes and outages are retried. Rejects only when `signal` aborts. */
export async function pair(dependencies: PairingDependencies, signal: AbortSignal): Promise<Pairing> {
  const backoff = new Backoff(backoffBounds);
  for (;;) {
    try {
      const pairing = await pairWithOneCode(dependencies, backoff, signal);
      if (pairing !== null) return pairing;
    } catch (error) {
      await showProblem(dependencies, error, backoff.next(), signal);
    }
  }
}

/** Shows one code until it is claimed (resolves to the pairing) or has expired (null). */
async function pairWithOneCode(dependencies: PairingDependencies, backoff: Backoff, signal: AbortSignal): Promise<Pairing | null> {
  const { api, identity, clock, log, state, describe } = dependencies;
  const grant = await api.requestPairing({ public_key: identity.keys.publicKey, ...(await describe()) }, signal);
  const expiresAt = clock.monotonic() + grant.expires_in * 1_000;
  state.set({ is: "code", code: grant.user_code, claimUrl: grant.verification_uri_complete, trouble: null });
  log.info({ code: grant.user_code, expires_in_s: grant.expires_in }, "pairing code");
  let intervalMs = grant.interval * 1_000;
  while (clock.monotonic() < expiresAt) {
    const requestedAt = clock.monotonic();
    const response = await tryRequestToken(dependencies, grant, backoff, signal);
    if (response === null) continue;
    if (response.is === "granted") {
      const { player_id: playerId, player_name: playerName, service_key: serviceKey } = response.grant;
      return { server: api.server.href, playerId, playerName, serviceKey };
    }
    const { error } = response.refusal;
    if (error === "slow_down") intervalMs += 5_000;
    else if (error !== "authorization_pending") return null;
    // The time for which the service held the response counts towards the interval.
    await clock.wait(intervalMs - (clock.monotonic() - requestedAt), signal);
  }
  return null;
}

/** Requests the token once. On failure the problem is shown beside the code, which stays valid, and this resolves to null. */
async function tryRequestToken(dependencies: PairingDependencies, grant: PairingGrant, backoff: Backoff, signal: AbortSignal) {
  const { api, identity, state } = dependencies;
  try {
    const response = await requestToken(api, identity, { deviceCode: grant.device_code }, longPollS, signal);
    backoff.reset();
    state.set({ ...state.value, trouble: null });
    return response;
  } catch (error) {
    await showProblem(dependencies, error, backoff.next(), signal);
    return null;
  }
}

async function showProblem(
  { api, clock, log, state }: PairingDependencies,
  error: unknown,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (isAbort(error) && signal.aborted) throw error;
  const problem = diagnoseConnectivity(error, api.server, Date.now(), clock.now() + waitMs);
  // Warn once per cause: a long outage must not fill the log.
  const level = problem.code === state.value.trouble?.code ? "debug" : "warn";
  log[level]({ reason: reasonOf(error) }, "pairing failed: trying again");
  state.set({ ...state.value, trouble: problem });
  await clock.wait(waitMs, signal);
}
