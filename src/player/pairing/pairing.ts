// Gets the device paired: asks for a code, keeps it fresh, and waits until an operator has claimed it. RFC 8628.
import { Backoff } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import type { Observable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import type { Trouble } from "../../protocol/scene.ts";
import type { PairingGrant, PairingRequest } from "../../protocol/device/messages.ts";
import { requestToken } from "../link/access.ts";
import type { Identity, Pairing } from "./identity.ts";
import type { ServiceApi } from "../link/service-api.ts";
import { diagnoseConnectivity } from "../link/connectivity-diagnosis.ts";

/** Where pairing stands: no code yet, or a code on the glass; with what is in the way, if anything. */
export type PairingState =
  | { is: "asking"; trouble: Trouble | null }
  | { is: "code"; code: string; claimUrl: string | null; trouble: Trouble | null };

export interface PairingDependencies {
  api: ServiceApi;
  identity: Identity;
  clock: Clock;
  log: Log;
  /** What the box says of itself. */
  describe(): Promise<Omit<PairingRequest, "public_key">>;
  state: Observable<PairingState>;
}

// Held back by the service until the claim, so that approval reaches the glass at once.
const longPollS = 25;
const backoffBounds = { firstMs: 1_000, longestMs: 30_000 };

/** Runs until the device is paired, through expiries and outages. Rejects only when `signal` aborts. */
export async function pair(parts: PairingDependencies, signal: AbortSignal): Promise<Pairing> {
  const backoff = new Backoff(backoffBounds);
  for (;;) {
    try {
      const paired = await withOneCode(parts, backoff, signal);
      if (paired !== null) return paired;
    } catch (error) {
      await complain(parts, error, backoff.next(), signal);
    }
  }
}

/** Shows one code until it is claimed (the pairing) or has expired (null). */
async function withOneCode(parts: PairingDependencies, backoff: Backoff, signal: AbortSignal): Promise<Pairing | null> {
  const { api, identity, clock, log, state } = parts;
  const grant = await api.requestPairing({ public_key: identity.keys.publicKey, ...(await parts.describe()) }, signal);
  const expiresAt = clock.monotonic() + grant.expires_in * 1_000;
  state.set({
    is: "code",
    code: grant.user_code,
    claimUrl: grant.verification_uri_complete,
    trouble: null,
  });
  log.info({ code: grant.user_code, expires_in_s: grant.expires_in }, "pairing code");
  let intervalMs = grant.interval * 1_000;
  while (clock.monotonic() < expiresAt) {
    const askedAt = clock.monotonic();
    const answer = await tryAsk(parts, grant, backoff, signal);
    if (answer === null) continue;
    if (answer.is === "granted") {
      const { player_id: playerId, player_name: playerName, service_key: serviceKey } = answer.grant;
      return { server: api.server.href, playerId, playerName, serviceKey };
    }
    const { error } = answer.refusal;
    if (error === "slow_down") intervalMs += 5_000;
    else if (error !== "authorization_pending") return null;
    // A service that held the answer back has done the waiting; one that did not must not be asked more often.
    await clock.wait(intervalMs - (clock.monotonic() - askedAt), signal);
  }
  return null;
}

/** One question; trouble is shown beside the code, which stays good: the service may only be restarting. */
async function tryAsk(parts: PairingDependencies, grant: PairingGrant, backoff: Backoff, signal: AbortSignal) {
  const { api, identity, state } = parts;
  try {
    const answer = await requestToken(api, identity, { deviceCode: grant.device_code }, longPollS, signal);
    backoff.reset();
    state.set({ ...state.value, trouble: null });
    return answer;
  } catch (error) {
    await complain(parts, error, backoff.next(), signal);
    return null;
  }
}

async function complain(
  { api, clock, log, state }: PairingDependencies,
  error: unknown,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (isAbort(error) && signal.aborted) throw error;
  const trouble = diagnoseConnectivity(error, api.server, Date.now(), clock.now() + waitMs);
  // Said once for each cause: an outage of a week is one line, not twenty thousand.
  const level = trouble.code === state.value.trouble?.code ? "debug" : "warn";
  log[level]({ reason: reasonOf(error) }, "pairing is held up; trying on");
  state.set({ ...state.value, trouble });
  await clock.wait(waitMs, signal);
}
