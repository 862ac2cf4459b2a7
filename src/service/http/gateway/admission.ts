// Decides who may call an operation and how often.
import type { Clock } from "../../../base/clock.ts";
import type { AlertEngine } from "../../alerts/engine.ts";
import type { DeviceAccess } from "../../fleet/devices/device-access.ts";
import { isRead, scopeFor, type Operation } from "../../operations/operation.ts";
import { authenticate, cachedOperator, invalidToken, parseBearer, reauthorize } from "../../people/authentication.ts";
import { requireScope, requireWholePerson, type Operator } from "../../people/operator.ts";
import type { BrowserCookies } from "../../people/sessions/browser-cookies.ts";
import type { Tickets } from "../../people/tickets.ts";
import type { Store } from "../../store/store.ts";
import type { Call } from "./call.ts";
import { Context, type ContextDependencies } from "./context.ts";
import { checkSameOrigin } from "../origin.ts";
import { ProblemError } from "../problem.ts";
import { addressKey, Quotas, tooManyRequests, type RequestLimits } from "../limits/rate-limit.ts";

interface AdmissionDependencies extends ContextDependencies {
  access: DeviceAccess;
  alerts: AlertEngine;
  clock: Clock;
  cookies: BrowserCookies;
  store: Store;
  tickets: Tickets;
}

/** A page asks for many small things, such as each picture on the wall of screens: sessions may ask so much more often than programs. */
const pagesPerProgram = 10;

export class Admission {
  readonly #dependencies: AdmissionDependencies;
  readonly #byToken: Quotas;
  readonly #bySession: Quotas;
  readonly #byPlayer: Quotas;
  readonly #byAddress: Quotas;

  constructor(dependencies: AdmissionDependencies, limits: RequestLimits) {
    this.#dependencies = dependencies;
    this.#byToken = new Quotas("token", limits.token, dependencies.clock);
    this.#bySession = new Quotas("token", limits.token * pagesPerProgram, dependencies.clock);
    this.#byPlayer = new Quotas("player", limits.player, dependencies.clock);
    this.#byAddress = new Quotas("address", limits.address, dependencies.clock);
  }

  /** By the names under which nodes store the number of their served requests for each other. */
  get quotas(): Readonly<Record<string, Quotas>> {
    return { token: this.#byToken, session: this.#bySession, player: this.#byPlayer, address: this.#byAddress };
  }

  /** Authenticates and authorizes a call of one operation. @throws ProblemError 401, 403 or 429. */
  async admit(operation: Operation, call: Call): Promise<Context> {
    if (operation.caller === "anyone") {
      spend(this.#byAddress, addressKey(call.address), call);
      return new Context(this.#dependencies, call, {});
    }
    if (operation.caller === "device") {
      const player = await this.#countingFailures(this.#dependencies.access.authenticate(call.header("authorization")), call);
      spend(this.#byPlayer, player.id, call);
      if (player.removed_at !== null) throw invalidToken();
      call.trust();
      this.#dependencies.alerts.addresses.record(player.id, call.address);
      return new Context(this.#dependencies, call, { player });
    }
    const ticket = operation.endless !== undefined && call.header("authorization") === undefined ? ticketIn(call) : null;
    if (ticket !== null) return this.admitOperator(operation, call, await this.#redeem(ticket, call));
    const operator = await this.#authenticate(this.#dependencies.cookies.presentedSecret(call), call);
    if (operator.isSession && !isRead(operation)) checkSameOrigin(call);
    return this.admitOperator(operation, call, operator);
  }

  /**
   * Authenticates an agent's program by its access token and counts one request of it. A session is no program, and an agent never
   * the machine, whose links are for anybody: a text that an agent reads may talk it into anything.
   * @throws ProblemError 401 or 429.
   */
  async authenticateAgent(call: Call): Promise<Operator> {
    const isSent = parseBearer(call.header("authorization")) !== undefined;
    const operator = await this.#authenticate(isSent ? this.#dependencies.cookies.presentedSecret(call) : undefined, call);
    return { ...operator, isMachine: false };
  }

  async #authenticate(secret: string | undefined, call: Call): Promise<Operator> {
    const { clock, store } = this.#dependencies;
    const operator = cachedOperator(store.db, clock, secret) ?? (await this.#countingFailures(authenticate(store.db, clock, secret), call));
    this.countRequest(operator, call);
    return operator;
  }

  /** Counts one more request of an operator's token. @throws ProblemError 429. */
  countRequest(operator: Operator, call: Call): void {
    spend(operator.isSession ? this.#bySession : this.#byToken, operator.tokenId, call);
  }

  /** Authorizes an authenticated operator for one operation. @throws ProblemError 403. */
  admitOperator(operation: Operation, call: Call, operator: Operator): Context {
    if (operation.session?.wholePerson === true) requireWholePerson(operator);
    const scope = scopeFor(operation, operator);
    if (scope !== undefined) requireScope(operator, scope);
    call.trust();
    return new Context(this.#dependencies, call, { operator });
  }

  /** The operator who created a ticket for this path, as they are now. @throws ProblemError 401 or 429. */
  async #redeem({ name, path }: { name: string; path: string }, call: Call): Promise<Operator> {
    const { clock, store, tickets } = this.#dependencies;
    const redeem = async () => reauthorize(store.db, clock, await tickets.redeem(name, path), undefined);
    const operator = await this.#countingFailures(redeem(), call);
    this.countRequest(operator, call);
    return operator;
  }

  /** Failed authentications count against the client's address. */
  async #countingFailures<T>(authentication: Promise<T>, call: Call): Promise<T> {
    try {
      return await authentication;
    } catch (error) {
      if (error instanceof ProblemError) spend(this.#byAddress, addressKey(call.address), call);
      throw error;
    }
  }
}

/** The ticket in a call's query; null: there is none. */
function ticketIn({ url }: Call): { name: string; path: string } | null {
  const { pathname: path, searchParams } = new URL(url, "http://service");
  const name = searchParams.get("ticket");
  return name === null ? null : { name, path };
}

/** Counts a request and sets the rate limit headers. @throws ProblemError 429 when the quota is used up. */
function spend(quotas: Quotas, key: string, call: Call): void {
  const { headers, waitMs } = quotas.take(key);
  call.setHeaders(headers);
  if (waitMs > 0) throw tooManyRequests("Too many requests", waitMs);
}
