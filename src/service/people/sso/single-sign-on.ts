// Single sign-on: leads a browser to the provider, and finds out from its answer who the person is.
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import { longestSessionMs } from "../sessions/session-limits.ts";
import { nameIn, verifiedEmailIn } from "./claims.ts";
import type { SsoConfig } from "./config.ts";
import type { SecretKeys } from "../one-time/secret-keys.ts";
import { PendingSignIns, type Pending } from "./pending.ts";
import { SsoProvider } from "./provider.ts";
import { problemOfProvider } from "./provider-problem.ts";

type Purpose = Pending["purpose"];

/** A person, as the provider knows them. */
export interface SsoPerson {
  issuer: string;
  /** The provider's own id of the person: it never changes, and no other person ever gets it. */
  subject: string;
  /** Only if the provider has verified it. */
  email: string | null;
  name: string | null;
  /** When the person last proved to the provider who they are, epoch ms; null: the provider does not say. */
  provedAt: number | null;
  /** The secret of the invitation that they accept by signing in. */
  invitation: string | null;
}

/** The path that the provider leads a browser back to, below the service's address. */
const callbackPath = "/sign-in/sso";

export class SingleSignOn {
  readonly config: SsoConfig;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #provider: SsoProvider;
  readonly #pending: PendingSignIns;

  constructor(
    config: SsoConfig,
    { clock, log, closing, secretKeys }: { clock: Clock; log: Log; closing: AbortSignal; secretKeys: SecretKeys },
  ) {
    this.config = config;
    this.#clock = clock;
    this.#log = log;
    this.#provider = new SsoProvider(config, clock, closing);
    this.#pending = new PendingSignIns(clock, secretKeys);
  }

  /**
   * Begins a sign-in.
   * @returns the provider's address to open, and the secret that binds the sign-in to the browser
   * @throws ProblemError 503 if the provider cannot be reached.
   */
  async start(asked: { purpose: Purpose; baseUrl: string; invitation: string | null }): Promise<{ url: string; secret: string }> {
    try {
      return await this.#begin(asked);
    } catch (error) {
      throw this.#fail(error, null);
    }
  }

  /**
   * Finds out who the person is.
   * @param secret the secret that {@link start} returned to this browser
   * @param response the query of the address that the provider led back to
   * @throws ProblemError 401, or 422 for a person who is signed in; 503 if the provider cannot be reached.
   */
  async finish(secret: string | undefined, purpose: Purpose, response: string): Promise<SsoPerson> {
    const parameters = new URLSearchParams(response);
    const states = parameters.getAll("state");
    const pending = await this.#pending.take(secret, purpose, states.length === 1 ? states[0]! : null);
    if (pending === null) {
      throw ssoProblem(
        purpose,
        "This sign-in was not begun in this browser, was used already, or took longer than 10 minutes: begin again",
      );
    }
    try {
      return await this.#redeem(pending, parameters);
    } catch (error) {
      throw this.#fail(error, purpose);
    }
  }

  async #begin({ purpose, baseUrl, invitation }: { purpose: Purpose; baseUrl: string; invitation: string | null }) {
    const client = await import("openid-client");
    const configuration = await this.#provider.configuration();
    const verifier = client.randomPKCECodeVerifier();
    const pending: Pending = {
      purpose,
      // The page that the provider leads back to finds its task in this prefix.
      state: `${purpose}.${client.randomState()}`,
      nonce: client.randomNonce(),
      verifier,
      redirectUri: baseUrl + callbackPath,
      invitation,
      startedAt: this.#clock.now(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: pending.redirectUri,
      scope: "openid email profile",
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      // A provider says when the person has proved who they are only if it is asked for a limit.
      ...(purpose === "proof" ? { max_age: "0", prompt: "login" } : { max_age: String(longestSessionMs / 1_000) }),
    });
    // The browser is sent there, so that it must be nothing that runs in a page of this service.
    if (url.protocol !== "https:" && url.protocol !== "http:") throw new RangeError(`${url.protocol} is no web address to sign in at`);
    return { url: url.href, secret: this.#pending.seal(pending) };
  }

  async #redeem({ redirectUri, verifier, state, nonce, purpose, startedAt, invitation }: Pending, parameters: URLSearchParams) {
    const client = await import("openid-client");
    const configuration = await this.#provider.configuration();
    const tookSeconds = Math.ceil(Math.max(0, this.#clock.now() - startedAt) / 1_000);
    const tokens = await client.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${parameters.toString()}`), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      // The library allows for a clock that is late (30 s by default).
      ...(purpose === "proof" ? { maxAge: tookSeconds } : {}),
    });
    const claims = tokens.claims()!;
    if (!isSubject(claims.sub)) throw new RangeError("the provider gives people no usable id");
    const { issuer, userinfo_endpoint: userInfo } = configuration.serverMetadata();
    // Many providers tell the email only there.
    const more =
      claims["email"] === undefined && userInfo !== undefined
        ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : claims;
    return {
      issuer,
      subject: claims.sub,
      email: verifiedEmailIn(more, issuer),
      name: nameIn(more),
      provedAt: claims.auth_time === undefined ? null : Math.trunc(Math.min(claims.auth_time * 1_000, this.#clock.now())),
      invitation,
    };
  }

  /** Logs the reason of a failure, without tokens and claims. @param purpose null: it has not begun. @returns the problem to tell the person */
  #fail(error: unknown, purpose: Purpose | null): ProblemError {
    const { detail, isUnreachable, code } = problemOfProvider(error, this.config.name);
    this.#log.warn(
      { issuer: this.config.issuer, code, reason: error instanceof Error ? error.message : String(error) },
      "single sign-on failed",
    );
    if (isUnreachable || purpose === null) return new ProblemError("sso-unreachable", detail, { cause: error });
    return ssoProblem(purpose, detail, error);
  }
}

/** True if a provider may give a person this id (OpenID Connect Core section 2). */
function isSubject(subject: string): boolean {
  return subject !== "" && subject.length <= 255;
}

/** A refusal. That of a person who is signed in is no 401, which would say that the session has ended. */
export function ssoProblem(purpose: Purpose, detail: string, cause?: unknown): ProblemError {
  return purpose === "sign-in" ? new ProblemError("unauthorized", detail, { cause }) : invalidField("/sso_response", detail);
}
