// One-time tickets for browsers, whose WebSockets and images cannot send a token: `GET /events?ticket=…`.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import { ProblemError } from "../http/problem.ts";
import type { Operator } from "./operator.ts";

const lifetimeMs = 30_000;
const maxTickets = 10_000;

/** A ticket in the API. */
export const Ticket = z.object({ ticket: z.string().describe("Valid once, for one request"), expires_in: z.int().describe("Seconds") });
export type Ticket = z.infer<typeof Ticket>;

/** Tickets that each replace the token in one request of the path that they are for. */
export class Tickets {
  readonly #clock: Clock;
  readonly #tickets = new Map<string, { operator: Operator; path: string; expiresAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws ProblemError 429 when too many tickets are unused. */
  create(operator: Operator, path: string): Ticket {
    const now = this.#clock.monotonic();
    for (const [name, { expiresAt }] of this.#tickets) if (expiresAt <= now) this.#tickets.delete(name);
    if (this.#tickets.size >= maxTickets) {
      throw new ProblemError("too-many", "Too many tickets are unused: try again in half a minute");
    }
    const ticket = randomBytes(24).toString("base64url");
    this.#tickets.set(ticket, { operator, path, expiresAt: now + lifetimeMs });
    return { ticket, expires_in: lifetimeMs / 1_000 };
  }

  /** Uses a ticket, which is gone then even if it is for another path. @returns the operator who created it @throws ProblemError 401. */
  redeem(name: string, path: string): Operator {
    const ticket = this.#tickets.get(name);
    this.#tickets.delete(name);
    if (ticket?.path !== path || ticket.expiresAt <= this.#clock.monotonic()) {
      throw new ProblemError("unauthorized", "The ticket was used or has expired: create another");
    }
    return ticket.operator;
  }
}
