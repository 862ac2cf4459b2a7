// The tickets of previews on a service of one process.
import { randomBytes } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import type { ShownContent } from "../../../protocol/operator/previews.ts";
import type { Operator } from "../../people/operator.ts";
import type { TokenExpiry } from "../../people/token-expiry.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import { coverContent, lifetimeMs, maxOfToken, ticketExpired, type OpenTicket, type PreviewTickets } from "./preview-tickets.ts";
import type { PreviewSubject } from "./shown-content.ts";

/** After a restart a console asks for new ones. */
export class TicketsInMemory implements PreviewTickets {
  readonly #clock: Clock;
  readonly #makeId: MakeId;
  readonly #tokens: TokenExpiry;
  readonly #open = new Map<string, { ticket: OpenTicket; ended: AbortController }>();

  /** @param closing aborts when the service stops: the tickets end then. */
  constructor(clock: Clock, makeId: MakeId, tokens: TokenExpiry, closing: AbortSignal) {
    this.#clock = clock;
    this.#makeId = makeId;
    this.#tokens = tokens;
    closing.addEventListener("abort", () => this.#removeAll(), { once: true });
  }

  prepare({ teamId, tokenId }: Operator, subject: PreviewSubject, hasCaptures: boolean): OpenTicket {
    const secret = randomBytes(24).toString("base64url");
    const expiresAt = this.#clock.now() + lifetimeMs;
    return { id: this.#makeId("prv"), secret, teamId, tokenId, subject, hasCaptures, expiresAt, files: new Map(), feeds: new Map() };
  }

  async open(_db: Db, ticket: OpenTicket): Promise<(operator: Operator) => void> {
    return (operator) => {
      this.#removeExpired();
      const ofToken = [...this.#open.values()].filter((each) => each.ticket.tokenId === ticket.tokenId);
      if (ofToken.length >= maxOfToken) this.#remove(ofToken[0]!.ticket.secret);
      const ended = new AbortController();
      this.#open.set(ticket.secret, { ticket, ended });
      this.#tokens.onEnd(operator, () => this.#remove(ticket.secret), ended.signal);
    };
  }

  async find(id: string, { tokenId }: Operator): Promise<OpenTicket> {
    this.#removeExpired();
    const found = [...this.#open.values()].find(({ ticket }) => ticket.id === id && ticket.tokenId === tokenId);
    if (found === undefined) throw ticketExpired();
    return found.ticket;
  }

  async bySecret(secret: string): Promise<OpenTicket | undefined> {
    const found = this.#open.get(secret)?.ticket;
    return found !== undefined && found.expiresAt > this.#clock.now() ? found : undefined;
  }

  async renew(_db: Db, { secret, expiresAt }: OpenTicket): Promise<() => void> {
    return () => {
      const found = this.#open.get(secret);
      if (found !== undefined) found.ticket.expiresAt = expiresAt;
    };
  }

  async cover(ticket: OpenTicket, content: ShownContent, draftId: string | null): Promise<void> {
    coverContent(ticket, content, draftId);
  }

  #removeExpired(): void {
    const now = this.#clock.now();
    for (const { ticket } of this.#open.values()) if (ticket.expiresAt <= now) this.#remove(ticket.secret);
  }

  #removeAll(): void {
    for (const secret of this.#open.keys()) this.#remove(secret);
  }

  #remove(secret: string): void {
    this.#open.get(secret)?.ended.abort();
    this.#open.delete(secret);
  }
}
