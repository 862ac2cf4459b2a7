// One-time tickets for browsers, whose WebSockets cannot send a token: `GET /events?ticket=…`.
import { randomBytes } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { ProblemError } from "../http/problem.ts";
import type { Operator } from "../people/operator.ts";

const lifetimeMs = 30_000;
const maxTickets = 10_000;

export class EventTickets {
  readonly #clock: Clock;
  readonly #tickets = new Map<string, { operator: Operator; expiresAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws ProblemError 429 when too many tickets are unused. */
  create(operator: Operator): { ticket: string; expires_in: number } {
    const now = this.#clock.monotonic();
    for (const [name, { expiresAt }] of this.#tickets) if (expiresAt <= now) this.#tickets.delete(name);
    if (this.#tickets.size >= maxTickets) {
      throw new ProblemError("too-many", "Too many tickets are unused: try again in half a minute");
    }
    const ticket = randomBytes(24).toString("base64url");
    this.#tickets.set(ticket, { operator, expiresAt: now + lifetimeMs });
    return { ticket, expires_in: lifetimeMs / 1_000 };
  }

  /** Uses a ticket. @returns the operator who created it @throws ProblemError 401. */
  redeem(name: string): Operator {
    const ticket = this.#tickets.get(name);
    this.#tickets.delete(name);
    if (ticket === undefined || ticket.expiresAt <= this.#clock.monotonic()) {
      throw new ProblemError("unauthorized", "The ticket was used or has expired: create another");
    }
    return ticket.operator;
  }
}
