// Enrols the device by an enrolment key. After a failure it shows a pairing code, and goes on trying beside it.
import { Backoff } from "../../base/async/backoff.ts";
import type { Observable } from "../../base/async/observable.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import { signJws } from "../../base/jws.ts";
import { enrolmentUndecided } from "../../protocol/device/enrolment.ts";
import { tokenProofJwsType } from "../../protocol/device/messages.ts";
import type { EnrolmentResponse } from "../link/service-api.ts";
import type { MachineIdentity } from "../machine.ts";
import type { StoredEnrolment } from "./enrolment-file.ts";
import type { Pairing } from "./identity.ts";
import { pair, type PairingDependencies } from "./pairing.ts";

/** The progress of enrolment, for the screen. `trying`: there is no pairing code. `failed`: there is one beside the reason. */
export interface EnrolmentState {
  is: "trying" | "failed";
  text: string;
}

export interface EnrolmentDependencies extends PairingDependencies {
  machineIdentity: () => Promise<MachineIdentity>;
  /** Null: nothing to show. */
  enrolment: Observable<EnrolmentState | null>;
}

/** How long the service looks whether the player of this machine still runs is minutes, so ask again rarely. */
const undecidedWaitMs = 30_000;
const unreachableBounds = { firstMs: 2_000, longestMs: 60_000 };
// An operator may raise the count of a key or extend it: the box then enrols by itself.
const refusedBounds = { firstMs: 60_000, longestMs: 600_000 };

const enrolling = "Enrolling with the service …";

/** The result of one try. `text` is for people. */
type Try = { is: "paired"; pairing: Pairing } | { is: "undecided" | "refused" | "unreachable"; text: string };

/** Runs until the device is enrolled, or paired by a code. Rejects only when `signal` aborts. */
export async function enrolOrPair(dependencies: EnrolmentDependencies, stored: StoredEnrolment, signal: AbortSignal): Promise<Pairing> {
  const { api, enrolment, log } = dependencies;
  if (stored.is === "none") return pair(dependencies, signal);
  const fault = stored.is === "unusable" ? stored.reason : serverFault(stored.server, api.server);
  if (stored.is === "unusable" || fault !== null) {
    log.warn({ reason: fault }, "the enrolment key is not used");
    enrolment.set({ is: "failed", text: `Not enrolled: ${fault}` });
    return pair(dependencies, signal);
  }
  log.info({ server: api.server.href }, "enrolling");
  enrolment.set({ is: "trying", text: enrolling });
  const first = await tryWhileUndecided(dependencies, stored.key, signal);
  if (first.is === "paired") return first.pairing;
  show(dependencies, first);
  return firstOf([(end) => pair(dependencies, end), (end) => keepTrying(dependencies, stored.key, first, end)], signal);
}

async function keepTrying(dependencies: EnrolmentDependencies, key: string, first: Try, signal: AbortSignal): Promise<Pairing> {
  const [unreachable, refused] = [new Backoff(unreachableBounds), new Backoff(refusedBounds)];
  for (let last = first; ;) {
    await dependencies.clock.wait((last.is === "refused" ? refused : unreachable).next(), signal);
    const next = await tryWhileUndecided(dependencies, key, signal);
    if (next.is === "paired") return next.pairing;
    if (next.is === "refused") unreachable.reset();
    show(dependencies, next);
    last = next;
  }
}

/** Tries, and tries again while the service cannot decide yet whose place the device takes. */
async function tryWhileUndecided(dependencies: EnrolmentDependencies, key: string, signal: AbortSignal): Promise<Try> {
  for (;;) {
    const result = await tryToEnrol(dependencies, key, signal);
    if (result.is !== "undecided") return result;
    dependencies.enrolment.set({ is: "trying", text: result.text });
    await dependencies.clock.wait(undecidedWaitMs, signal);
  }
}

async function tryToEnrol(dependencies: EnrolmentDependencies, key: string, signal: AbortSignal): Promise<Try> {
  const { api, log, enrolment } = dependencies;
  try {
    const response = await requestEnrolment(dependencies, key, signal);
    if (response.is === "granted") {
      const { player_id: playerId, player_name: playerName, service_key: serviceKey } = response.grant;
      return { is: "paired", pairing: { server: api.server.href, playerId, playerName, serviceKey } };
    }
    const is = response.type.endsWith(`/${enrolmentUndecided}`) ? "undecided" : "refused";
    // Warn once per reason: a box may be refused for days.
    const level = enrolment.value?.text.includes(response.detail) === true ? "debug" : "warn";
    log[level]({ reason: response.type, detail: response.detail }, "the service refused to enrol this device");
    return { is, text: response.detail };
  } catch (error) {
    if (isAbort(error) && signal.aborted) throw error;
    const level = enrolment.value?.is === "failed" ? "debug" : "warn";
    log[level]({ reason: reasonOf(error) }, "enrolling failed: trying again");
    return { is: "unreachable", text: "the service cannot be reached. The screen tries again by itself" };
  }
}

async function requestEnrolment(
  { api, identity, describe, machineIdentity }: EnrolmentDependencies,
  key: string,
  signal: AbortSignal,
): Promise<EnrolmentResponse> {
  const [device, machine, nonce] = await Promise.all([describe(), machineIdentity(), api.nonce(signal)]);
  const proof = await signJws(tokenProofJwsType, { nonce, aud: key }, identity.keys);
  return api.enrol({ key, proof, public_key: identity.keys.publicKey, ...device, ...machine }, signal);
}

function show({ enrolment }: EnrolmentDependencies, result: Exclude<Try, { is: "paired" }>): void {
  enrolment.set({ is: "failed", text: `Not enrolled: ${result.text}` });
}

/** The key is a secret of one service, and must not be sent to another. */
function serverFault(named: string, used: URL): string | null {
  const { origin } = new URL(named);
  return origin === used.origin
    ? null
    : `the enrolment key is for ${origin}, but this screen uses ${used.origin}. Set the same service with signage-player setup`;
}

/** The result of the task that ends first. The others are aborted, and have ended when this settles. */
async function firstOf<T>(tasks: readonly ((signal: AbortSignal) => Promise<T>)[], signal: AbortSignal): Promise<T> {
  const end = new AbortController();
  const running = tasks.map((task) => task(AbortSignal.any([signal, end.signal])));
  try {
    return await Promise.race(running);
  } finally {
    end.abort();
    await Promise.allSettled(running);
  }
}
