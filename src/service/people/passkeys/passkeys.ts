// The passkeys of people: checks them when somebody signs in or proves who they are, and makes new ones.
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { minuteMs } from "../../../base/time.ts";
import type { PasskeyAssertion, PasskeyAttestation, PasskeyCreation, PasskeyRequest } from "../../../protocol/operator/passkeys.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import type { AttemptLimit, MakeLimit } from "../../http/limits/attempt-limit.ts";
import { addressKey, tooManyRequests } from "../../http/limits/rate-limit.ts";
import type { PasskeyRow, UserRow } from "../../store/tables/people.ts";
import type { Db, Store } from "../../store/store.ts";
import type { SecretKeys } from "../one-time/secret-keys.ts";
import type { FailedSignIns } from "../sessions/failed-sign-ins.ts";
import { findBrowser } from "../sessions/known-browsers.ts";
import type { MadePasskey } from "./ceremonies.ts";
import { challengeMs, PasskeyChallenges, type ChallengePurpose } from "./challenges.ts";
import { passkeySiteAt, type PasskeySite } from "./site.ts";
import { findPasskey, updateCounter } from "../store/passkeys.ts";

interface PasskeyDependencies {
  clock: Clock;
  failures: FailedSignIns;
  log: Log;
  makeLimit: MakeLimit;
  secretKeys: SecretKeys;
  store: Store;
}

/** Where an answer comes from. */
export interface PasskeySender {
  address: string;
  requestId: string;
  /** The address of the service as the sender knows it. */
  baseUrl: string | null;
  /** The secret that marks a browser; undefined: it has none. */
  browserSecret: string | undefined;
}

/** Uses a challenge up by a transaction. @returns a function to call after its commit */
type UseUp = (db: Db) => Promise<() => void>;

/** A passkey that was verified. */
export interface UsedPasskey {
  row: PasskeyRow;
  counter: number;
  challenge: string;
}

const windowMs = 15 * minuteMs;
// Nobody guesses a signature: this bounds the work that strangers cause.
const maxFailures = 30;
const notOffered =
  "Browsers offer passkeys only at an https address with a host name, or at localhost: open the console there, or set --public-url";
const tooLate = "This took longer than five minutes, or was used already: try again";

export class Passkeys {
  readonly #dependencies: PasskeyDependencies;
  readonly #challenges: PasskeyChallenges;
  readonly #failures: AttemptLimit;

  constructor(dependencies: PasskeyDependencies) {
    this.#dependencies = dependencies;
    this.#challenges = new PasskeyChallenges(dependencies.secretKeys);
    this.#failures = dependencies.makeLimit("passkey", maxFailures, windowMs);
  }

  /** The options for a browser that asks for a passkey. @param allowed the passkeys to choose from; empty: any that it has for this website */
  ask(purpose: ChallengePurpose, baseUrl: string | null, allowed: readonly PasskeyRow[]): PasskeyRequest {
    const { host } = requireSite(baseUrl);
    const challenge = this.#challenges.create(purpose);
    return { challenge, rpId: host, timeout: challengeMs, userVerification: "required", allowCredentials: describe(allowed, host) };
  }

  /** The options for a browser that makes a passkey. @param existing the person's passkeys: their keepers make no second one */
  async prepare(sessionId: string, baseUrl: string | null, user: UserRow, existing: readonly PasskeyRow[]): Promise<PasskeyCreation> {
    const { host } = requireSite(baseUrl);
    const { keyAlgorithms } = await import("./ceremonies.ts");
    return {
      challenge: this.#challenges.create({ is: "registration", sessionId }),
      rp: { id: host, name: "Signage" },
      user: { id: handleOf(user.id), name: user.email ?? user.name, displayName: user.name },
      pubKeyCredParams: keyAlgorithms.map((alg) => ({ type: "public-key", alg })),
      timeout: challengeMs,
      attestation: "none",
      excludeCredentials: describe(existing, host),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    };
  }

  /**
   * Checks a passkey that a browser has made for the person of a session.
   * @returns it, and `use`: uses its challenge up by the transaction that stores it, and returns a function to call after the commit
   * @throws ProblemError 422.
   */
  async verifyMade(
    sessionId: string,
    baseUrl: string | null,
    attestation: PasskeyAttestation,
  ): Promise<{ made: MadePasskey; site: PasskeySite; use: UseUp }> {
    const site = requireSite(baseUrl);
    const { challengeIn, verifyMade } = await import("./ceremonies.ts");
    const challenge = challengeIn(attestation);
    if (challenge === undefined || !(await this.#challenges.isValid(challenge, { is: "registration", sessionId }))) {
      throw invalidField("/credential", tooLate);
    }
    try {
      const made = await verifyMade(attestation, challenge, site);
      return { made, site, use: this.#useUp(challenge, () => invalidField("/credential", tooLate)) };
    } catch (error) {
      this.#dependencies.log.info({ session_id: sessionId, reason: reasonOf(error) }, "a new passkey was refused");
      throw invalidField("/credential", `the passkey is not accepted: ${reasonOf(error)}`);
    }
  }

  /** Checks a passkey by which somebody signs in. Its challenge is used up. @throws ProblemError 401; 429 after too many failures. */
  async verify(assertion: PasskeyAssertion, sender: PasskeySender): Promise<UsedPasskey> {
    const refuse = (detail: string): ProblemError => new ProblemError("unauthorized", detail);
    const used = await this.#verify(assertion, { is: "sign-in" }, sender, null, refuse);
    if (!(await this.#challenges.use(used.challenge))) throw refuse(tooLate);
    return used;
  }

  /**
   * Checks a passkey by which a person who is signed in proves who they are.
   * @returns it, and `use`: uses its challenge up by the transaction that stores the proof, and returns a function to call after the commit
   * @throws ProblemError 422; 429 after too many failures.
   */
  async prove(
    { userId, tokenId }: { userId: string; tokenId: string },
    assertion: PasskeyAssertion,
    sender: PasskeySender,
  ): Promise<UsedPasskey & { use: UseUp }> {
    const refuse = (detail: string): ProblemError => invalidField("/passkey", detail);
    const used = await this.#verify(assertion, { is: "proof", sessionId: tokenId }, sender, userId, refuse);
    return { ...used, use: this.#useUp(used.challenge, () => refuse(tooLate)) };
  }

  #useUp(challenge: string, refuse: () => ProblemError): UseUp {
    return async (db) => {
      const committed = await this.#challenges.useIn(db, challenge);
      if (committed === null) throw refuse();
      return committed;
    };
  }

  /**
   * Allows 30 failures in 15 minutes: to an address, to a browser in which somebody has signed in before, or to a person who is
   * signed in. Strangers lock nobody out of the browsers that they use.
   * @param userId whose passkey it must be; null: anybody's
   */
  async #verify(
    assertion: PasskeyAssertion,
    purpose: ChallengePurpose,
    sender: PasskeySender,
    userId: string | null,
    refuse: (detail: string) => ProblemError,
  ): Promise<UsedPasskey> {
    const site = requireSite(sender.baseUrl);
    const { failures, log, store } = this.#dependencies;
    const key = userId ?? (await findBrowser(store.db, sender.browserSecret))?.secret_hash ?? addressKey(sender.address);
    // It counts before it is checked, so that concurrent ones do not evade the limit.
    const { waitMs, takeBack } = await this.#failures.take(key);
    if (waitMs > 0) throw tooManyRequests("Too many passkeys were refused", waitMs);
    const { challengeIn, verifyUsed } = await import("./ceremonies.ts");
    const challenge = challengeIn(assertion);
    if (challenge === undefined || !(await this.#challenges.isValid(challenge, purpose))) throw refuse(tooLate);
    const row = await findPasskey(store.db, assertion.id);
    const handle = assertion.response.userHandle;
    const isOwners = row !== undefined && (handle === undefined || handle === null || handle === handleOf(row.user_id));
    if (!isOwners || (userId !== null && row.user_id !== userId)) {
      throw refuse("This passkey is not known here: it may have been removed. Sign in another way");
    }
    let counter: number;
    try {
      counter = await verifyUsed(assertion, challenge, site, row);
    } catch (error) {
      log.info({ user_id: row.user_id, passkey_id: row.id, reason: reasonOf(error) }, "a passkey was refused");
      failures.record(row.user_id, "a wrong answer of a passkey was given", sender);
      throw refuse("The answer of this passkey is not accepted. Try again, or sign in another way");
    }
    await takeBack();
    return { row, challenge, counter };
  }
}

/** Stores that a passkey was used. @throws ProblemError 401 if it was removed or used meanwhile. */
export async function recordPasskeyUse(db: Db, { row, counter }: UsedPasskey, now: number): Promise<void> {
  if (!(await updateCounter(db, row, counter, Math.trunc(now))))
    throw new ProblemError("unauthorized", "The passkey was removed or used meanwhile: try again");
}

/** @throws ProblemError 403 where browsers offer no passkeys. */
function requireSite(baseUrl: string | null): PasskeySite {
  const site = passkeySiteAt(baseUrl);
  if (site === null) throw new ProblemError("forbidden", notOffered);
  return site;
}

/** The passkeys that are for a host, as browsers read them. */
function describe(rows: readonly PasskeyRow[], host: string): PasskeyRequest["allowCredentials"] {
  return rows
    .filter((row) => row.host === host)
    .map(({ credential_id, transports }) => ({ id: credential_id, type: "public-key", transports: JSON.parse(transports) as string[] }));
}

/** The user as a passkey's keeper stores it. */
function handleOf(userId: string): string {
  return Buffer.from(userId).toString("base64url");
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
