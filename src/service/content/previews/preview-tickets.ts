// The tickets of previews: each opens the player's page and the files of one preview for a short time, in place of a token.
import { feedsOf } from "../../../protocol/content/items.ts";
import type { ShownContent } from "../../../protocol/operator/previews.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Operator } from "../../people/operator.ts";
import type { Db } from "../../store/store.ts";
import type { PreviewSubject } from "./shown-content.ts";

/** A file that a ticket opens. */
export interface PreviewFile {
  sha256: string;
  size_bytes: number;
  mime_type: string;
}

/** A file that a ticket was found to cover. */
export interface CoveredFile extends PreviewFile {
  /** The draft that shows it, with which it ends; null: published content shows it. */
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
  /** True if it also opens the player's screenshots. */
  readonly hasCaptures: boolean;
  expiresAt: number;
  /** The files that it was found to cover, by their hash. */
  readonly files: Map<string, CoveredFile>;
  /** The feeds that it was found to cover: how often each is fetched, by its address. */
  readonly feeds: Map<string, number>;
}

/** The types that a page may draw. A bundle would run: it is never sent. */
const drawable = /^(?:image|video|audio)\/|^application\/pdf$/;

/** How long a ticket lasts. */
export const lifetimeMs = 900_000;
/** Of one token's tickets the newest are kept. */
export const maxOfToken = 100;

/** The tickets that are open. */
export interface PreviewTickets {
  /** A ticket that opens nothing before {@link open}. */
  prepare(operator: Operator, subject: PreviewSubject, hasCaptures: boolean): OpenTicket;
  /** Opens a ticket until it expires or the token ends, in a transaction. @returns a function to call after its commit */
  open(db: Db, ticket: OpenTicket): Promise<(operator: Operator) => void>;
  /** @throws ProblemError 404 if it has expired, or belongs to another token. */
  find(id: string, operator: Operator): Promise<OpenTicket>;
  /** The ticket in an address; undefined if it has expired. */
  bySecret(secret: string): Promise<OpenTicket | undefined>;
  /** Lets a ticket live on until its `expiresAt`, in a transaction. @returns a function to call after its commit */
  renew(db: Db, ticket: OpenTicket): Promise<() => void>;
  /** Lets a ticket open the files and feeds of its `content`. @param draftId of the draft in which the content was read */
  cover(ticket: OpenTicket, content: ShownContent, draftId: string | null): Promise<void>;
}

/** The ticket as it is after it was renewed. @param now epoch ms */
export function renewedTicket(ticket: OpenTicket, now: number): OpenTicket {
  return { ...ticket, expiresAt: Math.trunc(now) + lifetimeMs };
}

/** Adds to a ticket the files and feeds of its `content`. @param draftId of the draft in which the content was read */
export function coverContent({ files, feeds }: OpenTicket, { state }: ShownContent, draftId: string | null): void {
  for (const asset of state.assets) {
    const isPublished = draftId !== null && files.get(asset.sha256)?.draftId === null;
    if (drawable.test(asset.mime_type) && !isPublished) {
      const { sha256, size_bytes, mime_type } = asset;
      files.set(sha256, { sha256, size_bytes, mime_type, draftId });
    }
  }
  for (const { url, refresh_interval_ms } of feedsOf(state.playlists)) feeds.set(url, refresh_interval_ms);
}

/** The error for a ticket that is not open. */
export function ticketExpired(): ProblemError {
  return new ProblemError("not-found", "The ticket has expired: create another");
}
