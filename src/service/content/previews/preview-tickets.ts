// The tickets of previews: each opens the player's page and the files of one preview for a short time, in place of a token.
import { randomBytes } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import type { ShownContent } from "../../../protocol/operator/previews.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Operator } from "../../people/operator.ts";
import type { TokenExpiry } from "../../people/token-expiry.ts";
import type { MakeId } from "../../store/ids.ts";
import type { PreviewSubject } from "./shown-content.ts";

/** A file that a ticket opens. */
export interface PreviewFile {
  sha256: string;
  size_bytes: number;
  mime_type: string;
}

/** A file that a ticket was found to cover. */
interface CoveredFile extends PreviewFile {
  /** The draft that shows it, with which it ends; null: what is published shows it. */
  draftId: string | null;
}

/** A ticket that has not expired. */
export interface OpenTicket {
  readonly id: string;
  /** The part of its addresses that nobody can guess. */
  readonly secret: string;
  readonly teamId: string;
  readonly tokenId: string;
  readonly subject: PreviewSubject;
  /** Whether it also opens the player's screenshots. */
  readonly hasCaptures: boolean;
  expiresAt: number;
  /** The files that it was found to cover, by their hash. */
  readonly files: Map<string, CoveredFile>;
  /** The feeds that it was found to cover: how often each is fetched, by its address. */
  readonly feeds: Map<string, number>;
}

/** What a page may draw. A bundle would run: it is never sent. */
const drawable = /^(?:image|video|audio)\/|^application\/pdf$/;

const lifetimeMs = 900_000;
const maxOfToken = 100;

/** Kept in memory: after a restart a console asks for new ones. */
export class PreviewTickets {
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

  /** A ticket that opens nothing before {@link open}. */
  prepare({ teamId, tokenId }: Operator, subject: PreviewSubject, hasCaptures: boolean): OpenTicket {
    const secret = randomBytes(24).toString("base64url");
    const expiresAt = this.#clock.now() + lifetimeMs;
    return { id: this.#makeId("prv"), secret, teamId, tokenId, subject, hasCaptures, expiresAt, files: new Map(), feeds: new Map() };
  }

  /** Opens a ticket until it expires or the token ends. Of one token's tickets the newest are kept. */
  open(ticket: OpenTicket, operator: Operator): void {
    this.#removeExpired();
    const ofToken = [...this.#open.values()].filter((each) => each.ticket.tokenId === ticket.tokenId);
    if (ofToken.length >= maxOfToken) this.#remove(ofToken[0]!.ticket.secret);
    const ended = new AbortController();
    this.#open.set(ticket.secret, { ticket, ended });
    this.#tokens.onEnd(operator, () => this.#remove(ticket.secret), ended.signal);
  }

  /** @throws ProblemError 404 if it has expired, or belongs to another token. */
  find(id: string, { tokenId }: Operator): OpenTicket {
    this.#removeExpired();
    const found = [...this.#open.values()].find(({ ticket }) => ticket.id === id && ticket.tokenId === tokenId);
    if (found === undefined) throw new ProblemError("not-found", "The ticket has expired: create another");
    return found.ticket;
  }

  /** The ticket as it is after {@link renew}. */
  renewed(ticket: OpenTicket): OpenTicket {
    return { ...ticket, expiresAt: this.#clock.now() + lifetimeMs };
  }

  /** Lets a ticket live on from now. */
  renew(ticket: OpenTicket): void {
    ticket.expiresAt = this.#clock.now() + lifetimeMs;
  }

  /** Lets a ticket open the files and feeds of what was read for it. @param draftId of the draft in which it was read */
  cover({ files, feeds }: OpenTicket, { state }: ShownContent, draftId: string | null): void {
    for (const asset of state.assets) {
      const isPublished = draftId !== null && files.get(asset.sha256)?.draftId === null;
      if (drawable.test(asset.mime_type) && !isPublished) files.set(asset.sha256, { ...asset, draftId });
    }
    for (const { items } of state.playlists) {
      for (const item of items) if (item.type === "feed") feeds.set(item.url, item.refresh_interval_ms);
    }
  }

  /** The ticket in an address; undefined if it has expired. */
  bySecret(secret: string): OpenTicket | undefined {
    const found = this.#open.get(secret)?.ticket;
    return found !== undefined && found.expiresAt > this.#clock.now() ? found : undefined;
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
